// The file system that Clang reads through: in memory our gap header and a stand-in for the toolkit of `cuda_version`
// (13000 for 13.0), everything else from disk with byte-order marks and carriage returns normalised.
#pragma once

#include <string>

#include <llvm/Support/VirtualFileSystem.h>

#include "lib/extract/file_owner.hpp"

namespace cudahot::extract {

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> normalising_file_system(const std::string& working_directory,
                                                                        const FileOwners& owners,
                                                                        unsigned cuda_version);

}  // namespace cudahot::extract

// The file system that Clang reads through: in memory our gap header and a stand-in for the toolkit of `cuda_version`
// (13000 for 13.0), everything else from disk with byte-order marks and carriage returns normalised.
// Paths that are asked for and are not there go into `missing`, as they were asked for; it outlives the file system.
#pragma once

#include <set>
#include <string>

#include <llvm/Support/VirtualFileSystem.h>

#include "lib/extract/file_owner.hpp"

namespace cudahot::extract {

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> normalising_file_system(const std::string& working_directory,
                                                                        const FileOwners& owners, unsigned cuda_version,
                                                                        std::set<std::string>& missing);

}  // namespace cudahot::extract

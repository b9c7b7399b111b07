// The file system that Clang reads through: our gap header in memory, everything else from disk
// with byte-order marks and carriage returns normalised.
#pragma once

#include <string>

#include <llvm/Support/VirtualFileSystem.h>

#include "lib/extract/file_owner.hpp"

namespace cudahot::extract {

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> normalising_file_system(const std::string& working_directory,
                                                                        const FileOwners& owners);

}  // namespace cudahot::extract

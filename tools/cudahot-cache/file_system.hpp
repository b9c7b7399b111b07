// The file system that a file is on.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cudahot::tool {

// "ext4", "tmpfs", "nfs4": of the file, or of the nearest folder above it that exists; "" where it cannot be known.
std::string file_system_type(const std::filesystem::path& file);

// The type in the text of /proc/self/mountinfo of the file system that holds `path`, which is absolute and without
// links.
std::string mounted_type(std::string_view mountinfo, const std::filesystem::path& path);

}  // namespace cudahot::tool

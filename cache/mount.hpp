// Mounts of other machines' disks: neither memory that processes share nor a write-ahead log works there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace cudahot::cache {

// The name of the file system with this number (statfs's f_type), when it may be on another machine.
std::optional<std::string_view> network_file_system(std::uint32_t type);

// That of the folder that `file` is in, or will be. nullopt also where it cannot be known.
std::optional<std::string_view> network_mount(const std::filesystem::path& file);
using MountProbe = std::optional<std::string_view> (*)(const std::filesystem::path& file);

}  // namespace cudahot::cache

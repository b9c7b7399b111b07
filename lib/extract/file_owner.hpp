// Decides whose a file is, by where it lies.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lib/extract/source_model.hpp"

namespace cudahot::extract {

class FileOwners {
 public:
  FileOwners(const std::filesystem::path& cuda_root, const std::filesystem::path& cuda_include,
             const std::filesystem::path& resource_dir);

  // `path` with symlinks resolved.
  FileOwner owner(std::string_view path) const;

  // The name by which the device compiler finds a toolkit header ("cub/block/block_reduce.cuh"),
  // empty when it cannot read it: host-only libraries, and what it has built in.
  std::string device_include(std::string_view path) const;

 private:
  std::string toolkit_include_;  // real paths, ended by '/'
  std::string toolkit_;
  std::string compiler_;
};

// Whether a header of the toolkit belongs to a library that only the host calls, or to the driver.
bool is_host_library_header(std::string_view path);

}  // namespace cudahot::extract

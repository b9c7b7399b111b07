// To extract a file in its folder, for one architecture, with a toolkit.
#pragma once

#include <filesystem>

#include "lib/cuda/toolkit.hpp"
#include "lib/extract/extract.hpp"

namespace cudahot::fuzz {

inline extract::ExtractRequest extract_request(const std::filesystem::path& file, const region::SmArch& arch,
                                               const cuda::Toolkit& toolkit) {
  extract::ExtractRequest request;
  request.file = file.filename();
  request.working_directory = file.parent_path();
  request.architectures = {arch};
  request.cuda_root = toolkit.root;
  request.cuda_include = toolkit.include;
  request.cuda_major = toolkit.version_major;
  request.cuda_minor = toolkit.version_minor;
  request.device_runtime = toolkit.device_runtime;
  request.resource_dir = CUDAHOT_TEST_CLANG_RESOURCES;
  return request;
}

}  // namespace cudahot::fuzz

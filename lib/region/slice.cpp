#include "lib/region/slice.hpp"

#include <algorithm>

namespace cudahot::region {

SliceHead head_of(const Slice& slice) { return {main_file(slice).path, slice.kernels, slice.architectures}; }

const FileRecord& main_file(const Slice& slice) { return slice.files.front(); }

const FileRecord* device_runtime(const Slice& slice) {
  const auto found = std::ranges::find(slice.files, FileRecord::Role::device_runtime, &FileRecord::role);
  return found == slice.files.end() ? nullptr : &*found;
}

const Kernel* find_kernel(const std::vector<Kernel>& kernels, std::string_view name) {
  const auto found = std::ranges::find(kernels, name, &Kernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

}  // namespace cudahot::region

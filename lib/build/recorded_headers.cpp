#include "lib/build/recorded_headers.hpp"

#include <algorithm>
#include <string_view>

#include "lib/base/files.hpp"

namespace cudahot::build {
namespace {

bool is_recorded(const region::FileRecord& record, const cuda::Toolkit& toolkit) {
  constexpr std::string_view kFolder = "/include/";
  const std::string_view path = record.path;
  // A toolkit may itself lie below a folder of that name.
  for (std::size_t at = path.find(kFolder); at != std::string_view::npos; at = path.find(kFolder, at + 1)) {
    const auto content = base::read_file(toolkit.include / path.substr(at + kFolder.size()));
    if (content && base::digest(*content) == record.content) return true;
  }
  return false;
}

}  // namespace

bool has_recorded_headers(const region::Slice& slice, const cuda::Toolkit& toolkit) {
  if (!slice.uses_device_headers) return true;
  return std::ranges::all_of(slice.files, [&](const region::FileRecord& record) {
    return record.role != region::FileRecord::Role::device_header || is_recorded(record, toolkit);
  });
}

}  // namespace cudahot::build

#include "lib/build/recorded_headers.hpp"

#include <algorithm>
#include <string_view>

#include "lib/base/files.hpp"

namespace cudahot::build {
namespace {

using Role = region::FileRecord::Role;

bool has_content(const std::filesystem::path& file, const region::FileRecord& record) {
  const auto content = base::read_file(file);
  return content && base::digest(*content) == record.content;
}

bool is_recorded_header(const region::FileRecord& record, const cuda::Toolkit& toolkit) {
  constexpr std::string_view kFolder = "/include/";
  const std::string_view path = record.path;
  // A toolkit may itself lie below a folder of that name.
  for (std::size_t at = path.find(kFolder); at != std::string_view::npos; at = path.find(kFolder, at + 1)) {
    if (has_content(toolkit.include / path.substr(at + kFolder.size()), record)) return true;
  }
  return false;
}

}  // namespace

bool has_recorded_files(const region::Slice& slice, const cuda::Toolkit& toolkit) {
  return std::ranges::all_of(slice.files, [&](const region::FileRecord& record) {
    if (record.role == Role::device_runtime) return has_content(toolkit.device_runtime, record);
    if (record.role == Role::device_header && slice.uses_device_headers) return is_recorded_header(record, toolkit);
    return true;
  });
}

}  // namespace cudahot::build

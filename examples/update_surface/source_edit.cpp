#include "source_edit.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace sample {

using cudahot::ErrorCode;
using cudahot::fail;

cudahot::Result<EditedText> insert_at_region_end(std::string_view text, std::string_view statement) {
  const std::size_t end = text.find("#pragma cudahot end");
  if (end == std::string_view::npos) return fail(ErrorCode::source, "the source has no '#pragma cudahot end'");
  const auto lines_before = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  EditedText edited;
  edited.text = fmt::format("{}  {}\n{}", text.substr(0, end), statement, text.substr(end));
  edited.line = static_cast<std::uint32_t>(lines_before) + 1;
  return edited;
}

cudahot::Result<std::string> read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.bad()) return fail(ErrorCode::environment, fmt::format("cannot read {}", path.string()));
  return std::move(text).str();
}

cudahot::Status save_text(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path written = path;
  written += ".new";
  std::ofstream file(written, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return fail(ErrorCode::environment, fmt::format("cannot write {}", written.string()));
  std::error_code error;
  std::filesystem::rename(written, path, error);
  if (error) return fail(ErrorCode::environment, fmt::format("cannot replace {}: {}", path.string(), error.message()));
  return {};
}

}  // namespace sample

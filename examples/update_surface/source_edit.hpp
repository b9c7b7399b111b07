// Edits of a source text as a person would make them in an editor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "cudahot/result.hpp"

namespace sample {

struct EditedText {
  std::string text;
  std::uint32_t line = 0;  // of the new line, from 1
};

// Inserts `statement` as a line of its own before the first `#pragma cudahot end`.
// Errors: source when there is none.
cudahot::Result<EditedText> insert_at_region_end(std::string_view text, std::string_view statement);

// Errors: environment, naming the file.
cudahot::Result<std::string> read_text(const std::filesystem::path& path);

// Writes a new file beside it and renames it over `path`: how most editors save, and no reader
// ever sees half of it. Errors: environment, naming the file.
cudahot::Status save_text(const std::filesystem::path& path, std::string_view text);

}  // namespace sample

#include "lib/cpu_device/code/clang_log.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "lib/region/text_map.hpp"

namespace cudahot::cpu_device {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct Mark {
  std::string_view text;
  Severity severity;
};
constexpr Mark kMarks[] = {{": fatal error: ", Severity::error},
                           {": error: ", Severity::error},
                           {": warning: ", Severity::warning},
                           {": note: ", Severity::note}};

// Takes ":NUMBER" from the end of `text`.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(colon + 1);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  text = text.substr(0, colon);
  return number;
}

std::optional<Diagnostic> read_message(std::string_view line, const region::Slice& slice) {
  for (const auto& mark : kMarks) {
    const std::size_t place = line.find(mark.text);
    if (place == std::string_view::npos) continue;
    Diagnostic diagnostic;
    diagnostic.severity = mark.severity;
    diagnostic.text = line.substr(place + mark.text.size());
    std::string_view where = line.substr(0, place);
    if (const auto column = take_number(where)) {
      diagnostic.location.column = *column;
      diagnostic.location.line = take_number(where).value_or(0);
      diagnostic.location.file = region::user_path(slice, where);
    }
    return diagnostic;
  }
  return std::nullopt;
}

// "   12 | text" or "      | ^": what stands behind the bar.
std::optional<std::string_view> read_frame_line(std::string_view line) {
  const std::size_t bar = line.find_first_not_of(" 0123456789");
  if (bar == std::string_view::npos || bar == 0 || line[bar] != '|') return std::nullopt;
  return line.substr(std::min(bar + 2, line.size()));
}

bool in_prelude(const Diagnostic& diagnostic) { return diagnostic.location.file.starts_with("prelude/"); }

// What is wrong in a header of ours is the use that a note behind it names.
void move_to_users_files(std::vector<Diagnostic>& diagnostics) {
  for (auto error = diagnostics.begin(); error != diagnostics.end(); ++error) {
    if (error->severity == Severity::note || !in_prelude(*error)) continue;
    for (auto note = error + 1; note != diagnostics.end() && note->severity == Severity::note; ++note) {
      if (in_prelude(*note)) continue;
      error->location = note->location;
      error->frame = note->frame;
      break;
    }
  }
}

}  // namespace

std::vector<Diagnostic> parse_clang_log(std::string_view log, const region::Slice& slice) {
  std::vector<Diagnostic> diagnostics;
  bool repeated = false;
  for (const auto line : lines_of(log)) {
    if (auto message = read_message(line, slice)) {
      repeated = std::ranges::any_of(diagnostics, [&](const Diagnostic& known) {
        return known.location == message->location && known.text == message->text;
      });
      if (!repeated) diagnostics.push_back(std::move(*message));
    } else if (const auto frame = read_frame_line(line); frame && !repeated && !diagnostics.empty()) {
      diagnostics.back().frame.append(*frame).append("\n");
    }
  }
  move_to_users_files(diagnostics);
  return diagnostics;
}

std::vector<Diagnostic> parse_link_log(std::string_view log, const region::Slice& slice) {
  std::vector<Diagnostic> diagnostics;
  constexpr std::string_view kLld = "undefined symbol: ";
  constexpr std::string_view kLd = "undefined reference to `";
  for (const auto line : lines_of(log)) {
    std::string symbol;
    if (const std::size_t lld = line.find(kLld); lld != std::string_view::npos) {
      symbol = line.substr(lld + kLld.size());
    } else if (const std::size_t ld = line.find(kLd); ld != std::string_view::npos) {
      symbol = line.substr(ld + kLd.size());
      if (symbol.ends_with('\'')) symbol.pop_back();
    } else {
      continue;
    }
    Diagnostic diagnostic;
    diagnostic.text = symbol + " is used but defined nowhere";
    region::place_at_first_use(slice, symbol, diagnostic);
    diagnostic.hint = "define it in this file or in one that it includes";
    const bool known = std::ranges::any_of(diagnostics, [&](const Diagnostic& d) { return d.text == diagnostic.text; });
    if (!known) diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

}  // namespace cudahot::cpu_device

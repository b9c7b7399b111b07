#include "lib/region/pragma_lexer.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "lib/region/code_frame.hpp"
#include "lib/region/directive.hpp"
#include "lib/region/raw_scanner.hpp"

namespace cudahot::region {
namespace {

bool is_name(std::string_view word) {
  const char first = word.empty() ? '0' : word.front();
  return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_' || (first & 0x80) != 0;
}

void parse_rest(const std::vector<std::string>& tokens, PragmaMark& mark) {
  // tokens: pragma cudahot WORD [ ( NAME ) ], or instantiate ( NAME ... )
  const std::string_view word = tokens.size() > 2 ? std::string_view(tokens[2]) : std::string_view();
  if (word == "instantiate") {
    if (tokens.size() > 5 && tokens[3] == "(" && tokens.back() == ")") mark.kind = PragmaMark::Kind::instantiate;
    else mark.problem = "expected kernels in parentheses: instantiate(KERNEL<TYPE>, ...)";
    return;
  }
  if (word != "begin" && word != "end") {
    mark.problem = word.empty() ? "expected 'begin(NAME)' or 'end'" : fmt::format("unknown word '{}'", word);
    return;
  }
  const bool named = tokens.size() == 6 && tokens[3] == "(" && is_name(tokens[4]) && tokens[5] == ")";
  if (named) mark.name = tokens[4];
  if (word == "begin" && !named) mark.problem = "expected a name in parentheses: begin(NAME)";
  else if (word == "end" && !named && tokens.size() != 3) mark.problem = "expected nothing or (NAME) after 'end'";
  else mark.kind = word == "begin" ? PragmaMark::Kind::begin : PragmaMark::Kind::end;
}

tl::unexpected<Error> refuse(std::string_view text, std::string_view file, const PragmaMark& mark, std::string id,
                             std::string message, std::string hint) {
  const std::size_t offset = mark.line.begin + mark.column - 1;
  Diagnostic diagnostic{
      Severity::error, std::move(id), locate(text, offset, file), message, code_frame(text, offset, mark.line.size()),
      std::move(hint)};
  return fail(Error{ErrorCode::source, std::move(message), diagnostic.location, {diagnostic}});
}

}  // namespace

std::vector<PragmaMark> find_pragmas(std::string_view text) {
  std::vector<PragmaMark> marks;
  RawScanner scanner(text);
  std::size_t counted = 0;
  std::uint32_t line = 1;
  while (const auto token = scanner.next()) {
    if (token->kind != RawToken::Kind::directive) continue;
    const auto tokens = directive_tokens(text.substr(token->range.begin, token->range.size()));
    if (tokens.size() < 2 || tokens[0] != "pragma" || tokens[1] != "cudahot") continue;
    const auto place = text.begin() + static_cast<std::ptrdiff_t>(token->range.begin);
    line += static_cast<std::uint32_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted), place, '\n'));
    counted = token->range.begin;
    PragmaMark mark;
    const std::size_t newline = counted == 0 ? std::string_view::npos : text.rfind('\n', counted - 1);
    mark.line.begin = newline == std::string_view::npos ? 0 : newline + 1;
    mark.line.end = std::min(token->range.end + 1, text.size());
    mark.line_number = line;
    mark.column = static_cast<std::uint32_t>(counted - mark.line.begin + 1);
    parse_rest(tokens, mark);
    marks.push_back(std::move(mark));
  }
  return marks;
}

Result<std::vector<RegionBody>> find_region_bodies(std::string_view text, std::string_view file) {
  std::vector<RegionBody> bodies;
  std::map<std::string, std::uint32_t> seen;
  const std::vector<PragmaMark> marks = find_pragmas(text);
  const PragmaMark* open = nullptr;
  const auto line_of = [&](const PragmaMark& mark) { return locate(text, mark.line.begin, file).line; };
  for (const PragmaMark& mark : marks) {
    if (mark.kind == PragmaMark::Kind::other) {
      return refuse(
          text, file, mark, "CH001", fmt::format("malformed cudahot pragma: {}", mark.problem),
          "write '#pragma cudahot begin(NAME)', '#pragma cudahot end' or '#pragma cudahot instantiate(KERNEL<TYPE>)'");
    }
    if (mark.kind == PragmaMark::Kind::instantiate) {
      if (open == nullptr) continue;
      return refuse(text, file, mark, "CH028",
                    fmt::format("'#pragma cudahot instantiate' stands inside region '{}'", open->name),
                    "move it out of the region, behind the kernels that it names");
    }
    if (mark.kind == PragmaMark::Kind::begin) {
      if (open != nullptr) {
        return refuse(
            text, file, mark, "CH004",
            fmt::format("region '{}' begins inside region '{}' (line {})", mark.name, open->name, line_of(*open)),
            "close the first region with '#pragma cudahot end' before this line");
      }
      const auto [first, added] = seen.emplace(mark.name, line_of(mark));
      if (!added) {
        return refuse(text, file, mark, "CH005",
                      fmt::format("a region named '{}' exists already (line {})", mark.name, first->second),
                      "give each region of a file a name of its own");
      }
      open = &mark;
      continue;
    }
    if (open == nullptr) {
      return refuse(
          text, file, mark, "CH003", "'#pragma cudahot end' without a begin before it",
          "add '#pragma cudahot begin(NAME)' where the region starts, or remove this line; a begin that comes "
          "from a macro does not count");
    }
    if (!mark.name.empty() && mark.name != open->name) {
      return refuse(text, file, mark, "CH006",
                    fmt::format("end({}) closes region '{}' of line {}", mark.name, open->name, line_of(*open)),
                    fmt::format("write end({}) or plain end", open->name));
    }
    // After begin's own lines: a continued pragma spans several.
    const std::string_view begin_lines = text.substr(open->line.begin, open->line.size());
    const auto spanned = static_cast<std::uint32_t>(std::count(begin_lines.begin(), begin_lines.end(), '\n'));
    bodies.push_back({open->name, {open->line.end, mark.line.begin}, open->line_number + spanned});
    open = nullptr;
  }
  if (open != nullptr) {
    return refuse(text, file, *open, "CH002", fmt::format("region '{}' is never closed", open->name),
                  "add '#pragma cudahot end' after the last statement of the region");
  }
  return bodies;
}

}  // namespace cudahot::region

#include "lib/build/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "lib/base/severity.hpp"
#include "lib/build/symbols.hpp"
#include "lib/region/code_frame.hpp"
#include "lib/region/raw_scanner.hpp"
#include "lib/region/text_map.hpp"

namespace cudahot::build {
namespace {

struct Head {
  std::string name;  // of the file; empty when the line names none
  std::uint32_t line = 0;
  Severity severity = Severity::error;
  std::string number;  // "#177-D"
  std::string text;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_lines(std::string_view log) {
  std::vector<std::string_view> lines;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return lines;
}

// "error: TEXT", "warning #177-D: TEXT", ... at the start of `rest`.
bool parse_severity(std::string_view rest, Head& head) {
  struct Word {
    std::string_view text;
    Severity severity;
  };
  static constexpr std::array<Word, 7> kWords = {{{"catastrophic error", Severity::error},
                                                  {"internal error", Severity::error},
                                                  {"fatal error", Severity::error},
                                                  {"error", Severity::error},
                                                  {"warning", Severity::warning},
                                                  {"remark", Severity::note},
                                                  {"note", Severity::note}}};
  for (const Word& word : kWords) {
    if (!rest.starts_with(word.text)) continue;
    std::string_view after = rest.substr(word.text.size());
    const std::size_t colon = after.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view number = trimmed(after.substr(0, colon));
    if (!number.empty() && number.front() != '#') return false;
    head.severity = word.severity;
    head.number = number;
    head.text = trimmed(after.substr(colon + 1));
    return true;
  }
  return false;
}

// NAME(LINE): SEVERITY... The name may itself hold parentheses.
std::optional<Head> parse_head(std::string_view line) {
  Head head;
  for (std::size_t at = line.find("): "); at != std::string_view::npos; at = line.find("): ", at + 1)) {
    const std::size_t open = line.rfind('(', at);
    if (open == std::string_view::npos || open == 0) continue;
    const auto [after, error] = std::from_chars(line.data() + open + 1, line.data() + at, head.line);
    if (error != std::errc() || after != line.data() + at) continue;
    if (!parse_severity(line.substr(at + 3), head)) continue;
    head.name = line.substr(0, open);
    return head;
  }
  std::string_view rest = line;
  if (rest.starts_with("nvrtc: ")) rest.remove_prefix(7);
  if (parse_severity(rest, head)) return head;
  return std::nullopt;
}

// "ptxas fatal   : TEXT", "ptxas /tmp/x, line 12; error   : TEXT".
std::optional<Head> parse_ptxas(std::string_view line) {
  if (!line.starts_with("ptxas ")) return std::nullopt;
  const std::size_t colon = line.find(" : ");
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view before = trimmed(line.substr(0, colon));
  Head head;
  head.text = trimmed(line.substr(colon + 3));
  if (before.ends_with("fatal") || before.ends_with("error")) head.severity = Severity::error;
  else if (before.ends_with("warning")) head.severity = Severity::warning;
  else return std::nullopt;
  return head;
}

// Replaces each '_Z...' in single quotes by its source name; gives the first of them as it was.
std::string demangle_quoted(std::string& text) {
  std::string first;
  std::size_t at = 0;
  while ((at = text.find("'_Z", at)) != std::string::npos) {
    const std::size_t end = text.find('\'', at + 1);
    if (end == std::string::npos) break;
    const std::string symbol = text.substr(at + 1, end - at - 1);
    if (first.empty()) first = symbol;
    const std::string name = demangle(symbol);
    text.replace(at + 1, symbol.size(), name);
    at += name.size() + 2;
  }
  return first;
}

// What ptxas says carries no place: it is found by the symbol that it names.
void place_at_symbol(const region::Slice& slice, const std::string& symbol, Diagnostic& diagnostic) {
  for (const auto& kernel : slice.kernels) {
    if (kernel.mangled_name != symbol || kernel.file >= slice.files.size()) continue;
    diagnostic.location = region::location_of(slice, kernel);
    return;
  }
  region::place_at_first_use(slice, demangle(symbol), diagnostic);
}

// The first asm statement in a region, else elsewhere.
std::optional<std::size_t> find_assembly(const region::Slice& slice) {
  std::optional<std::size_t> first;
  region::RawScanner scanner(slice.text);
  while (const auto token = scanner.next()) {
    const std::size_t at = token->range.begin;
    const std::string_view word = std::string_view(slice.text).substr(at, token->range.size());
    if (word != "asm" && word != "__asm__") continue;
    const auto holds_it = [&](const region::Region& each) { return at >= each.body.begin && at < each.body.end; };
    if (std::ranges::any_of(slice.regions, holds_it)) return at;
    if (!first) first = at;
  }
  return first;
}

// What ptxas says about inline assembly names neither line nor symbol.
void place_at_assembly(const region::Slice& slice, Diagnostic& diagnostic) {
  const auto at = find_assembly(slice);
  if (!at) return;
  diagnostic.location = region::location_at(slice, *at);
  diagnostic.frame = region::code_frame(slice.text, *at);
  diagnostic.hint = "this is the first asm statement, and perhaps not the one: the assembler names no line";
}

Diagnostic from_ptxas(Head head, const region::Slice& slice) {
  Diagnostic diagnostic;
  diagnostic.severity = head.severity;
  const std::string symbol = demangle_quoted(head.text);
  if (!symbol.empty()) place_at_symbol(slice, symbol, diagnostic);
  else if (head.severity == Severity::error) place_at_assembly(slice, diagnostic);
  if (head.text.starts_with("Unresolved extern ")) {
    diagnostic.hint = "define it as a __device__ function in this file, or include the header that does";
  }
  diagnostic.text = std::move(head.text);
  return diagnostic;
}

bool is_caret_line(std::string_view line) {
  return line.find('^') != std::string_view::npos && line.find_first_not_of(" \t^~") == std::string_view::npos;
}

// The log indents source lines by two columns.
std::string_view without_indent(std::string_view line) { return line.starts_with("  ") ? line.substr(2) : line; }

// `instantiation of "T f(T) [with T=float]" at line 7 of "b.h"`, in context of the file `name`.
Diagnostic parse_context(std::string_view line, const std::string& name, const region::Slice& slice) {
  Diagnostic note;
  note.severity = Severity::note;
  std::string_view text = trimmed(line);
  if (text.starts_with("detected during ")) text.remove_prefix(std::string_view("detected during ").size());
  std::string file = name;
  if (const std::size_t at = text.rfind(" at line "); at != std::string_view::npos) {
    const std::string_view place = text.substr(at + 9);
    std::from_chars(place.data(), place.data() + place.size(), note.location.line);
    if (const std::size_t of = place.find(" of "); of != std::string_view::npos) {
      std::string_view named = trimmed(place.substr(of + 4));
      if (named.size() >= 2 && named.front() == '"' && named.back() == '"') named = named.substr(1, named.size() - 2);
      file = named;
    }
    text = text.substr(0, at);
    note.location.file = region::user_path(slice, file);
  }
  note.text = fmt::format("in {}", text);
  return note;
}

// What follows a head line up to an empty line or the next head: more text, the source line with its caret, and
// the chain of instantiations.
class Block {
 public:
  Block(const Head& head, const region::Slice& slice) : name_(head.name), slice_(slice) {
    main_.severity = head.severity;
    main_.text = head.text;
    if (!head.number.empty()) main_.text += " [" + head.number + "]";
    if (!head.name.empty()) main_.location = {region::user_path(slice, head.name), head.line, 0};
  }

  void add(std::string_view line) {
    if (in_context_ || trimmed(line).starts_with("detected during")) {
      flush_pending();
      if (trimmed(line) != "detected during:") notes_.push_back(parse_context(line, name_, slice_));
      in_context_ = true;
    } else if (is_caret_line(line) && pending_) {
      const std::string_view caret = without_indent(line);
      const std::string_view source_line = without_indent(*pending_);
      const std::size_t at = caret.find('^');
      main_.frame = source_line.size() > region::kWidestFrame ? region::code_frame(source_line, at)
                                                              : fmt::format("{}\n{}\n", source_line, caret);
      main_.location.column = static_cast<std::uint32_t>(at + 1);
      pending_.reset();
    } else {
      flush_pending();
      pending_ = line;
    }
  }

  std::vector<Diagnostic> finish() && {
    flush_pending();
    std::vector<Diagnostic> all = {std::move(main_)};
    std::ranges::move(notes_, std::back_inserter(all));
    return all;
  }

 private:
  // A line that no caret line followed continues the text.
  void flush_pending() {
    if (!pending_) return;
    const std::string_view more = trimmed(*pending_);
    if (!more.empty()) main_.text.append("; ").append(more);
    pending_.reset();
  }

  std::string name_;
  const region::Slice& slice_;
  Diagnostic main_;
  std::vector<Diagnostic> notes_;
  std::optional<std::string_view> pending_;
  bool in_context_ = false;
};

// NVRTC does not know our own pragma, nor those that tell the host's compilers what to complain about.
bool is_about_pragma_of_others(const Diagnostic& diagnostic) {
  if (diagnostic.text.find("#161-D") == std::string::npos) return false;
  constexpr std::string_view kPragma = "#pragma ";
  const std::size_t at = diagnostic.frame.find(kPragma);
  if (at == std::string::npos) return false;
  const std::string_view rest = trimmed(std::string_view(diagnostic.frame).substr(at + kPragma.size()));
  constexpr std::array<std::string_view, 6> kOthers{"cudahot", "GCC ", "clang ", "diag_", "warning", "omp "};
  return std::ranges::any_of(kOthers, [&](std::string_view each) { return rest.starts_with(each); });
}

bool is_same(const Diagnostic& a, const Diagnostic& b) {
  return a.severity == b.severity && a.location == b.location && a.text == b.text;
}

void append_once(std::vector<Diagnostic> block, std::vector<Diagnostic>& all) {
  if (is_about_pragma_of_others(block.front())) return;
  if (std::ranges::any_of(all, [&](const Diagnostic& known) { return is_same(known, block.front()); })) return;
  std::ranges::move(block, std::back_inserter(all));
}

}  // namespace

std::vector<Diagnostic> parse_compiler_log(std::string_view log, const region::Slice& slice) {
  std::vector<Diagnostic> all;
  std::optional<Block> block;
  const auto close = [&] {
    if (block) append_once(std::move(*block).finish(), all);
    block.reset();
  };
  for (const std::string_view line : split_lines(log)) {
    if (auto ptxas = parse_ptxas(line)) {
      close();
      if (ptxas->text.starts_with("Ptx assembly aborted")) continue;  // due to what it said before
      append_once({from_ptxas(std::move(*ptxas), slice)}, all);
    } else if (auto head = parse_head(line)) {
      close();
      block.emplace(*head, slice);
    } else if (trimmed(line).empty()) {
      close();
    } else if (block) {
      block->add(line);
    }
  }
  close();
  return all;
}

Error source_error(std::string_view log, const region::Slice& slice) {
  Error error;
  error.code = ErrorCode::source;
  error.diagnostics = parse_compiler_log(log, slice);
  const auto is_error = [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::error; };
  auto first = std::ranges::find_if(error.diagnostics, is_error);
  if (first == error.diagnostics.end()) {
    // A log in no known form is still what the compiler has to say.
    Diagnostic whole;
    whole.text = log.empty() ? "the device compiler failed without a message" : std::string(trimmed(log));
    first = error.diagnostics.insert(error.diagnostics.end(), std::move(whole));
  }
  error.message = first->text;
  error.location = first->location;
  const auto count = std::ranges::count_if(error.diagnostics, is_error);
  if (count > 1) error.message += fmt::format(" (and {} more error{})", count - 1, count == 2 ? "" : "s");
  return error;
}

std::string render(const Diagnostic& diagnostic) {
  std::string text;
  const SourceLocation& place = diagnostic.location;
  if (!place.file.empty()) {
    text += place.file;
    if (place.line != 0) text += fmt::format(":{}", place.line);
    if (place.line != 0 && place.column != 0) text += fmt::format(":{}", place.column);
    text += ": ";
  }
  text += fmt::format("{}: {}", base::name_of(diagnostic.severity), diagnostic.text);
  if (!diagnostic.id.empty()) text += fmt::format(" [{}]", diagnostic.id);
  for (const std::string_view line : split_lines(diagnostic.frame)) text += fmt::format("\n  {}", line);
  if (!diagnostic.hint.empty()) text += fmt::format("\n  hint: {}", diagnostic.hint);
  return text;
}

}  // namespace cudahot::build

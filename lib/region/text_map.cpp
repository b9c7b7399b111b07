#include "lib/region/text_map.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "lib/region/code_frame.hpp"
#include "lib/region/directive.hpp"
#include "lib/region/raw_scanner.hpp"

namespace cudahot::region {
namespace {

bool is_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Without the group in brackets at its end, if it ends with one.
std::string_view without_last_group(std::string_view text, char open, char close) {
  if (!text.ends_with(close)) return text;
  std::size_t depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == close) ++depth;
    if (text[i] == open && --depth == 0) return text.substr(0, i);
  }
  return text;
}

// "f" of "void (anonymous namespace)::S<int>::f<float>(int) const".
std::string_view last_component(std::string_view function) {
  const std::size_t end = function.rfind(')');
  const bool parameters = end != std::string_view::npos && !function.substr(end + 1).starts_with("::");
  if (parameters) function = without_last_group(function.substr(0, end + 1), '(', ')');
  function = without_last_group(function, '<', '>');
  std::size_t begin = function.size();
  while (begin > 0 && is_identifier(function[begin - 1])) --begin;
  return function.substr(begin);
}

// What a use is worth as the place of an error, best first.
enum class Worth { in_region, in_code, in_macro, declaration };

class UseSearch {
 public:
  UseSearch(const Slice& slice, std::string_view name, bool call) : slice_(slice), name_(name), call_(call) {}

  std::optional<std::size_t> run() {
    scan(slice_.text, 0, false);
    return best_;
  }

 private:
  void scan(std::string_view text, std::size_t base, bool macro) {
    RawScanner scanner(text);
    constexpr std::size_t kNone = std::string_view::npos;
    std::size_t candidate = kNone;
    std::string_view before;
    while (const auto token = scanner.next()) {
      const std::string_view word = spelling(text, *token);
      if (token->kind == RawToken::Kind::comment) continue;
      if (candidate != kNone && (!call_ || word == "(" || word == "<")) offer(candidate, macro);
      candidate = kNone;
      if (token->kind == RawToken::Kind::directive) {
        scan(word.substr(1), base + token->range.begin + 1, true);
        continue;
      }
      if (token->kind == RawToken::Kind::word && word == name_) candidate = base + token->range.begin;
      if (!macro) follow_scopes(*token, word, before);
      before = word;
    }
  }

  void follow_scopes(const RawToken& token, std::string_view word, std::string_view before) {
    if (token.kind == RawToken::Kind::word) {
      scope_begins_ |= word == "namespace" || word == "extern" || word == "struct" || word == "class";
    } else if (word == "{") {
      // The braces of a function stand behind its parameters.
      in_code_.push_back(!std::exchange(scope_begins_, false) || before == ")");
    } else if (word == "}") {
      if (!in_code_.empty()) in_code_.pop_back();
      scope_begins_ = false;
    } else if (word == ";" || word == "=") {
      scope_begins_ = false;
    }
  }

  void offer(std::size_t at, bool macro) {
    const bool in_region =
        std::ranges::any_of(slice_.regions, [&](const Region& r) { return at >= r.body.begin && at < r.body.end; });
    const bool in_code = std::ranges::find(in_code_, true) != in_code_.end();
    const Worth worth = in_region ? Worth::in_region
                        : macro   ? Worth::in_macro
                        : in_code ? Worth::in_code
                                  : Worth::declaration;
    if (best_ && worth >= worth_) return;
    best_ = at;
    worth_ = worth;
  }

  const Slice& slice_;
  std::string_view name_;
  bool call_;                  // only where it is called
  std::vector<bool> in_code_;  // for each open brace whether it is not that of a namespace or class
  bool scope_begins_ = false;
  std::optional<std::size_t> best_;
  Worth worth_ = Worth::declaration;
};

}  // namespace

std::string user_path(const Slice& slice, std::string_view virtual_name) {
  for (const auto& file : slice.files) {
    if (file.virtual_name == virtual_name) return file.path;
  }
  return std::string(virtual_name);
}

SourceLocation location_at(const Slice& slice, std::size_t offset) {
  const std::string name = slice.files.empty() ? std::string() : slice.files.front().virtual_name;
  SourceLocation place = locate(slice.text, offset, name);
  place.file = user_path(slice, place.file);
  return place;
}

SourceLocation location_of(const Slice& slice, const Kernel& kernel) {
  if (kernel.file >= slice.files.size()) return {};
  const std::string_view name = last_component(kernel.name);
  for (const Segment& segment : slice.segments) {
    if (segment.kind != Segment::Kind::kernel || last_component(segment.name) != name) continue;
    const std::string_view text = std::string_view(slice.text).substr(segment.range.begin, segment.range.size());
    RawScanner scanner(text);
    while (const auto token = scanner.next()) {
      if (text.substr(token->range.begin, token->range.size()) != name) continue;
      SourceLocation place = location_at(slice, segment.range.begin + token->range.begin);
      place.column = 0;
      return place;
    }
  }
  return {slice.files[kernel.file].path, kernel.line, 0};
}

std::optional<std::size_t> first_use(const Slice& slice, std::string_view symbol) {
  const std::string_view name = last_component(symbol);
  const bool call = symbol.find(')') != std::string_view::npos;
  return name.empty() ? std::nullopt : UseSearch(slice, name, call).run();
}

void place_at_first_use(const Slice& slice, std::string_view symbol, Diagnostic& diagnostic) {
  const auto offset = first_use(slice, symbol);
  if (!offset) return;
  diagnostic.location = location_at(slice, *offset);
  diagnostic.frame = code_frame(slice.text, *offset);
}

}  // namespace cudahot::region

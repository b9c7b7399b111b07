#include "cache/difference.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace cudahot::cache {
namespace {

constexpr std::size_t kMostNamed = 8;  // headers in one list
constexpr std::size_t kLongestExcerpt = 60;

std::vector<std::string_view> all_of(const std::vector<Field>& fields, std::string_view tag) {
  std::vector<std::string_view> values;
  for (const Field& field : fields) {
    if (field.tag == tag) values.push_back(field.bytes);
  }
  return values;
}

std::string_view first_of(const std::vector<Field>& fields, std::string_view tag) {
  const auto found = std::ranges::find(fields, tag, &Field::tag);
  return found != fields.end() ? std::string_view(found->bytes) : std::string_view{};
}

bool same(const std::vector<Field>& now, const std::vector<Field>& then, std::string_view tag) {
  return all_of(now, tag) == all_of(then, tag);
}

// Walks over the lines of a text and knows their places by the #line directives on the way.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  // nullopt: the end. Directives are not given.
  std::optional<std::string_view> next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (!take_directive(line)) return line;
    }
    return std::nullopt;
  }

  // Of the line given last.
  std::string place() const { return fmt::format("{}:{}", file_.empty() ? "the text" : file_, number_); }

 private:
  bool take_directive(std::string_view line) {
    constexpr std::string_view kDirective = "#line ";
    if (!line.starts_with(kDirective)) return false;
    line.remove_prefix(kDirective.size());
    long number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc{}) return false;
    number_ = number - 1;
    const std::string_view name = line.substr(static_cast<std::size_t>(end - line.data()));
    const auto open = name.find('"');
    const auto close = name.rfind('"');
    if (open != std::string_view::npos && close > open) file_ = name.substr(open + 1, close - open - 1);
    return true;
  }

  std::string_view rest_;
  std::string file_;
  long number_ = 0;
};

std::string excerpt(std::optional<std::string_view> line) {
  if (!line) return "the end of the text";
  const auto first = std::min(line->find_first_not_of(" \t"), line->size());
  const std::string_view trimmed = line->substr(first);
  if (trimmed.size() <= kLongestExcerpt) return fmt::format("'{}'", trimmed);
  std::size_t end = kLongestExcerpt;  // not inside of a UTF-8 sequence
  while (end > 0 && (static_cast<unsigned char>(trimmed[end]) & 0xc0) == 0x80) --end;
  return fmt::format("'{}...'", trimmed.substr(0, end));
}

std::string first_different_line(std::string_view now, std::string_view then) {
  LineReader now_lines(now);
  LineReader then_lines(then);
  for (;;) {
    const auto line = now_lines.next();
    const auto was = then_lines.next();
    if (!line && !was) return "the places of lines (#line)";
    if (line == was) continue;
    return fmt::format("{}: {} was {}", line ? now_lines.place() : then_lines.place(), excerpt(line), excerpt(was));
  }
}

std::string list_of(const std::vector<std::string_view>& values) {
  return values.empty() ? "none" : fmt::format("{}", fmt::join(values, " "));
}

// Content digest by name of the device headers.
std::map<std::string_view, std::string_view> headers_of(const std::vector<Field>& fields) {
  std::map<std::string_view, std::string_view> headers;
  std::string_view name;
  for (const Field& field : fields) {
    if (field.tag == "hnam") name = field.bytes;
    if (field.tag == "hdig") headers[name] = field.bytes;
  }
  return headers;
}

std::string different_headers(const std::vector<Field>& now, const std::vector<Field>& then) {
  const auto headers = headers_of(now);
  const auto old_headers = headers_of(then);
  std::vector<std::string> changes;
  for (const auto& [name, content] : headers) {
    const auto old = old_headers.find(name);
    if (old == old_headers.end()) changes.push_back(fmt::format("{} is new", name));
    else if (old->second != content) changes.push_back(fmt::format("{} has other content", name));
  }
  for (const auto& [name, content] : old_headers) {
    if (!headers.contains(name)) changes.push_back(fmt::format("{} is not read any more", name));
  }
  if (!same(now, then, "drtl")) changes.emplace_back("the device runtime's library (libcudadevrt.a)");
  if (changes.empty()) return "the order of headers";
  const std::size_t all = changes.size();
  if (all > kMostNamed) changes.resize(kMostNamed);
  std::string text = fmt::format("{}", fmt::join(changes, ", "));
  if (all > kMostNamed) text += fmt::format(", and {} more", all - kMostNamed);
  return text;
}

bool is_known(std::string_view tag) {
  static constexpr std::string_view kKnown[] = {"vers", "kind", "arch", "tier", "text", "segm", "optn", "kern", "nexp",
                                                "mang", "nvrt", "nvjl", "dhdr", "hnam", "hdig", "drtl", "usel", "hlib"};
  return std::ranges::find(kKnown, tag) != std::end(kKnown);
}

std::vector<std::string> unknown_fields(const std::vector<Field>& fields) {
  std::vector<std::string> values;
  for (const Field& field : fields) {
    if (!is_known(field.tag)) values.push_back(field.tag + ' ' + field.bytes);
  }
  return values;
}

std::string different_version(const std::vector<Field>& now, const std::vector<Field>& then) {
  return fmt::format("made by another version of cudahot (preimage {} was {})", first_of(now, "vers"),
                     first_of(then, "vers"));
}

}  // namespace

std::vector<Difference> differences(const std::vector<Field>& now, const std::vector<Field>& then) {
  std::vector<Difference> found;
  const auto add = [&](bool different, MissReason reason, auto describe) {
    if (different) found.push_back({reason, describe()});
  };
  const auto differ = [&](auto... tags) { return (!same(now, then, tags) || ...); };
  const auto was = [&](std::string_view tag) {
    return fmt::format("{} was {}", first_of(now, tag), first_of(then, tag));
  };
  add(differ("arch"), MissReason::architecture, [&] { return was("arch"); });
  add(differ("tier"), MissReason::tier, [&] { return was("tier"); });
  add(differ("text"), MissReason::text,
      [&] { return first_different_line(first_of(now, "text"), first_of(then, "text")); });
  add(differ("optn"), MissReason::options,
      [&] { return fmt::format("{} were {}", list_of(all_of(now, "optn")), list_of(all_of(then, "optn"))); });
  add(differ("nvrt"), MissReason::toolkit, [&] { return "NVRTC " + was("nvrt"); });
  add(differ("nvjl"), MissReason::toolkit, [&] { return "nvJitLink " + was("nvjl"); });
  add(differ("dhdr", "hnam", "hdig", "drtl"), MissReason::headers, [&] { return different_headers(now, then); });
  add(differ("hlib", "usel"), MissReason::helpers, [&] { return std::string("the helper library"); });
  add(differ("kern", "nexp", "mang"), MissReason::kernels,
      [&] { return fmt::format("{} were {}", list_of(all_of(now, "kern")), list_of(all_of(then, "kern"))); });
  // The segments follow from the text, and the quick tier alone has them.
  add(differ("vers", "kind") || unknown_fields(now) != unknown_fields(then) || (found.empty() && differ("segm")),
      MissReason::version, [&] { return different_version(now, then); });
  return found;
}

std::optional<std::size_t> nearest(const std::vector<Field>& now, const std::vector<std::vector<Field>>& candidates) {
  std::optional<std::size_t> best;
  std::size_t fewest = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t count = differences(now, candidates[i]).size();
    if (best && count >= fewest) continue;
    best = i;
    fewest = count;
  }
  return best;
}

}  // namespace cudahot::cache

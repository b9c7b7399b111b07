#include "cache/difference.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace cudahot::cache {
namespace {

constexpr std::size_t kMostNamed = 8;  // headers in one list
constexpr std::size_t kMostLines = 4;  // of a text
constexpr std::size_t kLongestExcerpt = 60;
constexpr std::size_t kBeforeDifference = 20;  // of a line that is cut
constexpr std::size_t kWindow = 64;            // lines in which two texts have to come together again

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

// A line and its place, as the #line directives before it say. Points into the text.
struct Line {
  std::string_view text;
  std::string_view file;
  long number = 0;
};

std::string place_of(const Line& line) {
  return fmt::format("{}:{}", line.file.empty() ? std::string_view("the text") : line.file, line.number);
}

// Walks over the lines of a text; directives are not given.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  std::optional<Line> next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (!take_directive(line)) return Line{line, file_, number_};
    }
    return std::nullopt;
  }

  // Goes on with another text, behind the place where this one is.
  void go_on_with(std::string_view text) { rest_ = text; }

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
  std::string_view file_;
  long number_ = 0;
};

std::vector<Line> read_lines(LineReader reader, std::string_view text) {
  reader.go_on_with(text);
  std::vector<Line> lines;
  while (const auto line = reader.next()) lines.push_back(*line);
  return lines;
}

// A line that is other, new (no `then`) or gone (no `now`).
struct Change {
  std::optional<Line> now;
  std::optional<Line> then;
};

// How many lines to pass in each text until they have a line in common again.
std::pair<std::size_t, std::size_t> next_in_common(std::span<const Line> now, std::span<const Line> then) {
  for (std::size_t passed = 1; passed <= kWindow; ++passed) {
    for (std::size_t a = 0; a <= passed; ++a) {
      const std::size_t b = passed - a;
      if (a < now.size() && b < then.size() && now[a].text == then[b].text) return {a, b};
    }
  }
  return {now.size(), then.size()};
}

std::vector<Change> changes(std::span<const Line> now, std::span<const Line> then) {
  std::vector<Change> found;
  while (!now.empty() || !then.empty()) {
    if (!now.empty() && !then.empty() && now.front().text == then.front().text) {
      now = now.subspan(1);
      then = then.subspan(1);
      continue;
    }
    const auto [a, b] = next_in_common(now, then);
    for (std::size_t i = 0; i < std::max(a, b); ++i) {
      found.push_back({i < a ? std::optional(now[i]) : std::nullopt, i < b ? std::optional(then[i]) : std::nullopt});
    }
    now = now.subspan(a);
    then = then.subspan(b);
  }
  return found;
}

// What two texts begin with in common, and what they end with behind that, in whole lines.
std::pair<std::size_t, std::size_t> common_ends(std::string_view now, std::string_view then) {
  const auto first = std::ranges::mismatch(now, then).in1;
  const auto begin_of_line = now.substr(0, static_cast<std::size_t>(first - now.begin())).rfind('\n');
  const std::size_t begin = begin_of_line == std::string_view::npos ? 0 : begin_of_line + 1;
  const auto rest = now.substr(begin);
  const auto last =
      std::mismatch(rest.rbegin(), rest.rend(), then.rbegin(), then.rend() - static_cast<long>(begin)).first;
  const auto same = rest.substr(rest.size() - static_cast<std::size_t>(last - rest.rbegin()));
  const auto end_of_line = same.find('\n');
  return {begin, end_of_line == std::string_view::npos ? 0 : same.size() - end_of_line - 1};
}

std::vector<Change> changed_lines(std::string_view now, std::string_view then) {
  const auto [begin, end] = common_ends(now, then);
  // Where the first different line is, the directives before it say.
  LineReader reader(now.substr(0, begin));
  while (reader.next()) {
  }
  return changes(read_lines(reader, now.substr(begin, now.size() - begin - end)),
                 read_lines(reader, then.substr(begin, then.size() - begin - end)));
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string excerpt(std::string_view line, std::size_t begin) {
  while (begin < line.size() && continues_character(line[begin])) ++begin;
  std::size_t end = std::min(line.size(), begin + kLongestExcerpt);
  while (end > begin && end < line.size() && continues_character(line[end])) --end;
  return fmt::format("'{}{}{}'", begin > 0 ? "..." : "", line.substr(begin, end - begin),
                     end < line.size() ? "..." : "");
}

std::string describe(const Change& change) {
  const auto trimmed = [](const Line& line) {
    return line.text.substr(std::min(line.text.find_first_not_of(" \t"), line.text.size()));
  };
  if (!change.then) return fmt::format("{}: {} is new", place_of(*change.now), excerpt(trimmed(*change.now), 0));
  if (!change.now) return fmt::format("{}: {} is gone", place_of(*change.then), excerpt(trimmed(*change.then), 0));
  std::string_view now = trimmed(*change.now);
  std::string_view then = trimmed(*change.then);
  if (now == then) {  // only their indentation differs
    now = change.now->text;
    then = change.then->text;
  }
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(now, then).in1 - now.begin());
  const bool fits = std::max(now.size(), then.size()) <= kLongestExcerpt;
  const std::size_t begin = fits || same < 2 * kBeforeDifference ? 0 : same - kBeforeDifference;
  return fmt::format("{}: {} was {}", place_of(*change.now), excerpt(now, begin), excerpt(then, begin));
}

std::string describe(const std::vector<Change>& changes) {
  if (changes.empty()) return "the places of lines (#line)";
  std::vector<std::string> texts;
  for (const Change& change : std::span(changes).first(std::min(changes.size(), kMostLines))) {
    texts.push_back(describe(change));
  }
  std::string text = fmt::format("{}", fmt::join(texts, "; "));
  if (changes.size() > kMostLines) text += fmt::format("; and {} more", changes.size() - kMostLines);
  return text;
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
  const auto add = [&](bool different, MissReason reason, auto what) {
    if (different) found.push_back({reason, what()});
  };
  const auto differ = [&](auto... tags) { return (!same(now, then, tags) || ...); };
  const auto was = [&](std::string_view tag) {
    return fmt::format("{} was {}", first_of(now, tag), first_of(then, tag));
  };
  add(differ("arch"), MissReason::architecture, [&] { return was("arch"); });
  add(differ("tier"), MissReason::tier, [&] { return was("tier"); });
  if (differ("text")) {
    const auto lines = changed_lines(first_of(now, "text"), first_of(then, "text"));
    found.push_back({MissReason::text, describe(lines), lines.size()});
  }
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
  std::pair<std::size_t, std::size_t> fewest;  // differences, lines
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto found = differences(now, candidates[i]);
    std::pair<std::size_t, std::size_t> count(found.size(), 0);
    for (const Difference& difference : found) count.second += difference.lines;
    if (best && count >= fewest) continue;
    best = i;
    fewest = count;
  }
  return best;
}

}  // namespace cudahot::cache

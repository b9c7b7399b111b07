#include "lib/region/splice.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "lib/region/code_frame.hpp"
#include "lib/region/directive.hpp"
#include "lib/region/outline.hpp"
#include "lib/region/raw_scanner.hpp"
#include "lib/region/statements.hpp"
#include "lib/region/time_macros.hpp"

namespace cudahot::region {
namespace {

struct Edit {
  TextRange range;
  std::string replacement;
};

std::int64_t count_lines(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

// How the line numbers of one source file move: text from `line` on moves by `delta`.
struct LineShift {
  std::uint32_t line = 0;
  std::int64_t delta = 0;
};

std::uint32_t shifted(std::uint32_t line, const std::vector<LineShift>& shifts) {
  std::int64_t moved = line;
  for (const LineShift& shift : shifts) {
    if (line >= shift.line) moved += shift.delta;
  }
  return static_cast<std::uint32_t>(moved);
}

// `#line N "name"` -> range of N and its value, when it speaks of `name`.
struct OwnLine {
  TextRange number;
  std::uint32_t line = 0;
};
std::optional<OwnLine> parse_own_line(std::string_view text, TextRange range, std::string_view name) {
  const std::string_view directive = text.substr(range.begin, range.size());
  constexpr std::string_view kStart = "#line ";
  if (directive.substr(0, kStart.size()) != kStart) return std::nullopt;
  OwnLine found;
  const char* const end = directive.data() + directive.size();
  const auto [after, error] = std::from_chars(directive.data() + kStart.size(), end, found.line);
  if (error != std::errc()) return std::nullopt;
  const std::string_view rest(after, static_cast<std::size_t>(end - after));
  if (rest != fmt::format(" \"{}\"", name)) return std::nullopt;
  found.number = {range.begin + kStart.size(), static_cast<std::size_t>(after - text.data())};
  return found;
}

// Edits of `#line` directives of one file in the parts of the text that are no region body.
void renumber_lines(const Slice& slice, std::string_view name, const std::vector<LineShift>& shifts,
                    std::vector<Edit>& edits) {
  RawScanner scanner(slice.text);
  std::size_t region = 0;
  while (const auto token = scanner.next()) {
    if (token->kind != RawToken::Kind::directive) continue;
    while (region < slice.regions.size() && slice.regions[region].body.end <= token->range.begin) ++region;
    if (region < slice.regions.size() && slice.regions[region].body.begin <= token->range.begin) continue;
    const auto directive = parse_own_line(slice.text, token->range, name);
    if (!directive) continue;
    const std::uint32_t line = shifted(directive->line, shifts);
    if (line != directive->line) edits.push_back({directive->number, std::to_string(line)});
  }
}

// Applies sorted, disjoint edits and moves offsets along with them.
class EditedText {
 public:
  EditedText(std::string_view text, std::vector<Edit> edits) : edits_(std::move(edits)) {
    std::size_t position = 0;
    for (const Edit& edit : edits_) {
      text_.append(text.substr(position, edit.range.begin - position)).append(edit.replacement);
      position = edit.range.end;
    }
    text_.append(text.substr(position));
  }

  std::string take_text() { return std::move(text_); }

  TextRange moved(TextRange range) const {
    return {move(range.begin, [&](const Edit& edit) { return edit.range.begin < range.begin; }),
            move(range.end, [&](const Edit& edit) { return edit.range.end <= range.end; })};
  }
  std::size_t moved(std::size_t offset) const {
    return move(offset, [&](const Edit& edit) { return edit.range.end <= offset; });
  }

 private:
  template <typename Before>
  std::size_t move(std::size_t offset, Before before) const {
    for (const Edit& edit : edits_) {
      if (before(edit)) offset += edit.replacement.size() - edit.range.size();  // wraps below zero and back
    }
    return offset;
  }

  std::vector<Edit> edits_;
  std::string text_;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }

bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

// Whether what the text declares is as it was, but for device functions that nobody outside of the region knows of: the
// extractor's is to say what else a change means, for kernels above all.
bool declares_the_same(const Slice& slice, const Region& region, const std::vector<Outlined>& before,
                       const std::vector<Outlined>& after) {
  const auto is_known = [&](const Outlined& each) {
    const std::string_view text = slice.text;
    return each.function.empty() || mentions(text.substr(0, region.body.begin), each.function) ||
           mentions(text.substr(region.body.end), each.function);
  };
  const auto is_among = [](const Outlined& each, const std::vector<Outlined>& list) {
    return std::ranges::any_of(list, [&](const Outlined& other) { return each.same_text(other); });
  };
  const auto kept = [&](const std::vector<Outlined>& list, const std::vector<Outlined>& other) {
    std::vector<const Outlined*> found;
    for (const Outlined& each : list) {
      if (is_among(each, other) || is_known(each)) found.push_back(&each);
    }
    return found;
  };
  const auto was = kept(before, after);
  const auto is = kept(after, before);
  return std::ranges::equal(was, is, [](const Outlined* a, const Outlined* b) { return a->same_text(*b); });
}

// Whether the new text of a region can be taken without Clang.
bool is_for_splice(const Slice& slice, const Region& region, std::string_view before, std::string_view after) {
  // The extractor's to judge: other files are neither part of the key nor watched from here.
  if (find_file_use(after)) return false;
  // They reach behind the region, where Clang chose the branches of conditionals by them.
  if (macro_changes(before) != macro_changes(after)) return false;
  if (region.kind == Region::Kind::statements) return are_whole_statements(after);
  return declares_the_same(slice, region, outline(before), outline(after));
}

std::vector<std::size_t> regions_of(const Slice& slice, std::uint32_t file) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < slice.regions.size(); ++i) {
    if (slice.regions[i].file == file) indices.push_back(i);
  }
  std::sort(indices.begin(), indices.end(),
            [&](std::size_t a, std::size_t b) { return slice.regions[a].first_line < slice.regions[b].first_line; });
  return indices;
}

bool same_regions(const Slice& slice, const std::vector<std::size_t>& indices, const std::vector<RegionBody>& bodies) {
  return std::equal(indices.begin(), indices.end(), bodies.begin(), bodies.end(),
                    [&](std::size_t index, const RegionBody& body) { return slice.regions[index].name == body.name; });
}

// Where a line of a function region is now; nullopt for others.
std::optional<std::uint32_t> line_in_function_region(const Slice& slice, const std::vector<std::size_t>& indices,
                                                     std::string_view text, const std::vector<RegionBody>& bodies,
                                                     std::uint32_t line) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Region& region = slice.regions[indices[i]];
    const std::string_view before = std::string_view(slice.text).substr(region.body.begin, region.body.size());
    const std::int64_t at = std::int64_t{line} - region.first_line;
    if (region.kind != Region::Kind::functions || at < 0 || at >= count_lines(before)) continue;
    const std::string_view after = text.substr(bodies[i].body.begin, bodies[i].body.size());
    return bodies[i].first_line + moved_line(outline(before), outline(after), static_cast<std::uint32_t>(at));
  }
  return std::nullopt;
}

}  // namespace

base::Digest digest_outside_regions(std::string_view text, const std::vector<RegionBody>& bodies) {
  base::Digester digester;
  std::size_t position = 0;
  for (const RegionBody& body : bodies) {
    digester.add(text.substr(position, body.body.begin - position));
    position = body.body.end;
  }
  digester.add(text.substr(position));
  return digester.finish();
}

Result<SpliceOutcome> splice(const Slice& slice, std::uint32_t file, std::string_view text) {
  if (file >= slice.files.size()) return fail(ErrorCode::internal, fmt::format("the slice has no file {}", file));
  const FileRecord& record = slice.files[file];
  const base::Digest content = base::digest(text);
  if (content == record.content) return SpliceOutcome{};

  auto bodies = find_region_bodies(text, record.path);
  if (!bodies) {
    // They did not pair at the extraction either: some are in text that the preprocessor skips.
    if (record.outside_regions == record.content) return SpliceOutcome{SpliceOutcome::Kind::needs_extraction, {}, {}};
    return fail(std::move(bodies.error()));
  }
  const std::vector<std::size_t> indices = regions_of(slice, file);
  SpliceOutcome outcome{SpliceOutcome::Kind::needs_extraction, {}, {}};
  if (!same_regions(slice, indices, *bodies)) return outcome;
  if (digest_outside_regions(text, *bodies) != record.outside_regions) return outcome;

  std::vector<Edit> edits;
  std::vector<LineShift> shifts;
  std::vector<std::string_view> changed;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Region& region = slice.regions[indices[i]];
    const RegionBody& body = (*bodies)[i];
    const std::string_view before = std::string_view(slice.text).substr(region.body.begin, region.body.size());
    const std::string_view after = text.substr(body.body.begin, body.body.size());
    if (before == after) continue;
    const SourceLocation start = locate(text, body.body.begin, record.path);
    if (auto balanced = check_balance(after, start.file, start.line); !balanced) {
      return fail(std::move(balanced.error()));
    }
    if (!is_for_splice(slice, region, before, after)) {
      return SpliceOutcome{SpliceOutcome::Kind::needs_extraction, {}, {}};
    }
    edits.push_back({region.body, std::string(after)});
    changed.insert(changed.end(), {before, after});
    const std::int64_t lines = count_lines(before);
    if (count_lines(after) != lines) {
      shifts.push_back({region.first_line + static_cast<std::uint32_t>(lines), count_lines(after) - lines});
    }
    outcome.regions.push_back(region.name);
  }
  // What comes behind such a region may be called by other names and numbers than the file's own.
  const bool own_lines = std::ranges::none_of(changed, has_line_directive);
  if (!own_lines || (!shifts.empty() && has_line_directive(text))) {
    return SpliceOutcome{SpliceOutcome::Kind::needs_extraction, {}, {}};
  }
  if (!shifts.empty()) renumber_lines(slice, record.virtual_name, shifts, edits);
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.range.begin < b.range.begin; });

  outcome.kind = SpliceOutcome::Kind::spliced;
  outcome.slice = slice;
  Slice& result = outcome.slice;
  EditedText edited(slice.text, std::move(edits));
  for (Segment& segment : result.segments) {
    segment.range = edited.moved(segment.range);
    segment.declaration_end = edited.moved(segment.declaration_end);
  }
  for (Region& region : result.regions) {
    region.body = edited.moved(region.body);
    // By its begin line: an empty body starts where its own shift does.
    if (region.file == file) region.first_line = shifted(region.first_line - 1, shifts) + 1;
  }
  for (Kernel& kernel : result.kernels) {
    if (kernel.file != file) continue;
    const auto held = line_in_function_region(slice, indices, text, *bodies, kernel.line);
    kernel.line = held ? *held : shifted(kernel.line, shifts);
  }
  result.text = edited.take_text();
  // Its value is that of an extraction.
  if (lacks_time(result.text, result.options)) return SpliceOutcome{SpliceOutcome::Kind::needs_extraction, {}, {}};
  result.files[file].content = content;
  return outcome;
}

}  // namespace cudahot::region

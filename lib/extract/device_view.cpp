#include "lib/extract/device_view.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "lib/extract/code_text.hpp"
#include "lib/extract/std_names.hpp"
#include "lib/region/code_frame.hpp"
#include "lib/region/directive.hpp"

namespace cudahot::extract {
namespace {

using region::TextRange;

// Text to put in, or to put in the place of a range.
struct Splice {
  enum class Kind { include, end_of_region };
  TextRange range;
  Kind kind;
  std::size_t index;  // of the include or region
};

// A stretch of a buffer that stands in the view as it is.
struct Stretch {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t size = 0;
};

class Writer {
 public:
  Writer(const ParsedSource& source, const std::vector<Verdict>& verdicts,
         const std::vector<std::string>& virtual_names, const FileOwners& owners, std::string_view first_lines)
      : source_(source),
        verdicts_(verdicts),
        virtual_names_(virtual_names),
        owners_(owners),
        stretches_(source.buffers.size()),
        written_(source.buffers.size()) {
    view_.text = first_lines;
  }

  DeviceView run() {
    view_.region_bodies.resize(source_.regions.size());
    write_prelude();
    for (std::size_t i = 0; i < source_.recorded.includes.size(); ++i) {
      if (!source_.recorded.includes[i].place) write_include(i);
    }
    write_buffer(0);
    place_units();
    return std::move(view_);
  }

 private:
  const std::string& text_of(BufferIndex buffer) const { return source_.buffers[buffer].text; }

  // For what stands at `offset` of the buffer's text: by `#line` directives of the user's it may be called otherwise.
  void write_line_directive(BufferIndex buffer, std::string_view text, std::size_t offset) {
    const SourceLocation place = region::locate(text, offset, {});
    const std::string& own_name = virtual_names_[source_.buffers[buffer].file];
    view_.text += fmt::format("#line {} \"{}\"\n", place.line, place.file.empty() ? own_name : escaped(place.file));
  }

  // What host headers declare and the text uses.
  void write_prelude() {
    std::set<std::string> headers = source_.std_headers;
    for (const RecordedInclude& include : source_.recorded.includes) {
      // What it declares is there for the next edit, used or not.
      if (include.place && is_std_header(include.name)) headers.insert(include.name);
    }
    // A word of the host's compiler that says nothing about the code behind it.
    const bool says_extension =
        std::any_of(source_.buffers.begin(), source_.buffers.end(),
                    [](const SourceBuffer& buffer) { return buffer.text.find("__extension__") != std::string::npos; });
    if (says_extension) view_.text += "#define __extension__\n";
    bool opaque = false;
    for (UnitIndex unit = 0; unit < source_.units.size(); ++unit) {
      const Unit& each = source_.units[unit];
      opaque = opaque || (each.data_member && verdicts_[unit].dropped && !each.stand_in.empty());
    }
    if (opaque) {
      view_.text += fmt::format(
          "template <unsigned long bytes, unsigned long alignment> struct alignas(alignment) {0} {{ char data[bytes]; "
          "}};\n"
          "template <unsigned long bytes, unsigned long alignment> struct alignas(alignment) {1} {{\n"
          "  __host__ __device__ {1}() {{}}\n  char data[bytes];\n}};\n",
          kOpaquePlain, kOpaque);
    }
    for (const std::string& header : headers) view_.text += fmt::format("#include <{}>\n", header);
    write_device_runtime();
    for (const HostTypedef& alias : source_.host_typedefs) {
      view_.text += fmt::format("typedef {} {};\n", alias.type, alias.name);
    }
    std::set<std::string> used;
    for (const RecordedMacroUse& use : source_.recorded.macro_uses) {
      if (is_live(source_, verdicts_, use.place)) used.insert(use.name);
    }
    std::map<std::string, const HostMacro*> macros;
    for (const HostMacro& macro : source_.host_macros) macros.emplace(macro.name, &macro);
    for (std::vector<std::string> open(used.begin(), used.end()); !open.empty();) {
      const auto macro = macros.find(open.back());
      open.pop_back();
      if (macro == macros.end()) continue;
      view_.text += fmt::format("#ifndef {0}\n{1}\n#endif\n", macro->first, macro->second->definition);
      open.insert(open.end(), macro->second->needs.begin(), macro->second->needs.end());
      macros.erase(macro);
    }
  }

  // What the user's compiler declares by itself.
  void write_device_runtime() {
    for (UnitIndex unit = 0; unit < source_.units.size(); ++unit) {
      if (!verdicts_[unit].dropped)
        view_.device_runtime = std::max(view_.device_runtime, source_.units[unit].device_runtime);
    }
    if (view_.device_runtime == DeviceRuntime::none) return;
    constexpr std::string_view kHeader = "cuda_device_runtime_api.h";
    const auto read = std::find_if(source_.files.begin(), source_.files.end(), [&](const SourceFile& file) {
      return file.owner == FileOwner::toolkit && file.path.ends_with(kHeader);
    });
    if (read == source_.files.end()) return;
    view_.text += fmt::format("#include <{}>\n", kHeader);
    view_.device_headers.push_back(static_cast<FileIndex>(read - source_.files.begin()));
  }

  // The buffer's text, same length, with everything blanked that does not stay.
  std::string blanked(BufferIndex buffer) const {
    const std::string& original = text_of(buffer);
    std::string text = without_comments(original);
    for (UnitIndex unit = 0; unit < source_.units.size(); ++unit) {
      if (source_.units[unit].span.buffer == buffer && verdicts_[unit].dropped) {
        blank_unit(source_.units[unit], verdicts_[unit].declared, text);
      }
    }
    restore_line_directives(original, text);
    for (const Span& skipped : source_.recorded.skipped) {
      if (skipped.buffer != buffer) continue;
      blank(text, {logical_line(original, skipped.range.begin).begin,
                   logical_line(original, closing_directive(buffer, skipped.range)).end});
    }
    for (const RecordedConditional& conditional : source_.recorded.conditionals) {
      if (conditional.place.buffer == buffer) blank(text, logical_line(original, conditional.place.offset));
    }
    for (const RecordedInstance& instance : source_.recorded.instances) {
      if (instance.pragma.buffer == buffer) blank(text, logical_line(original, instance.pragma.offset));
    }
    for (const FoundRegion& region : source_.regions) {
      if (region.body.buffer != buffer) continue;
      blank(text, region.begin_line);
      blank(text, region.end_line);
      const TextRange body = region.body.range;
      text.replace(body.begin, body.size(), original, body.begin, body.size());
    }
    return text;
  }

  // Also in what goes: they name what stays behind it.
  static void restore_line_directives(const std::string& original, std::string& text) {
    for (std::size_t at = 0; at < original.size();) {
      const std::size_t end = std::min(original.find('\n', at), original.size());
      const std::string_view line = std::string_view(original).substr(at, end - at);
      if (region::parse_line_directive(line)) text.replace(at, line.size(), line);
      at = end + 1;
    }
  }

  // Clang tells some ranges to the end of the directive that closes them, and some to the line behind it.
  std::size_t closing_directive(BufferIndex buffer, TextRange skipped) const {
    std::size_t last = skipped.begin;
    for (const RecordedConditional& each : source_.recorded.conditionals) {
      const bool inside = each.place.buffer == buffer && each.place.offset <= skipped.end;
      if (inside) last = std::max(last, each.place.offset);
    }
    return last;
  }

  static void blank_unit(const Unit& unit, bool declared, std::string& text) {
    if (declared) {
      if (!unit.signature_end) return;
      blank(text, {*unit.signature_end, unit.span.range.end});
      text[*unit.signature_end] = ';';
      return;
    }
    const TextRange range = unit.span.range;
    const std::string& stand_in = unit.stand_in;
    const bool fits =
        stand_in.size() <= range.size() && text.substr(range.begin, stand_in.size()).find('\n') == std::string::npos;
    blank(text, range);
    if (!stand_in.empty() && fits) text.replace(range.begin, stand_in.size(), stand_in);
  }

  std::vector<Splice> splices(BufferIndex buffer) const {
    const std::string& text = text_of(buffer);
    std::vector<Splice> list;
    for (std::size_t i = 0; i < source_.recorded.includes.size(); ++i) {
      const auto& place = source_.recorded.includes[i].place;
      if (!place || place->buffer != buffer) continue;
      list.push_back({{place->offset, logical_line(text, place->offset).end}, Splice::Kind::include, i});
    }
    for (std::size_t i = 0; i < source_.regions.size(); ++i) {
      const FoundRegion& region = source_.regions[i];
      if (region.body.buffer != buffer) continue;
      list.push_back({{region.end_line.begin, region.end_line.begin}, Splice::Kind::end_of_region, i});
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const Splice& a, const Splice& b) { return a.range.begin < b.range.begin; });
    return list;
  }

  void write_buffer(BufferIndex buffer) {
    if (written_[buffer]) return;
    written_[buffer] = true;
    const std::string text = blanked(buffer);
    write_line_directive(buffer, text, 0);
    std::size_t position = 0;
    for (const Splice& splice : splices(buffer)) {
      if (splice.range.begin < position) continue;
      copy(buffer, text, {position, splice.range.begin});
      position = splice.range.end;
      write_splice(buffer, text, splice);
    }
    copy(buffer, text, {position, text.size()});
    end_line();
  }

  void write_splice(BufferIndex buffer, const std::string& text, const Splice& splice) {
    switch (splice.kind) {
      case Splice::Kind::include:
        if (!is_live(source_, verdicts_, {buffer, splice.range.begin}) || !write_include(splice.index)) return;
        end_line();
        // What follows is the end of the directive's last line.
        write_line_directive(buffer, text, splice.range.end);
        return;
      case Splice::Kind::end_of_region:
        // The body is what was written last.
        view_.region_bodies[splice.index] = {view_.text.size() - source_.regions[splice.index].body.range.size(),
                                             view_.text.size()};
        write_line_directive(buffer, text, splice.range.begin);
        return;
    }
  }

  // Whether anything was written.
  bool write_include(std::size_t index) {
    const RecordedInclude& include = source_.recorded.includes[index];
    if (include.entered) {
      if (written_[*include.entered]) return false;
      end_line();
      write_buffer(*include.entered);
      return true;
    }
    if (source_.files[include.file].owner != FileOwner::toolkit) return false;
    std::error_code error;
    const auto real = std::filesystem::weakly_canonical(source_.files[include.file].path, error);
    const std::string name = error ? std::string() : owners_.device_include(real.string());
    if (name.empty()) return false;
    end_line();
    view_.text += fmt::format("#include <{}>\n", name);
    view_.device_headers.push_back(include.file);
    return true;
  }

  void end_line() {
    if (!view_.text.empty() && view_.text.back() != '\n') view_.text += '\n';
  }

  bool in_region_body(BufferIndex buffer, std::size_t offset) const {
    return std::any_of(source_.regions.begin(), source_.regions.end(), [&](const FoundRegion& region) {
      return region.body.buffer == buffer && offset >= region.body.range.begin && offset < region.body.range.end;
    });
  }

  // Line by line; white space at line ends is left out, except in regions.
  void copy(BufferIndex buffer, const std::string& text, TextRange range) {
    while (range.begin < range.end) {
      const std::size_t newline = std::min(text.find('\n', range.begin), range.end);
      std::size_t end = newline;
      if (!in_region_body(buffer, range.begin)) {
        while (end > range.begin && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
      }
      const bool whole = newline < range.end;
      stretches_[buffer].push_back({range.begin, view_.text.size(), end - range.begin});
      view_.text.append(text, range.begin, end - range.begin);
      if (whole) view_.text += '\n';
      range.begin = newline + (whole ? 1U : 0U);
    }
  }

  std::size_t moved(BufferIndex buffer, std::size_t offset) const {
    const auto& stretches = stretches_[buffer];
    auto after = std::upper_bound(stretches.begin(), stretches.end(), offset,
                                  [](std::size_t value, const Stretch& each) { return value < each.from; });
    if (after == stretches.begin()) return 0;
    const Stretch& stretch = *std::prev(after);
    return stretch.to + std::min(offset - stretch.from, stretch.size);
  }

  void place_units() {
    for (UnitIndex unit = 0; unit < source_.units.size(); ++unit) {
      const Unit& each = source_.units[unit];
      if (each.parent || verdicts_[unit].dropped || !written_[each.span.buffer]) continue;
      const BufferIndex buffer = each.span.buffer;
      view_.units.push_back({unit,
                             {moved(buffer, each.span.range.begin), moved(buffer, each.span.range.end)},
                             each.body_begin ? std::optional(moved(buffer, *each.body_begin)) : std::nullopt});
    }
    std::sort(view_.units.begin(), view_.units.end(),
              [](const PlacedUnit& a, const PlacedUnit& b) { return a.range.begin < b.range.begin; });
  }

  const ParsedSource& source_;
  const std::vector<Verdict>& verdicts_;
  const std::vector<std::string>& virtual_names_;
  const FileOwners& owners_;
  DeviceView view_;
  std::vector<std::vector<Stretch>> stretches_;  // for each buffer
  std::vector<bool> written_;
};

}  // namespace

DeviceView make_device_view(const ParsedSource& source, const std::vector<Verdict>& verdicts,
                            const std::vector<std::string>& virtual_names, const FileOwners& owners,
                            std::string_view first_lines) {
  return Writer(source, verdicts, virtual_names, owners, first_lines).run();
}

bool is_live(const ParsedSource& source, const std::vector<Verdict>& verdicts, const Place& place) {
  for (UnitIndex unit = 0; unit < source.units.size(); ++unit) {
    const Span& span = source.units[unit].span;
    const bool holds = span.buffer == place.buffer && span.range.begin <= place.offset && place.offset < span.range.end;
    if (holds && verdicts[unit].dropped) return false;
  }
  return true;
}

}  // namespace cudahot::extract

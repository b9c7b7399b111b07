#include "lib/extract/split.hpp"

#include <algorithm>

#include "lib/region/directive.hpp"

namespace cudahot::extract {
namespace {

using region::Segment;
using region::TextRange;
using Part = Unit::Part;

class Parts {
 public:
  Parts(const ParsedSource& source, const std::vector<Verdict>& verdicts, const UnitSet& hot)
      : source_(source), verdicts_(verdicts), parts_(source.units.size()) {
    for (UnitIndex unit = 0; unit < parts_.size(); ++unit) {
      const Unit& each = source_.units[unit];
      // A kernel that stays without a region is launched from the device.
      parts_[unit] = each.kernel || hot.count(unit) != 0 ? Part::kernel : each.part;
    }
    for (const FoundRegion& region : source_.regions) {
      for (const UnitIndex unit : region.units) parts_[unit] = Part::kernel;
      if (region.kind == region::Region::Kind::functions) take_declarations(region);
    }
    spread();
  }

  Part of(UnitIndex unit) const { return parts_[unit]; }

 private:
  // What is only declared in the region goes where its text goes, and its definition with it: what stands between them
  // has no other declaration.
  void take_declarations(const FoundRegion& region) {
    for (UnitIndex unit = 0; unit < parts_.size(); ++unit) {
      const Unit& each = source_.units[unit];
      const bool inside = each.span.buffer == region.body.buffer && each.span.range.begin >= region.body.range.begin &&
                          each.span.range.end <= region.body.range.end;
      if (!inside || parts_[unit] == Part::kernel) continue;
      parts_[unit] = Part::kernel;
      for (const UnitIndex other : each.redeclarations) parts_[top_level(other)] = Part::kernel;
    }
  }

  UnitIndex top_level(UnitIndex unit) const {
    while (source_.units[unit].parent) unit = *source_.units[unit].parent;
    return unit;
  }

  // Defined with the kernels, and not declared anywhere else.
  bool is_kernels_only(UnitIndex unit) const {
    const UnitIndex top = top_level(unit);
    if (parts_[top] != Part::kernel) return false;
    return std::none_of(
        source_.units[unit].redeclarations.begin(), source_.units[unit].redeclarations.end(),
        [&](UnitIndex other) { return !verdicts_[other].dropped && parts_[top_level(other)] != Part::kernel; });
  }

  bool needs_kernels_part(UnitIndex unit) const {
    const auto needed = [&](UnitIndex other) { return top_level(other) != top_level(unit) && is_kernels_only(other); };
    const Unit& each = source_.units[unit];
    if (std::any_of(each.needs.begin(), each.needs.end(), needed)) return true;
    return std::any_of(each.needs_one_of.begin(), each.needs_one_of.end(), [&](const std::vector<UnitIndex>& list) {
      return std::any_of(list.begin(), list.end(), needed);
    });
  }

  // What cannot be compiled without the kernels' part is compiled with it.
  void spread() {
    for (bool changed = true; changed;) {
      changed = false;
      for (UnitIndex unit = 0; unit < parts_.size(); ++unit) {
        const UnitIndex top = top_level(unit);
        if (verdicts_[unit].dropped || parts_[top] == Part::kernel || !needs_kernels_part(unit)) continue;
        parts_[top] = Part::kernel;
        changed = true;
      }
    }
  }

  const ParsedSource& source_;
  const std::vector<Verdict>& verdicts_;
  std::vector<Part> parts_;
};

// Whether code behind a function depends on macros that are defined in it: one half of the quick tier lacks the
// function.
bool splits_macros(std::string_view text, const std::vector<Segment>& segments) {
  return std::any_of(segments.begin(), segments.end(), [&](const Segment& each) {
    return each.kind != Segment::Kind::prefix &&
           !region::macro_changes(text.substr(each.range.begin, each.range.size())).empty();
  });
}

void compile_with_kernels(std::vector<Segment>& segments) {
  for (Segment& each : segments) {
    if (each.kind != Segment::Kind::helper) continue;
    each.kind = Segment::Kind::kernel;
    each.declaration_end = each.range.end;
  }
}

}  // namespace

std::vector<Segment> split(const ParsedSource& source, const std::vector<Verdict>& verdicts, const UnitSet& hot,
                           const DeviceView& view) {
  const Parts parts(source, verdicts, hot);
  std::vector<Segment> pieces;
  // First of those that begin together: the whole region, which an edit may fill with other functions.
  for (std::size_t i = 0; i < source.regions.size(); ++i) {
    const FoundRegion& region = source.regions[i];
    const TextRange body = view.region_bodies[i];
    if (region.kind == region::Region::Kind::functions) {
      pieces.push_back({Segment::Kind::kernel, body, body.end, region.function});
    }
  }
  for (const PlacedUnit& placed : view.units) {
    const Part part = parts.of(placed.unit);
    if (part == Part::everywhere) continue;
    const bool helper = part == Part::helper;
    pieces.push_back({helper ? Segment::Kind::helper : Segment::Kind::kernel, placed.range,
                      helper ? placed.body_begin.value_or(placed.range.end) : placed.range.end,
                      source.units[placed.unit].name});
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Segment& a, const Segment& b) { return a.range.begin < b.range.begin; });
  std::vector<Segment> segments;
  std::size_t position = 0;
  const auto add_prefix = [&](std::size_t end) {
    if (end > position) segments.push_back({Segment::Kind::prefix, {position, end}, end, {}});
  };
  for (Segment& piece : pieces) {
    if (piece.range.begin < position) continue;
    add_prefix(piece.range.begin);
    position = piece.range.end;
    segments.push_back(std::move(piece));
  }
  add_prefix(view.text.size());
  if (splits_macros(view.text, segments)) compile_with_kernels(segments);
  return segments;
}

}  // namespace cudahot::extract

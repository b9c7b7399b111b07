#include "lib/extract/split.hpp"

#include <algorithm>

namespace cudahot::extract {
namespace {

using region::Segment;
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
    for (const FoundRegion& region : source_.regions) parts_[region.unit] = Part::kernel;
    spread();
  }

  Part of(UnitIndex unit) const { return parts_[unit]; }

 private:
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

}  // namespace

std::vector<Segment> split(const ParsedSource& source, const std::vector<Verdict>& verdicts, const UnitSet& hot,
                           const DeviceView& view) {
  const Parts parts(source, verdicts, hot);
  std::vector<Segment> segments;
  std::size_t position = 0;
  const auto add_prefix = [&](std::size_t end) {
    if (end > position) segments.push_back({Segment::Kind::prefix, {position, end}, end, {}});
  };
  for (const PlacedUnit& placed : view.units) {
    const Part part = parts.of(placed.unit);
    if (part == Part::everywhere || placed.range.begin < position) continue;
    add_prefix(placed.range.begin);
    const bool helper = part == Part::helper;
    segments.push_back({helper ? Segment::Kind::helper : Segment::Kind::kernel, placed.range,
                        helper ? placed.body_begin.value_or(placed.range.end) : placed.range.end,
                        source.units[placed.unit].name});
    position = placed.range.end;
  }
  add_prefix(view.text.size());
  return segments;
}

}  // namespace cudahot::extract

#include "lib/runtime/reslice.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace cudahot::runtime {

using Kind = region::SpliceOutcome::Kind;
using Role = region::FileRecord::Role;

Result<region::SpliceOutcome> reslice(const region::Slice& slice, SourceView& view) {
  for (const region::Lookup& lookup : slice.lookups) {
    const auto now = view.lookups().find(lookup.path);
    const bool differs = now != view.lookups().end() && now->second != lookup.found;
    if (differs) return region::SpliceOutcome{Kind::needs_extraction, {}, {}};
  }
  region::SpliceOutcome all{Kind::unchanged, slice, {}};
  for (std::uint32_t i = 0; i < slice.files.size(); ++i) {
    const region::FileRecord& file = slice.files[i];
    const base::Digest* const now = view.digest(file.path);
    if (now == nullptr || *now == file.content) continue;
    const std::string* const text = view.text(file.path);
    const bool may_hold_regions = file.role == Role::main || file.role == Role::user_header;
    if (!may_hold_regions || text == nullptr) return region::SpliceOutcome{Kind::needs_extraction, {}, {}};
    auto one = region::splice(all.slice, i, *text);
    if (!one) return one;
    if (one->kind == Kind::needs_extraction) return one;
    if (one->kind == Kind::unchanged) continue;
    all.kind = Kind::spliced;
    all.slice = std::move(one->slice);
    all.regions.insert(all.regions.end(), one->regions.begin(), one->regions.end());
  }
  return all;
}

std::vector<std::string> changed_regions(const region::Slice& before, const region::Slice& after) {
  const auto text_of = [](const region::Slice& slice, const region::Region& region) {
    return std::string_view(slice.text).substr(region.body.begin, region.body.size());
  };
  std::vector<std::string> names;
  for (const region::Region& region : after.regions) {
    const bool same = std::ranges::any_of(before.regions, [&](const region::Region& other) {
      return other.name == region.name && text_of(before, other) == text_of(after, region);
    });
    if (!same) names.push_back(region.name);
  }
  return names;
}

}  // namespace cudahot::runtime

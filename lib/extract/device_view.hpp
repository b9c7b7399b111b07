// Seventh stage: the text that the device compiler gets. Host-only and unavailable text is
// blanked in place, user headers are inlined, `#line` tells where everything comes from. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/extract/file_owner.hpp"
#include "lib/extract/poison.hpp"
#include "lib/extract/source_model.hpp"

namespace cudahot::extract {

struct PlacedUnit {
  UnitIndex unit = 0;
  region::TextRange range;                // in DeviceView::text
  std::optional<std::size_t> body_begin;  // of Unit::body_begin
};

struct DeviceView {
  std::string text;
  std::vector<PlacedUnit> units;                 // top-level and kept, in order of the text
  std::vector<region::TextRange> region_bodies;  // one for each of ParsedSource::regions
  std::vector<FileIndex> device_headers;         // that the text includes
  DeviceRuntime device_runtime = DeviceRuntime::none;
};

// `virtual_names`: what `#line` says, for each of source.files. `first_lines`: what the text begins with.
DeviceView make_device_view(const ParsedSource& source, const std::vector<Verdict>& verdicts,
                            const std::vector<std::string>& virtual_names, const FileOwners& owners,
                            std::string_view first_lines = {});

// Whether the text at `place` stays.
bool is_live(const ParsedSource& source, const std::vector<Verdict>& verdicts, const Place& place);

}  // namespace cudahot::extract

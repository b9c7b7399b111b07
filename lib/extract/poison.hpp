// Sixth stage: which units the device compiler can have. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/extract/source_model.hpp"

namespace cudahot::extract {

struct Verdict {
  bool dropped = false;
  bool declared = false;             // dropped, but its declaration stays in its class
  std::string reason;                // why, where it is the unit itself
  std::optional<UnitIndex> because;  // or the unit that it needs and that is dropped
};

// Drops host-only units, those that use what is not available, and all that need a dropped one:
// the largest set of units that stays consistent. Kernels not in `hot` go too, unless a unit
// that stays launches them.
std::vector<Verdict> judge_units(const std::vector<Unit>& units, const UnitSet& hot);

// Units from which `target` can be reached, itself included.
UnitSet units_reaching(const std::vector<Unit>& units, UnitIndex target);

// "'shade' uses 'mix', which uses 'lookup', which runs on the host".
std::string explain(const std::vector<Unit>& units, const std::vector<Verdict>& verdicts, UnitIndex unit);

}  // namespace cudahot::extract

#include "lib/extract/poison.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace cudahot::extract {
namespace {

class Judge {
 public:
  Judge(const std::vector<Unit>& units, const UnitSet& hot) : units_(units), hot_(hot), verdicts_(units.size()) {}

  std::vector<Verdict> run() {
    for (UnitIndex unit = 0; unit < units_.size(); ++unit) {
      if (units_[unit].host_only) drop(unit, "runs on the host");
      else if (!units_[unit].unavailable.empty()) drop(unit, units_[unit].unavailable);
    }
    spread();
    drop_cold_kernels();
    spread();
    for (UnitIndex unit = 0; unit < units_.size(); ++unit) {
      verdicts_[unit].declared = verdicts_[unit].dropped && stays_declared(unit);
    }
    return std::move(verdicts_);
  }

 private:
  void drop(UnitIndex unit, std::string reason) { verdicts_[unit] = {true, false, std::move(reason), std::nullopt}; }

  bool is_lost(UnitIndex unit, UnitIndex user) const {
    if (!verdicts_[unit].dropped) return false;
    const Unit& needed = units_[unit];
    const bool live_again = std::any_of(needed.redeclarations.begin(), needed.redeclarations.end(),
                                        [&](UnitIndex other) { return !verdicts_[other].dropped; });
    if (live_again) return false;
    return !(stays_declared(unit) && (units_[user].record || needed.parent == user));
  }

  // A class keeps the declarations of its special members, unless their own types are lost.
  bool stays_declared(UnitIndex unit) const {
    const Unit& special = units_[unit];
    if (!special.special || !special.host_only || !special.parent || special.signature_unavailable) return false;
    return std::none_of(special.signature_needs.begin(), special.signature_needs.end(),
                        [&](UnitIndex needed) { return needed != unit && is_lost(needed, unit); });
  }

  std::optional<UnitIndex> lost_need(UnitIndex unit) const {
    for (const UnitIndex needed : units_[unit].needs) {
      if (is_lost(needed, unit)) return needed;
    }
    for (const auto& candidates : units_[unit].needs_one_of) {
      const bool all_lost =
          std::all_of(candidates.begin(), candidates.end(), [&](UnitIndex each) { return is_lost(each, unit); });
      if (all_lost) return candidates.front();
    }
    return std::nullopt;
  }

  void spread() {
    for (bool changed = true; changed;) {
      changed = false;
      for (UnitIndex unit = 0; unit < units_.size(); ++unit) {
        if (verdicts_[unit].dropped) continue;
        const auto lost = lost_need(unit);
        if (!lost) continue;
        verdicts_[unit] = {true, false, {}, lost};
        changed = true;
      }
    }
  }

  bool is_cold(UnitIndex unit) const { return units_[unit].kernel && hot_.count(unit) == 0; }

  // Kernels that what stays launches, and what those launch in turn.
  UnitSet launched_from_device() const {
    UnitSet launched;
    for (bool changed = true; changed;) {
      const std::size_t before = launched.size();
      for (UnitIndex unit = 0; unit < units_.size(); ++unit) {
        if (verdicts_[unit].dropped || (is_cold(unit) && launched.count(unit) == 0)) continue;
        for (const auto* list : {&units_[unit].needs, &units_[unit].reaches}) {
          std::copy_if(list->begin(), list->end(), std::inserter(launched, launched.end()),
                       [&](UnitIndex used) { return units_[used].kernel; });
        }
      }
      changed = launched.size() != before;
    }
    return launched;
  }

  void drop_cold_kernels() {
    const UnitSet launched = launched_from_device();
    for (UnitIndex unit = 0; unit < units_.size(); ++unit) {
      const bool unused = is_cold(unit) && launched.count(unit) == 0;
      if (unused && !verdicts_[unit].dropped) drop(unit, "is a kernel without a region");
    }
  }

  const std::vector<Unit>& units_;
  const UnitSet& hot_;
  std::vector<Verdict> verdicts_;
};

}  // namespace

std::vector<Verdict> judge_units(const std::vector<Unit>& units, const UnitSet& hot) { return Judge(units, hot).run(); }

UnitSet units_reaching(const std::vector<Unit>& units, UnitIndex target) {
  UnitSet reaching{target};
  const auto any = [&](const std::vector<UnitIndex>& list) {
    return std::any_of(list.begin(), list.end(), [&](UnitIndex each) { return reaching.count(each) != 0; });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (UnitIndex unit = 0; unit < units.size(); ++unit) {
      if (reaching.count(unit) != 0) continue;
      const bool through_candidates =
          std::any_of(units[unit].needs_one_of.begin(), units[unit].needs_one_of.end(), any);
      if (any(units[unit].needs) || any(units[unit].reaches) || through_candidates) {
        reaching.insert(unit);
        changed = true;
      }
    }
  }
  return reaching;
}

std::string explain(const std::vector<Unit>& units, const std::vector<Verdict>& verdicts, UnitIndex unit) {
  std::string text = fmt::format("'{}'", units[unit].name);
  const char* joint = " uses";
  while (verdicts[unit].because) {
    unit = *verdicts[unit].because;
    text += fmt::format("{} '{}'", joint, units[unit].name);
    joint = ", which uses";
  }
  const std::string& reason = verdicts[unit].reason;
  const bool about_unit = reason.rfind("runs ", 0) == 0 || reason.rfind("is ", 0) == 0;
  const bool chained = std::string_view(joint) == ", which uses";
  if (about_unit) return fmt::format("{}{} {}", text, chained ? ", which" : "", reason);
  return fmt::format("{}{} something that the device compiler lacks: {}", text, joint, reason);
}

}  // namespace cudahot::extract

#include "lib/extract/macro_remarks.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "lib/extract/device_view.hpp"
#include "lib/extract/refusals.hpp"
#include "lib/extract/time_values.hpp"

namespace cudahot::extract {
namespace {

const RecordedMacroUse* first_live_use(const ParsedSource& source, const std::vector<Verdict>& verdicts,
                                       std::string_view name) {
  const auto& uses = source.recorded.macro_uses;
  const auto found = std::ranges::find_if(
      uses, [&](const RecordedMacroUse& use) { return use.name == name && is_live(source, verdicts, use.place); });
  return found == uses.end() ? nullptr : &*found;
}

void remark_at(ParsedSource& source, Refusal rule, Severity severity, const Place& place, std::string message) {
  Diagnostic remark = refuse(rule, source.buffers[place.buffer].text, shown_file(source, place.buffer),
                             {place.offset, place.offset + 1}, std::move(message));
  remark.severity = severity;
  source.diagnostics.push_back(std::move(remark));
}

}  // namespace

std::string define_time(ParsedSource& source, const std::vector<Verdict>& verdicts, std::string_view view_text,
                        const std::vector<std::string>& options) {
  const auto named = region::used_time_macros(view_text, options);
  std::set<std::size_t> used(named.begin(), named.end());
  // Also where a name is pasted together.
  for (std::size_t i = 0; i < region::kTimeMacros.size(); ++i) {
    if (first_live_use(source, verdicts, region::kTimeMacros[i].name) != nullptr) used.insert(i);
  }
  if (used.empty()) return {};
  const auto values = time_values(source.files[0].path);
  std::string definitions;
  for (const std::size_t index : used) {
    const region::TimeMacro& macro = region::kTimeMacros[index];
    definitions += region::time_definition(macro, values[index]);
    const RecordedMacroUse* const use = first_live_use(source, verdicts, macro.name);
    if (use == nullptr) continue;
    remark_at(source, Refusal::time_of_extraction, Severity::note, use->place,
              fmt::format("{} is \"{}\" in device code until the file is extracted again", macro.name, values[index]));
  }
  return definitions;
}

void remark_on_counter(ParsedSource& source, const std::vector<Verdict>& verdicts) {
  const RecordedMacroUse* const use = first_live_use(source, verdicts, "__COUNTER__");
  if (use == nullptr) return;
  remark_at(source, Refusal::counter, Severity::warning, use->place,
            "NVRTC does not have __COUNTER__: this compiles for cpu-x86-64 alone");
}

}  // namespace cudahot::extract

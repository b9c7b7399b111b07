// Macros whose values in device code are not what nvcc makes of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/extract/poison.hpp"
#include "lib/extract/source_model.hpp"

namespace cudahot::extract {

// What the device view `view_text` has to begin with for the time macros that it uses (see region/time_macros.hpp);
// empty: nothing. Remarks on the first use of each.
std::string define_time(ParsedSource& source, const std::vector<Verdict>& verdicts, std::string_view view_text,
                        const std::vector<std::string>& options);

void remark_on_counter(ParsedSource& source, const std::vector<Verdict>& verdicts);

}  // namespace cudahot::extract

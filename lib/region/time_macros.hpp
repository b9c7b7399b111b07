// __DATE__, __TIME__ and __TIMESTAMP__: their values are those of the extraction. A slice whose code may use one
// defines a stand-in for it, and the stand-in is compiled: the same text gives the same code whenever that is.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudahot::region {

struct TimeMacro {
  std::string_view name;
  std::string_view stand_in;  // as long, so that columns stay
};

inline constexpr std::array<TimeMacro, 3> kTimeMacros{
    {{"__DATE__", "_ch_DATE"}, {"__TIME__", "_ch_TIME"}, {"__TIMESTAMP__", "_ch_TIMESTAMP"}}};

// Those that code of `text` may come to: by their names, or through macros of the text and of the options `-DNAME=...`.
// Indices into kTimeMacros, in order.
std::vector<std::size_t> used_time_macros(std::string_view text, const std::vector<std::string>& options);

// "#define _ch_DATE VALUE\n"
std::string time_definition(const TimeMacro& macro, std::string_view value);

// Whether the text uses one and has no definition of its stand-in.
bool lacks_time(std::string_view text, const std::vector<std::string>& options);

// The stand-ins in the place of the macros, in code and in directives.
std::string with_time_stand_ins(std::string text);

// For what a compiler says about such a text.
std::string with_time_names(std::string log);

}  // namespace cudahot::region

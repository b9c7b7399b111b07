// The standard library as the device compiler has it: headers that lib/build gives NVRTC in
// memory, and the names of namespace std in them. A test holds this list against them.
#pragma once

#include <span>
#include <string_view>

namespace cudahot::extract {

struct StdName {
  std::string_view name;    // "numeric_limits"
  std::string_view header;  // "limits"
};

// Sorted by header, then name.
std::span<const StdName> std_names();

// The header that declares a qualified name ("std::min", "std::numeric_limits::max": the first
// name after std decides); empty when none does.
std::string_view std_header_of(std::string_view qualified_name);

// Whether `#include <name>` can stay.
bool is_std_header(std::string_view name);

}  // namespace cudahot::extract

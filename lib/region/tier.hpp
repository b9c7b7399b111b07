// Compile tiers: what is traded for speed of compilation.
#pragma once

#include <optional>
#include <string_view>

namespace cudahot::region {

enum class Tier {
  quick,  // kernel text as relocatable CUBIN, linked with the helpers' relocatable CUBIN
  full,   // the whole text: what nvcc would have built
};

inline constexpr std::string_view to_string(Tier tier) { return tier == Tier::quick ? "quick" : "full"; }

inline constexpr std::optional<Tier> parse_tier(std::string_view text) {
  if (text == "quick") return Tier::quick;
  if (text == "full") return Tier::full;
  return std::nullopt;
}

}  // namespace cudahot::region

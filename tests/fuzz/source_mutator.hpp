// Mutations of CUDA sources as texts: some that an editor might leave behind half done, some of the kind that compiles
// to other code, some that tell lexers apart.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace cudahot::fuzz {

using Random = std::mt19937_64;

// One to four mutations, half of the time only within a region. `donors` gives tokens.
std::string mutated(std::string text, std::string_view donors, Random& random);

// The text with a region in the body of each kernel.
std::string with_regions(std::string_view text);

}  // namespace cudahot::fuzz

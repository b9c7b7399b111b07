// What the host compiler is given: a slice's text with its few words changed that have no meaning in C++, and behind
// it the table that the device reads.
#pragma once

#include <string>
#include <vector>

#include "lib/region/slice.hpp"

namespace cudahot::cpu_device {

// Keeps every line of the slice's text, so that messages name the right ones. Needs the prelude before it. The table
// holds every kernel of slice.kernels and every device variable of the text. Functions whose bodies are in `unused`
// trap instead.
std::string host_source(const region::Slice& slice, const std::vector<region::TextRange>& unused);

// The name that the table has for a kernel.
std::string lowered_name(const region::Kernel& kernel);

}  // namespace cudahot::cpu_device

// The prelude: headers that give a slice on the host what the GPU's compiler has built in. As text, by name.
#pragma once

#include <span>
#include <string_view>

#include "lib/base/digest.hpp"

namespace cudahot::cpu_device {

struct PreludeFile {
  std::string_view name;  // as included; below one include folder
  std::string_view text;
};

// Included before a slice: kPreludeHeader. The others are included by it, or by slices under the names that the
// toolkit has for them.
std::span<const PreludeFile> prelude_files();
inline constexpr std::string_view kPreludeHeader = "cudahot_cpu/prelude.h";

// Of all names and texts: part of what decides the bytes of an object.
base::Digest prelude_digest();

}  // namespace cudahot::cpu_device

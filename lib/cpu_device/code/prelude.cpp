#include "lib/cpu_device/code/prelude.hpp"

namespace cudahot::cpu_device {
namespace {

// Defines kFiles; written by embed_prelude.cmake.
#include "embedded_prelude.inc"

}  // namespace

std::span<const PreludeFile> prelude_files() { return kFiles; }

base::Digest prelude_digest() {
  base::Digester digester;
  for (const auto& file : kFiles) {
    digester.add(file.name);
    digester.add(std::string_view("\0", 1));
    digester.add(file.text);
    digester.add(std::string_view("\0", 1));
  }
  return digester.finish();
}

}  // namespace cudahot::cpu_device

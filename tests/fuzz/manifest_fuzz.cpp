// Any bytes given as a manifest: refused, or read into a slice that is written and read the same.
#include "lib/region/manifest.hpp"

#include "tests/fuzz/fuzz_target.hpp"
#include "tests/unit/region/example_slice.hpp"

namespace cudahot::fuzz {

std::vector<std::string> seeds() { return {region::to_manifest(region::example_slice())}; }

}  // namespace cudahot::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cudahot;
  const auto slice = region::from_manifest(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!slice) return 0;
  for (const region::Region& region : slice->regions) {
    fuzz::require(region.body.end <= slice->text.size() && region.file < slice->files.size(), "ranges are inside");
  }
  const auto again = region::from_manifest(region::to_manifest(*slice));
  fuzz::require(again && *again == *slice, "a read manifest is written and read the same");
  return 0;
}

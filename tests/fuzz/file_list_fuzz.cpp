// Any bytes given as a list of files: refused, or read into files and lookups that are written and read the same.
#include "lib/region/file_list.hpp"

#include "tests/fuzz/fuzz_target.hpp"
#include "tests/unit/region/example_slice.hpp"

namespace cudahot::fuzz {

std::vector<std::string> seeds() {
  region::Slice slice = region::example_slice();
  slice.lookups = {{"/src/absent.h", false}, {"/src/found.h", true}};
  return {region::to_file_list(slice), region::to_file_list({})};
}

}  // namespace cudahot::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cudahot;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  region::Slice slice;
  if (!region::read_file_list(bytes, slice)) return 0;
  const std::string written = region::to_file_list(slice);
  fuzz::require(written.size() == bytes.size(), "nothing in a list is left out");
  region::Slice again;
  fuzz::require(region::read_file_list(written, again).has_value() && again == slice,
                "a read list is written and read the same");
  return 0;
}

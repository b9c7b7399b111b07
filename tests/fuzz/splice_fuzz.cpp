// Any text given as the new content of a source file: splicing it must stay inside the text,
// keep what is outside regions, and be undone by splicing the old content.
#include "tests/fuzz/fuzz_target.hpp"

#include "tests/unit/region/example_slice.hpp"

namespace cudahot::fuzz {

std::vector<std::string> seeds() {
  using region::kExampleSource;
  return {std::string(kExampleSource), region::replaced(kExampleSource, "*p = 1;", "if (*p > 0) { *p = 3; } // }\n"),
          region::replaced(kExampleSource, "*p = 2;", "auto s = R\"x(\n)\" )x\"; /* { */ f('\\'');\n#if 0\n#endif\n")};
}

void check_splice(const region::Slice& slice, std::string_view text, const std::vector<region::RegionBody>& bodies) {
  using region::SpliceOutcome;
  const auto outcome = region::splice(slice, 0, text);
  if (!outcome || outcome->kind != SpliceOutcome::Kind::spliced) return;
  for (std::size_t i = 0; i < slice.regions.size(); ++i) {
    const region::TextRange body = outcome->slice.regions[i].body;
    require(
        outcome->slice.text.substr(body.begin, body.size()) == text.substr(bodies[i].body.begin, bodies[i].body.size()),
        "a region of the slice is the region of the file");
  }
  const auto back = region::splice(outcome->slice, 0, region::kExampleSource);
  require(back && back->kind == SpliceOutcome::Kind::spliced && back->slice == slice, "an edit can be undone");
}

region::Slice with_function_regions() {
  region::Slice slice = region::example_slice();
  for (region::Region& region : slice.regions) region.kind = region::Region::Kind::functions;
  return slice;
}

}  // namespace cudahot::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cudahot;
  static const region::Slice statements = region::example_slice();
  static const region::Slice functions = fuzz::with_function_regions();
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const auto bodies = region::find_region_bodies(text, "a.cu");
  if (!bodies) return 0;
  std::size_t position = 0;
  for (const region::RegionBody& body : *bodies) {
    fuzz::require(position <= body.body.begin && body.body.begin <= body.body.end && body.body.end <= text.size(),
                  "bodies are ordered and inside the text");
    position = body.body.end;
  }
  fuzz::check_splice(statements, text, *bodies);
  fuzz::check_splice(functions, text, *bodies);
  return 0;
}

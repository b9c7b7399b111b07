// Any text given as the new content of a source file: splicing it must stay inside the text, keep what is outside
// regions, keep segments and lines right, and be undone by splicing the old content.
#include <algorithm>

#include "lib/region/text_map.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/slice_properties.hpp"
#include "tests/unit/region/example_slice.hpp"

namespace cudahot::fuzz {

constexpr std::string_view kFunctions =
    "#pragma cudahot begin(one)\n"                               // 1
    "__device__ float h(float x) { return x; }\n"                // 2
    "__global__ void f(float* p) { *p = h(1); }\n"               // 3
    "#pragma cudahot end\n"                                      // 4
    "__device__ int between;\n"                                  // 5
    "#pragma cudahot begin(two)\n"                               // 6
    "template <typename T>\n"                                    // 7
    "__global__ void __launch_bounds__(32) g(T* p) { ++*p; }\n"  // 8
    "#pragma cudahot end\n";                                     // 9

std::vector<std::string> seeds() {
  using region::kExampleSource;
  return {
      std::string(kExampleSource), region::replaced(kExampleSource, "*p = 1;", "if (*p > 0) { *p = 3; } // }\n"),
      std::string(kFunctions),
      region::replaced(kFunctions, "__device__ float h", "__device__ float i() { return 1; }\n\n__device__ float h"),
      region::replaced(kExampleSource, "*p = 2;", "auto s = R\"x(\n)\" )x\"; /* { */ f('\\'');\n#if 0\n#endif\n")};
}

std::string_view line_of(std::string_view text, std::uint32_t line) {
  for (; line > 1; --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

// Of a kernel in a function region the line is only followed where no other function shares it.
bool follows_kernels(const region::Slice& slice) { return slice.regions[0].kind == region::Region::Kind::statements; }

// The places that messages name.
void check_places(const region::Slice& slice, std::string_view text, const std::vector<region::RegionBody>& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const region::TextRange body = slice.regions[i].body;
    const SourceLocation begin{slice.files[0].path, bodies[i].first_line, 1};
    require(slice.regions[i].first_line == begin.line && region::location_at(slice, body.begin) == begin,
            "a region's first line is that of the file");
    const std::string_view in_file = text.substr(bodies[i].body.begin, bodies[i].body.size());
    const auto lines = static_cast<std::uint32_t>(std::ranges::count(in_file, '\n'));
    const SourceLocation end = region::location_at(slice, slice.text.find('\n', body.end) + 1);
    require(end == SourceLocation{slice.files[0].path, begin.line + lines, 1},
            "the line behind a region is that of the file");
  }
  if (!follows_kernels(slice)) return;
  for (const region::Kernel& kernel : slice.kernels) {
    require(line_of(text, kernel.line).find(kernel.name) != std::string_view::npos,
            "a kernel's line is that of the file");
  }
}

void check_splice(const region::Slice& slice, std::string_view original, std::string_view text,
                  const std::vector<region::RegionBody>& bodies) {
  using region::SpliceOutcome;
  const auto outcome = region::splice(slice, 0, text);
  if (!outcome || outcome->kind != SpliceOutcome::Kind::spliced) return;
  const region::Slice& spliced = outcome->slice;
  for (std::size_t i = 0; i < slice.regions.size(); ++i) {
    const region::TextRange body = spliced.regions[i].body;
    require(spliced.text.substr(body.begin, body.size()) == text.substr(bodies[i].body.begin, bodies[i].body.size()),
            "a region of the slice is the region of the file");
  }
  require_consistent(spliced);
  check_places(spliced, text, bodies);
  const auto again = region::splice(spliced, 0, text);
  require(again && again->kind == SpliceOutcome::Kind::unchanged, "what was spliced is up to date");
  auto back = region::splice(spliced, 0, original);
  if (back && !follows_kernels(slice)) {
    // An edit of one region may use what an edit of another declares: Clang's to judge.
    if (back->kind == SpliceOutcome::Kind::needs_extraction) return;
    back->slice.kernels = slice.kernels;
  }
  require(back && back->kind == SpliceOutcome::Kind::spliced && back->slice == slice, "an edit can be undone");
}

region::Slice slice_of_functions() {
  region::Slice slice = region::example_slice();
  slice.text =
      "#line 1 \"0/a.cu\"\n//\n"
      "__device__ float h(float x) { return x; }\n__global__ void f(float* p) { *p = h(1); }\n"
      "#line 4 \"0/a.cu\"\n//\n__device__ int between;\n//\n"
      "template <typename T>\n__global__ void __launch_bounds__(32) g(T* p) { ++*p; }\n"
      "#line 9 \"0/a.cu\"\n//\n";
  slice.segments = {{region::Segment::Kind::kernel, {0, slice.text.size()}, slice.text.size(), "f"}};
  const auto bodies = region::find_region_bodies(kFunctions, "a.cu");
  for (std::size_t i = 0; i < slice.regions.size(); ++i) {
    region::Region& each = slice.regions[i];
    const region::TextRange body = (*bodies)[i].body;
    each.kind = region::Region::Kind::functions;
    each.first_line = (*bodies)[i].first_line;
    each.body = region::range_of(slice.text, kFunctions.substr(body.begin, body.size()));
  }
  slice.kernels[0].line = 3;
  slice.kernels[1].line = 8;
  slice.files[0].content = base::digest(kFunctions);
  slice.files[0].outside_regions = region::digest_outside_regions(kFunctions, *bodies);
  return slice;
}

}  // namespace cudahot::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cudahot;
  static const region::Slice statements = region::example_slice();
  static const region::Slice functions = fuzz::slice_of_functions();
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const auto bodies = region::find_region_bodies(text, "a.cu");
  if (!bodies) return 0;
  std::size_t position = 0;
  for (const region::RegionBody& body : *bodies) {
    fuzz::require(position <= body.body.begin && body.body.begin <= body.body.end && body.body.end <= text.size(),
                  "bodies are ordered and inside the text");
    position = body.body.end;
  }
  fuzz::check_splice(statements, region::kExampleSource, text, *bodies);
  fuzz::check_splice(functions, fuzz::kFunctions, text, *bodies);
  return 0;
}

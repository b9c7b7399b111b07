// Workbench: a source file in a temporary folder, a compiler that needs none, and an Engine over
// the fake driver. A "CUBIN" is the slice's text.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/files.hpp"
#include "lib/runtime/engine.hpp"
#include "tests/support/bundled_slices.hpp"
#include "tests/support/event_log.hpp"
#include "tests/unit/runtime/fake_driver.hpp"

namespace cudahot::runtime::testing {

// Lines:                                  1
inline constexpr std::string_view kSource =
    "__global__ void Shade(float* out, unsigned width, float time) {\n"
    "#pragma cudahot begin(shade)\n"
    "  out[0] = time;\n"
    "#pragma cudahot end\n"
    "}\n";

std::string replaced(std::string text, std::string_view what, std::string_view with);

// The slice of a source with one kernel `Shade(float*, unsigned, float)`: the text as it is. A
// line `#include "NAME"` makes NAME, in the folder of the source, a user header of the slice. `void Other(` in the text
// makes a second kernel.
region::Slice slice_of(const std::string& path, const std::string& text);

Diagnostic diagnostic_at(const std::string& file, std::uint32_t line, std::uint32_t column, const std::string& text);

// What tests change about the compiler.
struct FakeCompiler {
  std::mutex mutex;
  std::set<base::Digest> known;  // keys
  std::size_t compiles = 0;
  std::size_t extractions = 0;
  std::vector<std::string> looked_for;                     // by extractions
  std::function<void()> on_build;                          // before a build
  std::function<void(cache::Artifact& artifact)> adjust;   // after a build
  std::function<void(region::Slice& slice)> adjust_slice;  // after an extraction

  Result<build::BuiltCubin> find_or_build(const region::Slice& slice, const region::SmArch& arch, region::Tier tier);
  ExtractOutcome extract(const region::Slice& slice);
};

using test_support::EventLog;

class Workbench : public ::testing::Test {
 protected:
  Workbench();
  void TearDown() override;

  std::string path(const std::string& name = "shade.cu") const { return (folder_.path() / name).string(); }
  void write(std::string_view text, const std::string& name = "shade.cu");
  // Makes the engine over the source as it is now, unless told that the bundle has another text.
  Engine& start(Mode mode, std::optional<std::string> bundle_text = std::nullopt, RetirementLimits limits = {});
  Result<std::shared_ptr<detail::Slot>> bind(const std::string& kernel = "Shade");
  std::shared_ptr<detail::Slot> bound();
  Status launch(detail::Slot& slot, unsigned threads = 128);
  // Text of the code that the next launch runs.
  std::string running(detail::Slot& slot);
  std::string edited(std::string_view body) const { return replaced(std::string(kSource), "out[0] = time;", body); }

  base::TemporaryFolder folder_;
  FakeDriver driver_;
  FakeCompiler compiler_;
  std::vector<test_support::BundledSlice> more_slices_;  // of the bundles, beside the source's
  std::vector<region::Lookup> more_lookups_;             // of the source's slice in the bundle
  bool code_is_shipped_ = false;                         // the bundle has the source's code
  bool slice_is_damaged_ = false;                        // the source's, in the bundle
  std::atomic<int> slices_read_ = 0;
  EventLog log_;
  std::mutex text_mutex_;
  std::vector<std::string> text_;  // log lines
  std::unique_ptr<Engine> engine_;
};

inline const std::vector<detail::ParameterLayout> kShadeLayout = {{8, 8}, {4, 4}, {4, 4}};

}  // namespace cudahot::runtime::testing

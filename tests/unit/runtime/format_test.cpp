#include <gmock/gmock.h>

#include "cudahot/cudahot.hpp"
#include "tests/unit/runtime/workbench.hpp"

namespace cudahot {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

ReloadEvent live() {
  ReloadEvent event;
  event.kernel = "UpdateSurface";
  event.generation = 7;
  event.regions = {"shade"};
  event.timings.compile = 38.2;
  event.timings.link = 0.42;
  event.timings.load = 0.1;
  event.timings.total = 41.3;
  return event;
}

TEST(Format, SaysOfALiveGenerationWhereItsTimeWent) {
  EXPECT_EQ(to_string(live()),
            "cudahot: UpdateSurface generation 7 live in 41 ms (compile 38, link 0.4, load 0.1; region shade)");
}

TEST(Format, SaysOfAHitThatNothingWasCompiled) {
  ReloadEvent event = live();
  event.cached = true;
  event.timings = {};
  event.timings.load = 0.12;
  event.timings.total = 1.55;
  event.regions = {"shade", "tone"};
  EXPECT_EQ(to_string(event),
            "cudahot: UpdateSurface generation 7 live in 1.6 ms (cached; load 0.1; regions shade, tone)");
}

TEST(Format, PutsDiagnosticsBehindAFailure) {
  ReloadEvent event = live();
  event.kind = ReloadEvent::Kind::failed;
  event.error.message = "the code does not compile";
  event.error.diagnostics.push_back(runtime::testing::diagnostic_at("shade.cu", 12, 3, "expected a \";\""));
  event.error.diagnostics.back().frame = "  pixel = 1\n            ^\n";
  const std::string text = to_string(event);
  EXPECT_THAT(text,
              StartsWith("cudahot: UpdateSurface stays at generation 7 (region shade): the code does not compile\n"
                         "shade.cu:12:3: error: expected a \";\""));
  EXPECT_THAT(text, HasSubstr("pixel = 1\n"));
}

TEST(Format, PutsThePlaceOfAFailureBeforeItsMessage) {
  ReloadEvent event = live();
  event.kind = ReloadEvent::Kind::failed;
  event.regions.clear();
  event.error.message = "does not fit";
  event.error.location = {"shade.cu", 4, 0};
  EXPECT_EQ(to_string(event), "cudahot: UpdateSurface stays at generation 7: shade.cu:4: does not fit");
}

TEST(Format, SaysThatWhatRunsIsWhatTheSourceSays) {
  ReloadEvent event = live();
  event.kind = ReloadEvent::Kind::restored;
  EXPECT_THAT(to_string(event), StartsWith("cudahot: UpdateSurface generation 7 goes on"));
}

}  // namespace
}  // namespace cudahot

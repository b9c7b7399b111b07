#include "tools/cudahot-cache/filter.hpp"

#include <gmock/gmock.h>

namespace cudahot::tool {
namespace {

using cache::EntrySummary;

constexpr std::int64_t kNow = 1'000'000;

EntrySummary entry() {
  EntrySummary summary;
  summary.arch = {90};
  summary.tier = region::Tier::quick;
  summary.name = "scene::shade";
  summary.regions = "blur, edge";
  summary.source = "/src/shade.cu";
  summary.created_unix = kNow - 3600;
  summary.last_used_unix = kNow - 60;
  return summary;
}

bool matches(const FilterOptions& options, const EntrySummary& summary = entry()) {
  return tool::matches(make_filter(options, {summary}, kNow).value(), summary);
}

TEST(Filter, TakesEveryEntryWithoutOptions) {
  EXPECT_TRUE(FilterOptions{}.empty());
  EXPECT_TRUE(matches({}));
}

TEST(Filter, TakesWhatHasAllThatIsAskedFor) {
  EXPECT_TRUE(matches({.architectures = {"80", "90"},
                       .name = "shade",
                       .region = "edge",
                       .source = "shade.cu",
                       .tier = "quick",
                       .kind = "kernel"}));
  EXPECT_FALSE(matches({.architectures = {"80,90a"}}));
  EXPECT_FALSE(matches({.name = "Shade"}));
  EXPECT_FALSE(matches({.region = "edg"}));
  EXPECT_FALSE(matches({.source = "other.cu"}));
  EXPECT_FALSE(matches({.tier = "full"}));
  EXPECT_FALSE(matches({.kind = "library"}));
}

TEST(Filter, TierIsOfKernels) {
  EntrySummary library = entry();
  library.kind = cache::ArtifactKind::library_cubin;
  EXPECT_FALSE(matches({.tier = "quick"}, library));
  EXPECT_TRUE(matches({.kind = "library"}, library));
}

TEST(Filter, AgeIsThatOfTheEntryAndUnusedThatOfItsLastUse) {
  EXPECT_TRUE(matches({.newer = "2h"}));
  EXPECT_FALSE(matches({.newer = "30min"}));
  EXPECT_TRUE(matches({.older = "30min"}));
  EXPECT_FALSE(matches({.older = "2h"}));
  EXPECT_TRUE(matches({.unused = "60s"}));
  EXPECT_FALSE(matches({.unused = "2min"}));
}

TEST(Filter, RefusesWhatItCannotRead) {
  EXPECT_EQ(make_filter({.architectures = {"sm_x"}}, {}, kNow).error().code, ErrorCode::usage);
  EXPECT_EQ(make_filter({.newer = "soon"}, {}, kNow).error().code, ErrorCode::usage);
}

}  // namespace
}  // namespace cudahot::tool

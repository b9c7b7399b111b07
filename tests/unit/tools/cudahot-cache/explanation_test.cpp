#include "tools/cudahot-cache/explanation.hpp"

#include <gmock/gmock.h>

namespace cudahot::tool {
namespace {

using cache::Difference;
using cache::MissReason;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

cache::CacheKey key(const std::string& text) {
  cache::Preimage preimage;
  preimage.add("text", text);
  return cache::make_key(preimage);
}

cache::Store::Entry entry(const std::string& text, std::int64_t created, region::SmArch arch = {90}) {
  cache::Store::Entry made;
  made.summary.key = key(text).digest;
  made.summary.arch = arch;
  made.summary.name = "shade";
  made.summary.created_unix = created;
  made.preimage = cache::parse_preimage(key(text).preimage).value();
  return made;
}

cache::Miss miss(const std::string& text, std::int64_t when) {
  return {"/src/shade.cu", {90}, region::Tier::full, key(text), MissReason::text, when};
}

TEST(ExplainHistory, ComparesWithWhatWasThereWhenTheLookupMissed) {
  const SourceHistory history{
      "/src/shade.cu", {miss("b\n", 20)}, {entry("c\n", 30), entry("b\n", 20), entry("a\n", 10)}};
  const auto explanations = explain_history(history);
  ASSERT_THAT(explanations, SizeIs(1));
  EXPECT_EQ(explanations[0].nearest, &history.entries[2]);
  EXPECT_THAT(explanations[0].differences, ElementsAre(Field(&Difference::what, "the text:1: 'b' was 'a'")));
  EXPECT_TRUE(explanations[0].stored_since);
  EXPECT_THAT(explanations[0].present, SizeIs(3));
}

TEST(ExplainHistory, OrderOfInsertionTellsWhatWasThereWithinOneSecond) {
  const SourceHistory history{
      "/src/shade.cu", {miss("b\n", 20)}, {entry("c\n", 20), entry("b\n", 20), entry("a\n", 20)}};
  EXPECT_EQ(explain_history(history)[0].nearest, &history.entries[2]);
}

TEST(ExplainHistory, TheSameFileIsNearerThanACopyOfIt) {
  SourceHistory history{"/src/shade.cu", {miss("b\n", 20)}, {entry("c\n", 11), entry("a\n", 10)}};
  history.entries[0].summary.source = "/copy/shade.cu";
  history.entries[1].summary.source = "/src/shade.cu";
  EXPECT_EQ(explain_history(history)[0].nearest, &history.entries[1]);
}

TEST(ExplainHistory, HitsOfAnotherKeyAreNotThoseOfWhatWasMissed) {
  SourceHistory history{"/src/shade.cu", {miss("b\n", 20)}, {entry("b\n", 20), entry("a\n", 10)}};
  history.entries[1].summary.last_used_unix = 30;
  EXPECT_FALSE(explain_history(history)[0].hit_since);
  history.entries[0].summary.last_used_unix = 20;  // in the second in which it was made
  EXPECT_TRUE(explain_history(history)[0].hit_since);
}

TEST(ExplainHistory, FirstMissHasNothingNear) {
  const SourceHistory history{"/src/shade.cu", {miss("a\n", 10)}, {}};
  const auto explanations = explain_history(history);
  ASSERT_THAT(explanations, SizeIs(1));
  EXPECT_EQ(explanations[0].nearest, nullptr);
  EXPECT_FALSE(explanations[0].stored_since);
}

TEST(ExplainHistory, ArchitecturesAndTiersStandApart) {
  SourceHistory history{"/src/shade.cu", {miss("a\n", 10)}, {entry("a\n", 10), entry("a2\n", 10, {80})}};
  history.entries[0].summary.last_used_unix = 15;
  const auto explanations = explain_history(history);
  ASSERT_THAT(explanations, SizeIs(2));
  EXPECT_EQ(explanations[0].arch, region::SmArch{80});
  EXPECT_FALSE(explanations[0].miss);
  EXPECT_TRUE(explanations[1].miss);
  EXPECT_TRUE(explanations[1].hit_since);
}

}  // namespace
}  // namespace cudahot::tool

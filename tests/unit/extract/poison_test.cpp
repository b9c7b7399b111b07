#include "lib/extract/poison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudahot::extract {
namespace {

using testing::ElementsAre;

Unit unit(std::string name, std::vector<UnitIndex> needs = {}) {
  Unit made;
  made.name = std::move(name);
  made.needs = std::move(needs);
  return made;
}

std::vector<std::string> kept(const std::vector<Unit>& units, const UnitSet& hot = {}) {
  const std::vector<Verdict> verdicts = judge_units(units, hot);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!verdicts[i].dropped) names.push_back(units[i].name);
  }
  return names;
}

TEST(Poison, SpreadsToAllThatNeedADroppedUnit) {
  std::vector<Unit> units{unit("free"), unit("host"), unit("user", {1}), unit("user of user", {2, 0})};
  units[1].host_only = true;
  EXPECT_THAT(kept(units), ElementsAre("free"));
}

TEST(Poison, DoesNotSpreadToWhatIsNeeded) {
  std::vector<Unit> units{unit("used by host"), unit("host", {0})};
  units[1].host_only = true;
  EXPECT_THAT(kept(units), ElementsAre("used by host"));
}

TEST(Poison, OneCandidateOfAnOverloadSetIsEnough) {
  std::vector<Unit> units{unit("host f"), unit("device f"), unit("template"), unit("lost template")};
  units[0].host_only = true;
  units[2].needs_one_of = {{0, 1}};
  units[3].needs_one_of = {{0}};
  EXPECT_THAT(kept(units), ElementsAre("device f", "template"));
}

TEST(Poison, AnotherDeclarationOfAFunctionIsEnough) {
  std::vector<Unit> units{unit("declaration"), unit("definition"), unit("user", {0, 1})};
  units[1].unavailable = "uses a host type";
  units[0].redeclarations = {1};
  units[1].redeclarations = {0};
  EXPECT_THAT(kept(units), ElementsAre("declaration", "user"));
}

TEST(Poison, KernelsThatALaunchedOneLaunchesStay) {
  std::vector<Unit> units{unit("third"), unit("second", {0}), unit("hot", {1}), unit("cold", {4}),
                          unit("of cold", {3})};
  for (Unit& each : units) each.kernel = true;
  EXPECT_THAT(kept(units, {2}), ElementsAre("third", "second", "hot"));
}

TEST(Poison, ColdKernelsGoUnlessTheyAreLaunchedFromTheDevice) {
  std::vector<Unit> units{unit("cold"), unit("launched"), unit("hot", {1}), unit("instance of cold")};
  units[3].needs_one_of = {{0}};
  for (UnitIndex i : {0u, 1u, 2u}) units[i].kernel = true;
  EXPECT_THAT(kept(units, {2}), ElementsAre("launched", "hot"));
}

TEST(Poison, IsExplainedFromUnitToCause) {
  std::vector<Unit> units{unit("host"), unit("middle", {0}), unit("top", {1}), unit("vector user")};
  units[0].host_only = true;
  units[3].unavailable = "'std::vector' comes from the host header <vector>";
  const std::vector<Verdict> verdicts = judge_units(units, {});
  EXPECT_EQ(explain(units, verdicts, 2), "'top' uses 'middle', which uses 'host', which runs on the host");
  EXPECT_EQ(explain(units, verdicts, 3),
            "'vector user' uses something that the device compiler lacks: 'std::vector' comes from the host header "
            "<vector>");
}

TEST(Reach, GoesThroughInstances) {
  std::vector<Unit> units{unit("target"), unit("template"), unit("kernel", {1}), unit("other")};
  units[1].reaches = {0};
  EXPECT_THAT(units_reaching(units, 0), ElementsAre(0u, 1u, 2u));
}

}  // namespace
}  // namespace cudahot::extract

#include "lib/region/sm_arch.hpp"

#include <gmock/gmock.h>

namespace cudahot::region {
namespace {

using Suffix = SmArch::Suffix;

TEST(SmArch, AcceptsEverySpellingOfOneArchitecture) {
  for (const char* text : {"sm_90a", "compute_90a", "90a", "9.0a"}) {
    const auto arch = parse_sm_arch(text);
    ASSERT_TRUE(arch) << text;
    EXPECT_EQ(*arch, (SmArch{90, Suffix::architecture})) << text;
  }
  EXPECT_EQ(*parse_sm_arch("120f"), (SmArch{120, Suffix::family}));
  EXPECT_EQ(*parse_sm_arch("12.1"), (SmArch{121, Suffix::none}));
}

TEST(SmArch, RefusesWhatIsNoArchitectureAndQuotesIt) {
  for (const char* text : {"", "sm_", "sm_9", "sm_90b", "sm_90aa", "90 ", "9.10", "hopper", "-90", "sm_1000"}) {
    const auto arch = parse_sm_arch(text);
    ASSERT_FALSE(arch) << text;
    EXPECT_EQ(arch.error().code, ErrorCode::usage);
    EXPECT_THAT(arch.error().message, testing::HasSubstr(std::string("'") + text + "'"));
  }
}

TEST(SmArch, ReadsListsInOrderWithoutDuplicates) {
  const auto list = parse_sm_arch_list("90a;80,sm_80,,75");
  ASSERT_TRUE(list);
  EXPECT_THAT(*list, testing::ElementsAre(SmArch{90, Suffix::architecture}, SmArch{80, Suffix::none},
                                          SmArch{75, Suffix::none}));
  EXPECT_FALSE(parse_sm_arch_list(",;"));
  EXPECT_FALSE(parse_sm_arch_list("80,x"));
}

TEST(SmArch, RunsWithinOneMajorVersionAndNeverOnAnOlderMinor) {
  EXPECT_TRUE(runs_on({80}, {86}));
  EXPECT_FALSE(runs_on({86}, {80}));
  EXPECT_FALSE(runs_on({75}, {80}));
  EXPECT_FALSE(runs_on({90}, {100}));
  EXPECT_TRUE(runs_on({90, Suffix::architecture}, {90}));
  EXPECT_FALSE(runs_on({120, Suffix::architecture}, {121}));
  EXPECT_TRUE(runs_on({120, Suffix::family}, {121}));
}

TEST(SmArch, NamesTheCpuDeviceBesideGpus) {
  const auto list = parse_sm_arch_list("cpu-x86-64,90,cpu-x86-64");
  ASSERT_TRUE(list);
  EXPECT_THAT(*list, testing::ElementsAre(kCpuX86_64, SmArch{90}));
  EXPECT_EQ(to_string(kCpuX86_64), "cpu-x86-64");
  for (const char* text : {"cpu", "cpu-x86", "sm_cpu-x86-64", "cpu-x86-64a"}) EXPECT_FALSE(parse_sm_arch(text)) << text;
}

TEST(SmArch, CodeForTheCpuDeviceRunsThereOnlyAndNothingElseDoes) {
  EXPECT_TRUE(runs_on(kCpuX86_64, kCpuX86_64));
  EXPECT_FALSE(runs_on(kCpuX86_64, {90}));
  EXPECT_FALSE(runs_on({90}, kCpuX86_64));
  const std::vector<SmArch> available{{90}, kCpuX86_64, {120}};
  EXPECT_EQ(*best_for(kCpuX86_64, available), kCpuX86_64);
  EXPECT_EQ(*best_for({90}, available), (SmArch{90}));
  EXPECT_EQ(best_for(kCpuX86_64, {{90}}), nullptr);
  EXPECT_EQ(best_for({80}, {kCpuX86_64}), nullptr);
}

TEST(SmArch, PrefersSpecificThenNewestCodeForADevice) {
  const std::vector<SmArch> available{{80}, {86}, {90}, {90, Suffix::architecture}};
  EXPECT_EQ(*best_for({90}, available), (SmArch{90, Suffix::architecture}));
  EXPECT_EQ(*best_for({89}, available), (SmArch{86}));
  EXPECT_EQ(*best_for({80}, available), (SmArch{80}));
  EXPECT_EQ(best_for({75}, available), nullptr);
}

}  // namespace
}  // namespace cudahot::region

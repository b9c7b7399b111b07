#include "lib/runtime/settings.hpp"

#include <map>

#include <gmock/gmock.h>

namespace cudahot::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Environment environment_of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

TEST(Settings, AreAutomaticAndFullByDefault) {
  const auto settings = resolve_settings({}, environment_of({}));
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->engine.mode, Mode::automatic);
  EXPECT_EQ(settings->engine.tier, region::Tier::full);
  EXPECT_FALSE(settings->engine.poll);
  EXPECT_EQ(settings->device, Device::gpu);
}

TEST(Settings, ComeFromTheEnvironment) {
  const auto settings = resolve_settings(
      {}, environment_of({{"CUDAHOT_MODE", "manual"}, {"CUDAHOT_TIER", "quick"}, {"CUDAHOT_POLL", "250"}}));
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->engine.mode, Mode::manual);
  EXPECT_EQ(settings->engine.tier, region::Tier::quick);
  EXPECT_EQ(settings->engine.poll, std::chrono::milliseconds(250));
}

TEST(Settings, TakeTheCpuDeviceOnlyWhenAskedTo) {
  const auto from_environment = resolve_settings({}, environment_of({{"CUDAHOT_DEVICE", "cpu"}}));
  ASSERT_TRUE(from_environment);
  EXPECT_EQ(from_environment->device, Device::cpu);
  RuntimeOptions options;
  options.device = Device::gpu;
  const auto from_program = resolve_settings(options, environment_of({{"CUDAHOT_DEVICE", "cpu"}}));
  ASSERT_TRUE(from_program);
  EXPECT_EQ(from_program->device, Device::gpu);
}

TEST(Settings, LetTheProgramsOptionsWin) {
  RuntimeOptions options;
  options.mode = Mode::off;
  const auto settings = resolve_settings(options, environment_of({{"CUDAHOT_MODE", "manual"}}));
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->engine.mode, Mode::off);
}

TEST(Settings, LookAtTheBundlesOfTheEnvironmentFirst) {
  RuntimeOptions options;
  options.bundles = {"own.cudahot"};
  const auto settings = resolve_settings(options, environment_of({{"CUDAHOT_BUNDLE", "a.cudahot::b c.cudahot"}}));
  ASSERT_TRUE(settings);
  EXPECT_THAT(settings->bundles, ElementsAre("a.cudahot", "b c.cudahot", "own.cudahot"));
}

TEST(Settings, RefuseWhatTheyDoNotKnowAndSayWhatIsAccepted) {
  for (const auto& [name, value, accepted] :
       std::vector<std::array<std::string, 3>>{{"CUDAHOT_MODE", "on", "auto, manual, off"},
                                               {"CUDAHOT_TIER", "fast", "quick, full"},
                                               {"CUDAHOT_DEVICE", "tpu", "gpu, cpu"},
                                               {"CUDAHOT_POLL", "soon", "milliseconds"},
                                               {"CUDAHOT_POLL", "0", "milliseconds"}}) {
    const auto settings = resolve_settings({}, environment_of({{name, value}}));
    ASSERT_FALSE(settings) << name;
    EXPECT_EQ(settings.error().code, ErrorCode::usage);
    EXPECT_THAT(settings.error().message, HasSubstr(name + " is '" + value + "'"));
    EXPECT_THAT(settings.error().message, HasSubstr(accepted));
  }
}

TEST(Settings, BoundTheUserCacheBySizeAndAge) {
  const auto by_default = resolve_settings({}, environment_of({})).value();
  EXPECT_EQ(by_default.gc.max_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(by_default.gc.max_age, std::nullopt);
  const auto bounded =
      resolve_settings({}, environment_of({{"CUDAHOT_CACHE_SIZE", "200MB"}, {"CUDAHOT_CACHE_AGE", "2w"}})).value();
  EXPECT_EQ(bounded.gc.max_bytes, 200'000'000u);
  EXPECT_EQ(bounded.gc.max_age, std::chrono::hours(24 * 14));
  const auto unbounded =
      resolve_settings({}, environment_of({{"CUDAHOT_CACHE_SIZE", "0"}, {"CUDAHOT_CACHE_AGE", "0"}})).value();
  EXPECT_EQ(unbounded.gc.max_bytes, std::nullopt);
  EXPECT_EQ(unbounded.gc.max_age, std::nullopt);
  for (const char* name : {"CUDAHOT_CACHE_SIZE", "CUDAHOT_CACHE_AGE"}) {
    const auto refused = resolve_settings({}, environment_of({{name, "much"}}));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, AllOf(HasSubstr(name), HasSubstr("'much'"), HasSubstr("write it like")));
  }
}

TEST(Settings, WriteToStandardErrorOnlyWhenAskedTo) {
  EXPECT_EQ(*resolve_log_level(environment_of({})), std::nullopt);
  EXPECT_EQ(*resolve_log_level(environment_of({{"CUDAHOT_LOG", "info"}})), LogLevel::info);
  EXPECT_FALSE(resolve_log_level(environment_of({{"CUDAHOT_LOG", "loud"}})));
}

}  // namespace
}  // namespace cudahot::runtime

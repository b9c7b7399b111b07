#include "tools/cudahot-cache/format.hpp"

#include <gtest/gtest.h>

namespace cudahot::tool {
namespace {

TEST(HumanSize, HasTwoOrThreeDigits) {
  const std::pair<std::uint64_t, const char*> cases[] = {
      {0, "0 B"},          {999, "999 B"},       {1000, "1.0 kB"},      {5912, "5.9 kB"},
      {9949, "9.9 kB"},    {9950, "10 kB"},      {60'000, "60 kB"},     {999'499, "999 kB"},
      {999'500, "1.0 MB"}, {1u << 30, "1.1 GB"}, {~0ull, "18446744 TB"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(human_size(bytes), text);
}

TEST(HumanAge, UsesOneUnit) {
  const std::pair<std::int64_t, const char*> cases[] = {{-5, "0 s"},       {59, "59 s"},  {60, "1 min"},
                                                        {3599, "59 min"},  {3600, "1 h"}, {47 * 3600, "47 h"},
                                                        {48 * 3600, "2 d"}};
  for (const auto& [seconds, text] : cases) EXPECT_EQ(human_age(seconds), text);
}

TEST(UtcTime, IsReadable) {
  EXPECT_EQ(utc_time(0), "never");
  EXPECT_EQ(utc_time(1'000'000'000), "2001-09-09 01:46:40 UTC");
}

TEST(HumanDuration, UsesOneUnit) {
  const std::pair<std::int64_t, const char*> cases[] = {
      {-1, "0 us"},           {640, "640 us"},          {999, "999 us"},
      {1000, "1.0 ms"},       {41'300, "41 ms"},        {3'240'000, "3.2 s"},
      {119'000'000, "119 s"}, {120'000'000, "2.0 min"}, {5 * 3'600'000'000, "5.0 h"}};
  for (const auto& [microseconds, text] : cases) EXPECT_EQ(human_duration(microseconds), text);
}

TEST(Counted, TakesTheSingularForOne) {
  EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
  EXPECT_EQ(counted(0, "entry", "entries"), "0 entries");
}

TEST(Printable, HidesControlCharacters) { EXPECT_EQ(printable("a\x1b[31m\nb\x7f"), "a?[31m?b?"); }

}  // namespace
}  // namespace cudahot::tool

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

TEST(Table, AlignsColumnsAndCountsCharactersNotBytes) {
  EXPECT_EQ(table({{"NAME"}, {"SIZE", true}},
                  {{"sh\xc3\xa4"
                    "de",
                    "1 B"},
                   {"x", "60 kB"}},
                  0),
            "NAME    SIZE\n"
            "sh\xc3\xa4"
            "de    1 B\n"
            "x      60 kB\n");
}

TEST(Table, CutsTheWideColumnToTheTerminal) {
  EXPECT_EQ(table({{"NAME", false, true}, {"HITS", true}}, {{"a_very_long_kernel_name", "7"}}, 16),
            "NAME        HITS\n"
            "a_very_lo\xe2\x80\xa6     7\n");
}

TEST(Printable, HidesControlCharacters) { EXPECT_EQ(printable("a\x1b[31m\nb\x7f"), "a?[31m?b?"); }

}  // namespace
}  // namespace cudahot::tool

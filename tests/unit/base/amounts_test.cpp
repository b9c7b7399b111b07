#include "lib/base/amounts.hpp"

#include <gmock/gmock.h>

namespace cudahot::base {
namespace {

TEST(ParseBytes, TakesUnitsOfThousandsAndOf1024) {
  EXPECT_EQ(parse_bytes("0").value(), 0u);
  EXPECT_EQ(parse_bytes("1048576").value(), 1048576u);
  EXPECT_EQ(parse_bytes("512 kB").value(), 512'000u);
  EXPECT_EQ(parse_bytes("500M").value(), 500'000'000u);
  EXPECT_EQ(parse_bytes("1GiB").value(), 1u << 30);
  EXPECT_EQ(parse_bytes("1.5g").value(), 1'500'000'000u);
  EXPECT_EQ(parse_bytes("2TiB").value(), std::uint64_t{2} << 40);
}

TEST(ParseBytes, RefusesWhatIsNoSizeAndSaysWhatIs) {
  for (const char* text : {"", "M", "-1", "1X", "1 M B", "nan", "inf", "1e3", "99999999T", "1  M"}) {
    const auto bytes = parse_bytes(text);
    ASSERT_FALSE(bytes) << text;
    EXPECT_EQ(bytes.error().code, ErrorCode::usage);
    EXPECT_THAT(bytes.error().message, testing::HasSubstr("500M")) << text;
  }
}

TEST(ParseAge, TakesSecondsToWeeks) {
  EXPECT_EQ(parse_age("90").value().count(), 90);
  EXPECT_EQ(parse_age("90s").value().count(), 90);
  EXPECT_EQ(parse_age("15min").value().count(), 900);
  EXPECT_EQ(parse_age("12h").value().count(), 43200);
  EXPECT_EQ(parse_age("30d").value().count(), 2'592'000);
  EXPECT_EQ(parse_age("2 w").value().count(), 1'209'600);
}

TEST(ParseAge, RefusesWhatIsNoAgeAndSaysWhatIs) {
  for (const char* text : {"", "d", "-1d", "1y", "1M"}) {
    const auto age = parse_age(text);
    ASSERT_FALSE(age) << text;
    EXPECT_THAT(age.error().message, testing::HasSubstr("30d")) << text;
  }
}

}  // namespace
}  // namespace cudahot::base

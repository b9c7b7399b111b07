#include "cache/difference.hpp"

#include <gmock/gmock.h>

#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Fields = std::vector<Field>;

std::vector<std::string> said(const Fields& now, const Fields& then) {
  std::vector<std::string> lines;
  for (const Difference& difference : differences(now, then)) {
    lines.push_back(std::string(to_string(difference.reason)) + ": " + difference.what);
  }
  return lines;
}

TEST(Differences, OfTheSameAreNone) {
  const Fields fields = {{"arch", "sm_90"}, {"text", "a\n"}, {"optn", "-G"}};
  EXPECT_THAT(said(fields, fields), IsEmpty());
}

TEST(Differences, NameTheLinesThatDifferByTheirPlacesInTheHeader) {
  const Fields now = {{"text", "#line 1 \"shade.cu\"\nint a;\n#line 7 \"b.h\"\nint b;\n  #define GAIN 3\nint c;\n"}};
  const Fields then = {{"text", "#line 1 \"shade.cu\"\nint a;\n#line 7 \"b.h\"\nint b;\n  #define GAIN 2\nint d;\n"}};
  EXPECT_THAT(said(now, then),
              ElementsAre("text: b.h:8: '#define GAIN 3' was '#define GAIN 2'; b.h:9: 'int c;' was 'int d;'"));
}

TEST(Differences, NameAddedAndRemovedLines) {
  EXPECT_THAT(said({{"text", "a\nb\n"}}, {{"text", "a\n"}}), ElementsAre("text: the text:2: 'b' is new"));
  EXPECT_THAT(said({{"text", "a\n"}}, {{"text", "a\nb\n"}}), ElementsAre("text: the text:2: 'b' is gone"));
  EXPECT_THAT(said({{"text", "a\nx\nb\nc\n"}}, {{"text", "a\nb\nc\ny\n"}}),
              ElementsAre("text: the text:2: 'x' is new; the text:4: 'y' is gone"));
  EXPECT_THAT(said({{"text", "a\nb\nb\n"}}, {{"text", "a\nb\n"}}), ElementsAre("text: the text:3: 'b' is new"));
  EXPECT_THAT(said({{"text", "a\nb"}}, {{"text", "a\nb\nc"}}), ElementsAre("text: the text:3: 'c' is gone"));
  EXPECT_THAT(said({{"text", "#line 1 \"a\"\nx\n"}}, {{"text", "#line 2 \"a\"\nx\n"}}),
              ElementsAre("text: the places of lines (#line)"));
}

TEST(Differences, CountTheLinesThatAreTooMany) {
  EXPECT_THAT(said({{"text", "1\n2\n3\n4\n5\n6\n"}}, {{"text", "a\nb\nc\nd\ne\nf\n"}}),
              ElementsAre("text: the text:1: '1' was 'a'; the text:2: '2' was 'b'; the text:3: '3' was 'c'; "
                          "the text:4: '4' was 'd'; and 2 more"));
}

TEST(Differences, ShowOfLongLinesWhatDiffers) {
  const std::string same(100, 's');
  EXPECT_THAT(said({{"text", same + "NOW" + same}}, {{"text", same + "then"}}),
              ElementsAre("text: the text:1: '..." + same.substr(80) + "NOW" + same.substr(63) + "...' was '..." +
                          same.substr(80) + "then'"));
  EXPECT_THAT(said({{"text", "    a"}}, {{"text", "  a"}}), ElementsAre("text: the text:1: '    a' was '  a'"));
}

TEST(Differences, CutLongLinesBetweenCharacters) {
  const std::string umlauts =
      "x\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
      "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
      "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4";
  const auto lines = said({{"text", umlauts}}, {{"text", "y"}});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], testing::HasSubstr("\xc3\xa4...' was 'y'"));
}

TEST(Differences, NameEachFieldInTheOrderOfReasons) {
  const Fields then = {{"vers", "2"},  {"arch", "sm_90"},       {"tier", "full"}, {"text", "a"},
                       {"optn", "-G"}, {"kern", "k"},           {"nvrt", "n1"},   {"nvjl", "j1"},
                       {"dhdr", ""},   {"hnam", "cuda_fp16.h"}, {"hdig", "11"},   {"hnam", "old.h"},
                       {"hdig", "12"}, {"drtl", "d"},           {"usel", "no"},   {"hlib", "library1"}};
  const Fields now = {
      {"vers", "3"},     {"arch", "sm_90a"}, {"tier", "quick"}, {"text", "b"},  {"optn", "-lineinfo"},   {"optn", "-G"},
      {"kern", "l"},     {"nvrt", "n2"},     {"nvjl", "j2"},    {"dhdr", ""},   {"hnam", "cuda_fp16.h"}, {"hdig", "21"},
      {"hnam", "new.h"}, {"hdig", "12"},     {"drtl", "e"},     {"usel", "no"}, {"hlib", "library2"}};
  EXPECT_THAT(said(now, then),
              ElementsAre("architecture: sm_90a was sm_90", "tier: quick was full", "text: the text:1: 'b' was 'a'",
                          "options: -lineinfo -G were -G", "toolkit: NVRTC n2 was n1", "toolkit: nvJitLink j2 was j1",
                          "headers: cuda_fp16.h has other content, new.h is new, old.h is not read any more, the "
                          "device runtime's library (libcudadevrt.a)",
                          "helpers: the helper library", "kernels: l were k",
                          "version: made by another version of cudahot (preimage 3 was 2)"));
}

TEST(Differences, OrderOfOptionsAndUnknownFieldsCount) {
  EXPECT_THAT(said({{"optn", "-a"}, {"optn", "-b"}}, {{"optn", "-b"}, {"optn", "-a"}}),
              ElementsAre("options: -a -b were -b -a"));
  EXPECT_THAT(said({{"optn", "-a"}}, {}), ElementsAre("options: -a were none"));
  EXPECT_THAT(said({{"vers", "2"}, {"futu", "1"}}, {{"vers", "2"}, {"futu", "2"}}).size(), 1);
}

TEST(Nearest, HasTheFewestDifferencesAndIsTheFirstOfEquals) {
  const Fields now = {{"arch", "sm_90"}, {"text", "a"}, {"optn", "-G"}};
  const Fields two_away = {{"arch", "sm_80"}, {"text", "b"}, {"optn", "-G"}};
  const Fields one_away = {{"arch", "sm_90"}, {"text", "b"}, {"optn", "-G"}};
  EXPECT_EQ(nearest(now, {two_away, one_away, one_away}), 1u);
  EXPECT_EQ(nearest(now, {}), std::nullopt);
}

TEST(Nearest, IsAmongEqualsTheOneOfTheSameTextThenOfTheFewestLines) {
  const Fields now = {{"text", "a\nb\nc\n"}, {"optn", "-G"}};
  const Fields two_lines = {{"text", "a\nx\ny\n"}, {"optn", "-G"}};
  const Fields one_line = {{"text", "a\nb\ny\n"}, {"optn", "-G"}};
  const Fields same_text = {{"text", "a\nb\nc\n"}, {"optn", "-lineinfo"}};
  EXPECT_EQ(nearest(now, {two_lines, one_line}), 1u);
  EXPECT_EQ(nearest(now, {two_lines, one_line, same_text}), 2u);
}

}  // namespace
}  // namespace cudahot::cache

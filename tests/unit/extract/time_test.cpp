// __DATE__, __TIME__, __TIMESTAMP__ and __COUNTER__ in a source.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/region/time_macros.hpp"
#include "test_tu.hpp"
#include "tests/unit/base/scoped_environment.hpp"

namespace cudahot::extract {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string source_with(const std::string& before, const std::string& body) {
  return before + "__global__ void k(const char** p, int* n) {\n#pragma cudahot begin(a)\n" + body +
         "\n#pragma cudahot end\n}\n";
}

// "CH029 shade.cu:3 note", in order.
std::vector<std::string> remarks(const ExtractReport& report) {
  std::vector<std::string> list;
  for (const Diagnostic& each : report.diagnostics) {
    const char* const severity = each.severity == Severity::note ? "note" : "warning";
    list.push_back(each.id + " " + each.location.file + ":" + std::to_string(each.location.line) + " " + severity);
  }
  return list;
}

class Time : public testing::Test {
 protected:
  // 2001-09-09 01:46:40 UTC, a Sunday.
  const base::ScopedEnvironment epoch_{"SOURCE_DATE_EPOCH", "1000000000"};
};

TEST_F(Time, OfTheExtractionStandsInATextThatUsesIt) {
  TestTu tu(source_with("", "p[0] = __DATE__; p[1] = __TIME__; p[2] = __TIMESTAMP__;"));
  EXPECT_THAT(tu.slice().text, StartsWith("#define _ch_DATE \"Sep  9 2001\"\n"
                                          "#define _ch_TIME \"01:46:40\"\n"
                                          "#define _ch_TIMESTAMP \"Sun Sep  9 01:46:40 2001\"\n"));
}

TEST_F(Time, IsLeftOutOfATextThatDoesNotUseIt) {
  const std::string header = "#define STAMP __DATE__\n#include <cstdio>\n";
  TestTu tu(source_with(header + "void host() { std::puts(__TIME__ STAMP); }\n", "n[0] = 1;  // __DATE__"));
  EXPECT_THAT(tu.slice().text, Not(HasSubstr("_ch_")));
  EXPECT_THAT(remarks(tu.report()), IsEmpty());
}

TEST_F(Time, IsFoundThroughMacrosOfHeadersAndFlags) {
  TestTu tu(source_with("#include \"stamp.cuh\"\n", "p[0] = STAMP; p[1] = FLAG;"));
  tu.file("stamp.cuh", "#define STAMP __DATE__\n").flags({"-DFLAG=__TIME__"});
  const auto slice = tu.slice();
  EXPECT_THAT(slice.text, HasSubstr("#define _ch_DATE \"Sep  9 2001\"\n"));
  EXPECT_THAT(slice.text, HasSubstr("#define _ch_TIME \"01:46:40\"\n"));
}

TEST_F(Time, CountsWhereItsNameIsPastedTogether) {
  TestTu tu(source_with("#define PASTE(a, b) a##b\n", "p[0] = PASTE(__TI, ME__);"));
  EXPECT_THAT(tu.slice().text, HasSubstr("_ch_TIME \"01:46:40\"")) << "else the same text would give other code";
}

TEST_F(Time, IsRemarkedOnOnceAtItsFirstUse) {
  TestTu tu(source_with("", "p[0] = __DATE__;\np[1] = __DATE__;"));
  const auto report = tu.report();
  EXPECT_TRUE(report.slice);
  EXPECT_THAT(remarks(report), ElementsAre("CH029 shade.cu:3 note"));
  EXPECT_THAT(report.diagnostics[0].text, HasSubstr("\"Sep  9 2001\""));
}

TEST(Counter, IsRemarkedOnInDeviceCode) {
  const auto remarks_on = [](const std::string& before, const std::string& body) {
    return remarks(TestTu(source_with(before, body)).report());
  };
  EXPECT_THAT(remarks_on("", "n[0] = __COUNTER__;"), ElementsAre("CH030 shade.cu:3 warning"));
  EXPECT_THAT(remarks_on("int host() { return __COUNTER__; }\n", "n[0] = 1;"), IsEmpty());
}

}  // namespace
}  // namespace cudahot::extract

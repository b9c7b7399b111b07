#include "lib/extract/std_names.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lib/build/std_shims.hpp"
#include "test_tu.hpp"

namespace cudahot::extract {
namespace {

TEST(StdNames, HeadersAreThoseOfTheBuildChain) {
  for (const auto& [name, text] : build::std_shims()) EXPECT_TRUE(is_std_header(name)) << name;
  for (const StdName& each : std_names()) EXPECT_TRUE(is_std_header(each.header)) << each.header;
  EXPECT_FALSE(is_std_header("vector"));
}

TEST(StdNames, AreDeclaredByTheirHeaders) {
  region::Slice slice;
  slice.options = {"-std=c++20"};
  for (const StdName& each : std_names()) {
    slice.text += fmt::format("#include <{0}>\nnamespace use_{1} {{ using std::{1}; }}\n", each.header, each.name);
  }
  EXPECT_EQ(compile_errors(slice), "");
}

// libcu++ has types of its own behind some of the names.
TEST(StdNames, OfIntegersAreDeclaredOnceBesideTheToolkits) {
  for (const char* include : {"", "#include <cuda/std/cstdint>\n"}) {
    const region::Slice slice = TestTu(std::string("#include <cstdint>\n") + include +
                                       R"(__global__ void k(uint64_t* p, int64_t n, uint_fast16_t f, int_least8_t l) {
#pragma cudahot begin(r)
  *p = uint64_t(n) + f + l;
#pragma cudahot end
}
)")
                                    .slice();
    EXPECT_EQ(compile_errors(slice), "") << slice.text;
  }
}

TEST(StdNames, AreFoundByTheFirstNameAfterStd) {
  EXPECT_EQ(std_header_of("std::numeric_limits::max"), "limits");
  EXPECT_EQ(std_header_of("std::min"), "algorithm");
  EXPECT_EQ(std_header_of("std::vector::size"), "");
  EXPECT_EQ(std_header_of("mine::min"), "");
}

}  // namespace
}  // namespace cudahot::extract

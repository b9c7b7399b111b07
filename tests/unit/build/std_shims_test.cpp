#include "lib/build/std_shims.hpp"

#include <set>

#include <gtest/gtest.h>

#include "lib/build/compile.hpp"
#include "lib/build/diagnostics.hpp"
#include "lib/build/toolchain.hpp"
#include "tests/unit/build/slices.hpp"

namespace cudahot::build {
namespace {

TEST(StdShims, NamesAreUnique) {
  std::set<std::string> names;
  for (const auto& [name, text] : std_shims()) EXPECT_TRUE(names.insert(name).second) << name;
}

// Compiles a slice whose only kernel is `body` behind `prefix`.
std::string message_of_compiling(std::string_view prefix, std::string_view body, bool device_headers = false) {
  static Toolchain toolchain;
  auto slice = testing::SliceMaker()
                   .prefix(prefix)
                   .kernel("K", "__global__ void K(double* out) {\n", body, "\n}\n")
                   .option("-std=c++17")
                   .make();
  slice.uses_device_headers = device_headers;
  const auto program = compile(slice, region::SmArch{90}, region::Tier::full, toolchain);
  if (program) return {};
  std::string messages;
  for (const auto& diagnostic : program.error().diagnostics) messages += render(diagnostic) + "\n";
  return messages.empty() ? program.error().message : messages;
}

TEST(StdShims, AllTogetherCompile) {
  std::string includes;
  for (const auto& [name, text] : std_shims()) includes += "#include <" + name + ">\n";
  EXPECT_EQ(
      message_of_compiling(includes, "out[0] = std::sqrt(2.0) + M_PI + FLT_MAX + INT32_MAX + INFINITY + HUGE_VAL;"),
      "");
}

TEST(StdShims, GiveWhatDeviceCodeUses) {
  EXPECT_EQ(message_of_compiling("#include <limits>\n#include <type_traits>\n#include <utility>\n#include <algorithm>\n"
                                 "#include <array>\n#include <cstdint>\n",
                                 R"(
    static_assert(std::is_same_v<std::common_type_t<int, float>, float>);
    static_assert(std::is_floating_point_v<const double> && std::is_signed_v<int> && !std::is_signed_v<unsigned>);
    static_assert(std::is_same_v<std::decay_t<const int&>, int>);
    static_assert(std::is_same_v<std::make_unsigned_t<int>, unsigned>);
    static_assert(std::numeric_limits<float>::max() > 1e38f && std::numeric_limits<float>::lowest() < -1e38f);
    static_assert(std::numeric_limits<int>::min() < 0 && std::numeric_limits<std::uint64_t>::digits == 64);
    static_assert(sizeof(int64_t) == 8 && sizeof(std::uint8_t) == 1);
    std::array<double, 3> a{1, 2, 3};
    auto p = std::make_pair(1, 2.0);
    std::swap(a[0], a[1]);
    out[0] = std::max(a[0], std::min(p.second, std::numeric_limits<double>::infinity()));
    out[1] = std::move(a[2]) + std::clamp(5, 1, 3);)"),
            "");
}

TEST(StdShims, DoNotDisturbTheToolkitsHeaders) {
  EXPECT_EQ(
      message_of_compiling("#include <cstdint>\n#include <cmath>\n#include <type_traits>\n#include <limits>\n"
                           "#include <utility>\n#include <cuda_fp16.h>\n#include <cuda/std/type_traits>\n"
                           "#include <cuda/std/limits>\n#include <cuda/std/utility>\n",
                           "out[0] = __half2float(__float2half(1.0f)) + cuda::std::numeric_limits<int>::max();", true),
      "");
}

}  // namespace
}  // namespace cudahot::build

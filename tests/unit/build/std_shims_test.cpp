#include "lib/build/std_shims.hpp"

#include <complex>
#include <limits>
#include <set>

#include <fmt/format.h>
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

TEST(ToolkitShims, HaveTheIntegersOfTheHostInHeadersThatDeclareTheirOwn) {
  EXPECT_EQ(message_of_compiling(
                "#include <cuda_pipeline.h>\n#include <cuda_awbarrier.h>\n#include <cstdint>\n#include <type_traits>\n",
                "  static_assert(std::is_same_v<uint64_t, unsigned long>);\n"
                "  __pipeline_commit();\n  __pipeline_wait_prior(0);",
                true),
            "");
}

TEST(StdShims, HaveEveryIntegerTypeInStd) {
  EXPECT_EQ(message_of_compiling("#include <cstdint>\n#include <type_traits>\n",
                                 "  static_assert(std::is_same_v<std::uint_fast32_t, unsigned long>);\n"
                                 "  static_assert(std::is_same_v<std::int_least16_t, short>);"),
            "");
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

// Kernels take it from the host as it is.
template <class T>
std::string layout_of_complex() {
  using Complex = std::complex<T>;
  struct Offset {
    char first;
    Complex value;
  };
  return fmt::format("sizeof(C) == {} && alignof(C) == {} && sizeof(O<C>) == {} && __is_trivially_copyable(C)",
                     sizeof(Complex), alignof(Complex), sizeof(Offset));
}

TEST(StdShims, ComplexHasTheLayoutOfTheHosts) {
  const std::string prefix = "#include <complex>\ntemplate <class C> struct O { char first; C value; };\n";
  EXPECT_EQ(message_of_compiling(prefix, fmt::format("{{ using C = std::complex<float>; static_assert({}); }}\n"
                                                     "{{ using C = std::complex<double>; static_assert({}); }}",
                                                     layout_of_complex<float>(), layout_of_complex<double>())),
            "");
}

TEST(StdShims, ComplexComputesAsTheHosts) {
  constexpr std::complex<double> kA(1, 2);
  constexpr std::complex<double> kB(3, -4);
  const auto is = [](std::string_view expression, std::complex<double> value) {
    return fmt::format("static_assert({} == std::complex<double>({:.17g}, {:.17g}));\n", expression, value.real(),
                       value.imag());
  };
  EXPECT_EQ(message_of_compiling("#include <complex>\n",
                                 "constexpr std::complex<double> a(1, 2), b(3, -4);\n" + is("a + b", kA + kB) +
                                     is("a - 2.0", kA - 2.0) + is("2.0 - a", 2.0 - kA) + is("a * b", kA * kB) +
                                     is("b / (a * 2.0)", kB / (kA * 2.0)) + is("-std::conj(a)", -std::conj(kA)) +
                                     is("std::norm(b)", std::norm(kB)) +
                                     "static_assert(a != b && 1.0 == std::complex<double>(1));\n"
                                     "std::complex<double> wide = std::complex<float>(1, 2);\n"
                                     "out[0] = std::abs(wide) + std::arg(wide) + std::polar(1.0, 2.0).real();"),
            "");
}

TEST(StdShims, LimitsAreThoseOfTheHost) {
  std::string checks;
  const auto add = [&]<class T>(std::string_view type, T) {
    using Limits = std::numeric_limits<T>;
    checks += fmt::format(
        "{{ using L = std::numeric_limits<{}>; static_assert(L::digits == {} && L::digits10 == {} && "
        "L::max_digits10 == {} && L::min_exponent == {} && L::max_exponent10 == {} && L::is_integer == {} && "
        "L::is_modulo == {} && L::traps == {} && L::has_denorm == {} && L::round_style == {}); }}\n",
        type, Limits::digits, Limits::digits10, Limits::max_digits10, Limits::min_exponent, Limits::max_exponent10,
        Limits::is_integer, Limits::is_modulo, Limits::traps, static_cast<int>(Limits::has_denorm),
        static_cast<int>(Limits::round_style));
  };
  add("bool", true);
  add("char", 'a');
  add("unsigned short", static_cast<unsigned short>(1));
  add("int", 1);
  add("unsigned long", 1UL);
  add("float", 1.0F);
  add("double", 1.0);
  struct Other {};
  add("struct Other", Other());
  EXPECT_EQ(message_of_compiling("#include <limits>\nstruct Other {};\n", checks), "");
}

TEST(StdShims, FunctionObjectsAndTraitsAreThere) {
  EXPECT_EQ(message_of_compiling("#include <functional>\n#include <type_traits>\n", R"(
    static_assert(std::plus<int>()(1, 2) == 3 && std::less<>()(1, 2.0) && std::negate<>()(1) == -1);
    struct Picky { Picky(int) {} Picky(const Picky&) = delete; };
    static_assert(std::is_constructible_v<Picky, int> && !std::is_default_constructible_v<Picky>);
    static_assert(!std::is_copy_constructible_v<Picky> && std::is_trivially_copy_constructible<int>::value);
    static_assert(std::is_same_v<std::invoke_result_t<std::multiplies<float>, float, float>, float>);
    static_assert(std::conjunction_v<std::true_type, std::negation<std::false_type>>);)"),
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

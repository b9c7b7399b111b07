#include "lib/cpu_device/code/cpu_compile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lib/build/std_shims.hpp"
#include "tests/unit/cpu_device/code/code_under_test.hpp"

namespace cudahot::test {
namespace {

using ::testing::HasSubstr;

TEST(CompileForCpu, GivesTheSameBytesAgain) {
  const auto slice = make_slice("__global__ void k(float* p) { p[threadIdx.x] = sinf(p[threadIdx.x]); }\n", {"k"});
  const auto first = compile(slice);
  const auto second = compile(slice);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->blob, second->blob);
  EXPECT_EQ(first->blob.find("/tmp"), std::string::npos);
}

TEST(CompileForCpu, ReportsErrorsAtTheLineOfTheUsersFile) {
  const auto object =
      compile(make_slice("#line 10 \"shade.cu\"\n"
                         "__global__ void k(float* p) {\n"
                         "  extern __shared__ float s[];\n"
                         "  p[0] = s[0] + missing;\n"
                         "}\n",
                         {"k"}));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::source);
  ASSERT_EQ(object.error().diagnostics.size(), 1U);
  const auto& diagnostic = object.error().diagnostics[0];
  EXPECT_EQ(diagnostic.location, (SourceLocation{"/home/user/shade.cu", 12, 17}));
  EXPECT_EQ(diagnostic.text, "use of undeclared identifier 'missing'");
  EXPECT_THAT(diagnostic.frame, HasSubstr("p[0] = s[0] + missing;"));
}

TEST(CompileForCpu, KeepsWarnings) {
  const auto object = compile(make_slice("__global__ void k(int* p) {\n  p[0] = 1 / 0;\n}\n", {"k"}));
  ASSERT_TRUE(object);
  ASSERT_EQ(object->warnings.size(), 1U);
  EXPECT_EQ(object->warnings[0].severity, Severity::warning);
  EXPECT_EQ(object->warnings[0].location, (SourceLocation{"/home/user/shade.cu", 2, 12}));
}

TEST(CompileForCpu, NamesAFunctionThatIsDefinedNowhereAtItsCall) {
  const auto object =
      compile(make_slice("namespace n { __device__ float noise(float x); }\n"
                         "__global__ void k(float* p) {\n"
                         "  p[0] = n::noise(p[1]);\n"
                         "}\n",
                         {"k"}));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::link);
  EXPECT_EQ(object.error().message, "n::noise(float) is used but defined nowhere");
  EXPECT_EQ(object.error().location, (SourceLocation{"/home/user/shade.cu", 3, 13}));
}

// Their names alone do not tell them from those of the C library.
TEST(CompileForCpu, NamesCFunctionsAndVariablesThatAreDefinedNowhereAtTheirUse) {
  struct Case {
    const char* declaration;
    const char* use;
    const char* message;
  };
  const Case cases[] = {
      {"extern \"C\" __device__ int noise(int x);", "noise(7)", "noise is used but defined nowhere"},
      {"extern \"C\" { extern __device__ int total; }", "total", "total is used but defined nowhere"},
      {"extern __device__ int total;", "total", "total is used but defined nowhere"},
      {"namespace n { extern __device__ int total; }", "n::total", "n::total is used but defined nowhere"},
  };
  for (const auto& c : cases) {
    const auto object = compile(make_slice(
        std::string(c.declaration) + "\n__global__ void k(int* p) {\n  p[0] = 1 +\n" + c.use + ";\n}\n", {"k"}));
    ASSERT_FALSE(object) << c.declaration;
    EXPECT_EQ(object.error().code, ErrorCode::link);
    EXPECT_EQ(object.error().message, c.message);
    EXPECT_EQ(object.error().location.line, 4U) << c.declaration;
    ASSERT_EQ(object.error().diagnostics.size(), 1U);
    EXPECT_THAT(object.error().diagnostics[0].hint, HasSubstr("define it"));
  }
}

TEST(CompileForCpu, RefusesParametersThatAreNotThoseOfTheSlice) {
  auto slice = make_slice("__global__ void k(float* p, long n) { p[0] = n; }\n", {"k"});
  slice.kernels[0].parameters = {{"p", "float*", 8, 0}, {"n", "int", 4, 8}};
  const auto object = compile(slice);
  ASSERT_FALSE(object);
  EXPECT_THAT(object.error().message, HasSubstr("parameter 2 of k is not what it was extracted as"));
}

TEST(CompileForCpu, ReadsHeadersThatAreGiven) {
  cpu_device::CpuCompileOptions options;
  options.headers = {{"nested/gain.h", "#define GAIN 3\n"}};
  auto slice = make_slice("#include <nested/gain.h>\n__global__ void k(int* p) { *p = GAIN * SCALE; }\n", {"k"});
  slice.options = {"-DSCALE=2"};
  const auto module = build(slice, options);
  ASSERT_TRUE(module);
  int value = 0;
  EXPECT_EQ(module->launch("k", {}, &value).fault, "");
  EXPECT_EQ(value, 6);
}

TEST(CompileForCpu, TakesTheHelperLibraryWhenAnEditBeginsToUseIt) {
  auto slice = make_slice(
      "#include \"cudahot/device.cuh\"\n"
      "__global__ void k(unsigned* p) { *p = cudahot::device::pcg_hash(*p); }\n",
      {"k"});
  slice.uses_helper_library = false;
  EXPECT_TRUE(build(slice));
}

TEST(CompileForCpu, ReadsTheStandardHeadersThatDeviceCodeIsGiven) {
  cpu_device::CpuCompileOptions options;
  options.headers = build::std_shims();
  std::string text;
  for (const auto& [name, header] : options.headers) {
    if (!name.starts_with("cuda/")) text += "#include <" + name + ">\n";
  }
  text += R"(
__global__ void k(float* p, uint32_t* words) {
  std::array<int, 3> a{1, 2, 3};
  auto pair = std::make_pair(std::min(a[0], a[1]), std::numeric_limits<float>::infinity());
  p[0] = std::sqrt(2.0f) + std::fmax(1.0f, float(M_PI)) + std::clamp(5, 1, a[2]) + pair.first;
  words[0] = UINT32_MAX - std::size_t(1);
  p[1] = std::isinf(pair.second) && pair.second == INFINITY;
  static_assert(std::is_same_v<std::decay_t<const int&>, int>);
  assert(p != nullptr);
  std::printf("%d", a[0]);
  std::memcpy(p + 2, p, 2 * sizeof(float));
  std::complex<float> z = std::complex<float>(1, 2) * std::conj(std::complex<float>(1, 2));
  p[1] += std::equal_to<float>()(z.real(), 5.0f) ? 0 : 1;
  static_assert(std::is_nothrow_move_constructible_v<float> && std::numeric_limits<double>::max_exponent == 1024);
}
)";
  const auto object = compile(make_slice(text, {"k"}), options);
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_TRUE(object->warnings.empty()) << object->warnings[0].text;
  const auto module = std::make_unique<Code>(object->blob);
  std::vector<float> p(4);
  std::uint32_t word = 0;
  EXPECT_EQ(module->launch("k", {}, p.data(), &word).printed, "1");
  EXPECT_FLOAT_EQ(p[2], std::sqrt(2.0F) + 3.14159265F + 3 + 1);
  EXPECT_EQ(p[3], 1);
  EXPECT_EQ(word, 0xfffffffeU);
}

TEST(CompileForCpu, ReadsNoHeaderOfTheSystem) {
  const auto object = compile(make_slice("#include <stdlib.h>\n__global__ void k() {}\n", {"k"}));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().message, "'stdlib.h' file not found");
}

TEST(CompileForCpu, EndsWhenItIsCancelled) {
  cpu_device::CpuCompileOptions options;
  options.cancelled = [] { return true; };
  const auto object = compile(make_slice("__global__ void k() {}\n", {"k"}), options);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::busy);
}

TEST(FindCpuCompiler, SaysWhatIsMissing) {
  const auto compiler = cpu_device::find_cpu_compiler("/nowhere/clang++");
  ASSERT_FALSE(compiler);
  EXPECT_EQ(compiler.error().code, ErrorCode::environment);
  EXPECT_THAT(compiler.error().message, HasSubstr("/nowhere/clang++"));
}

TEST(IdentifyCpuCompiler, NamesCompilerLinkerAndPrelude) {
  const auto compiler = cpu_device::find_cpu_compiler();
  ASSERT_TRUE(compiler);
  const auto identity = cpu_device::identify(*compiler);
  ASSERT_TRUE(identity) << identity.error().message;
  EXPECT_THAT(*identity, ::testing::ContainsRegex("clang version .*; .*; prelude [0-9a-f]{32}"));
}

}  // namespace
}  // namespace cudahot::test

#include "lib/runtime/checks.hpp"

#include <gmock/gmock.h>

namespace cudahot::runtime {
namespace {

using ::testing::HasSubstr;

region::Kernel kernel_with(std::vector<region::KernelParameter> parameters) {
  region::Kernel kernel;
  kernel.name = "Shade";
  kernel.parameters = std::move(parameters);
  return kernel;
}

DeviceFacts device() { return {"Fake GPU", {90, region::SmArch::Suffix::none}, 49152, 65536, 1024}; }

TEST(Checks, LayParametersOutAsCppDoes) {
  //                                       char    double   int     float3 (align 4)
  const auto block = parameter_block({{1, 1}, {8, 8}, {4, 4}, {12, 4}});
  EXPECT_EQ(block, (std::vector<base::ParameterFacts>{{0, 1}, {8, 8}, {16, 4}, {20, 12}}));
}

TEST(Checks, RefuseAnOffsetThatDiffersThoughSizesAreEqual) {
  base::KernelFacts facts;
  facts.parameters = {{0, 4}, {16, 16}};  // float4 is aligned to 16
  const Status fits =
      check_parameters(kernel_with({{"n", "int", 4, 0}, {"p", "float4", 16, 16}}), facts, {{4, 4}, {16, 4}});
  ASSERT_FALSE(fits);
  EXPECT_THAT(fits.error().message, HasSubstr("parameter 2 (float4 p) lies at byte 16"));
  EXPECT_THAT(fits.error().message, HasSubstr("passes it at byte 4"));
}

TEST(Checks, NameWhereTheListsOfParametersPartWhenOneIsLonger) {
  const auto kernel = kernel_with({{"out", "float *", 8, 0}, {"n", "int", 4, 8}, {"gain", "float", 4, 12}});
  base::KernelFacts facts;
  facts.parameters = {{0, 8}, {8, 4}, {12, 4}};
  const auto too_few = check_parameters(kernel, facts, {{8, 8}, {4, 4}});
  ASSERT_FALSE(too_few);
  EXPECT_THAT(too_few.error().message, HasSubstr("'Shade' takes 3 parameters, but the program passes 2: parameter 3 "
                                                 "(float gain) has 4 bytes, but the program does not pass it."));
  const auto in_between = check_parameters(kernel, facts, {{8, 8}, {8, 8}, {4, 4}, {4, 4}});
  ASSERT_FALSE(in_between);
  EXPECT_THAT(in_between.error().message, HasSubstr("takes 3 parameters, but the program passes 4: parameter 2 (int n) "
                                                    "has 4 bytes, but the program passes 8 bytes for it."));
  const auto too_many = check_parameters(kernel, facts, {{8, 8}, {4, 4}, {4, 4}, {1, 1}});
  ASSERT_FALSE(too_many);
  EXPECT_THAT(too_many.error().message, HasSubstr("there is no parameter 4, but the program passes 1 bytes for it."));
}

TEST(Checks, RefuseAParameterThatMeansSomethingElseInTheSameBytes) {
  const auto refusal = [](region::KernelParameter was, region::KernelParameter now) {
    const Status same = check_parameter_types(kernel_with({{"n", "int", 4, 0, "int"}, std::move(now)}),
                                              kernel_with({{"n", "int", 4, 0, "int"}, std::move(was)}));
    return same ? std::string() : same.error().message;
  };
  const region::KernelParameter gain{"gain", "float", 4, 4, "float"};
  EXPECT_THAT(refusal(gain, {"gain", "int", 4, 4, "int"}),
              HasSubstr("kernel 'Shade': parameter 2 was 'float', now 'int'; the program passes what it was"));
  EXPECT_THAT(refusal(gain, {"gain", "Real", 4, 4, "int"}), HasSubstr("was 'float', now 'Real', which is 'int';"));
  EXPECT_THAT(
      refusal({"p", "Pair", 8, 8, "Pair {0: int a; 4: int b}"}, {"p", "Pair", 8, 8, "Pair {0: int b; 4: int a}"}),
      HasSubstr("was 'Pair {0: int a; 4: int b}', now 'Pair {0: int b; 4: int a}';"));
  EXPECT_THAT(refusal({"p", "float *", 8, 8, "pointer"}, {"p", "unsigned long", 8, 8, "unsigned long"}),
              HasSubstr("was 'float *', now 'unsigned long';"));
  EXPECT_EQ(refusal(gain, {"renamed", "const Real", 4, 4, "float"}), "");
  EXPECT_EQ(refusal({"p", "float *", 8, 8, "pointer"}, {"p", "float4 *", 8, 8, "pointer"}), "");
  // Of a bundle that does not say.
  EXPECT_EQ(refusal({"gain", "float", 4, 4}, {"gain", "int", 4, 4, "int"}), "");
}

TEST(Checks, CountStaticAndDynamicSharedMemoryTogether) {
  base::KernelFacts facts;
  facts.static_shared_bytes = 40000;
  EXPECT_TRUE(check_resources("Shade", facts, {128, 9152}, device()));
  const Status fits = check_resources("Shade", facts, {128, 9153}, device());
  ASSERT_FALSE(fits);
  EXPECT_THAT(fits.error().message, HasSubstr("49153 bytes"));
  EXPECT_THAT(fits.error().message, HasSubstr("49152"));
}

TEST(Checks, RefuseLaunchBoundsBelowTheBlockSeen) {
  base::KernelFacts facts;
  facts.max_threads = 128;
  EXPECT_TRUE(check_resources("Shade", facts, {128, 0}, device()));
  EXPECT_FALSE(check_resources("Shade", facts, {129, 0}, device()));
}

TEST(Checks, RefuseRegistersThatTheBlockSeenDoesNotLeave) {
  base::KernelFacts facts;
  facts.registers = 64;
  EXPECT_TRUE(check_resources("Shade", facts, {1024, 0}, device()));  // 64 * 1024 = 65536
  facts.registers = 65;                                               // given as 72
  EXPECT_FALSE(check_resources("Shade", facts, {1024, 0}, device()));
  EXPECT_TRUE(check_resources("Shade", facts, {512, 0}, device()));
}

TEST(Checks, KnowNothingOfAKernelThatWasNotLaunched) {
  base::KernelFacts facts;
  facts.registers = 255;
  facts.max_threads = 32;
  EXPECT_TRUE(check_resources("Shade", facts, {}, device()));
}

TEST(Checks, NameTheVariablesThatWouldBeLost) {
  const Status fits = check_state(
      {{"lut", cuda::DeviceVariable::Space::constant, 1024}, {"seed", cuda::DeviceVariable::Space::global, 4}},
      "shade.cu");
  ASSERT_FALSE(fits);
  EXPECT_EQ(fits.error().code, ErrorCode::mismatch);
  EXPECT_THAT(fits.error().message, HasSubstr("__constant__ 'lut' (1024 bytes), __device__ 'seed' (4 bytes)"));
  EXPECT_TRUE(check_state({}, "shade.cu"));
}

TEST(Checks, NameVariablesAsTheSourceDoes) {
  const Status fits =
      check_state({{"_ZN29_INTERNAL_3b39039b_4_a_cu_Add5scene1kE", cuda::DeviceVariable::Space::constant, 8},
                   {"_ZZ3AddE5calls", cuda::DeviceVariable::Space::global, 4}},
                  "shade.cu");
  ASSERT_FALSE(fits);
  EXPECT_THAT(fits.error().message, HasSubstr("__constant__ 'scene::k' (8 bytes), __device__ 'Add::calls' (4 bytes)"));
}

TEST(Checks, DoNotCountVariablesOfCudasOwnHeaders) {
  for (const char* symbol :
       {"_ZN26__nv_atomic_triv_cp_helperIiE5__valE", "_ZN29_INTERNAL_3b39039b_4_a_cu_Add4cuda3std3__48in_placeE",
        "__unnamed_1", "_ZN6thrust6system6detail10sequential3seqE"}) {
    EXPECT_TRUE(check_state({{symbol, cuda::DeviceVariable::Space::global, 1}}, "shade.cu")) << symbol;
  }
}

}  // namespace
}  // namespace cudahot::runtime

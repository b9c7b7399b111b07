// compile() and link() with the real NVRTC and nvJitLink of the toolkit.
#include "lib/build/compile.hpp"

#include <algorithm>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/build/toolchain.hpp"
#include "tests/unit/build/slices.hpp"

namespace cudahot::build {
namespace {

using region::SmArch;
using region::Tier;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::shade_slice;
using testing::SliceMaker;
using Form = CompiledProgram::Form;

constexpr SmArch kArch{90};

// One toolchain for all tests: loading NVRTC takes longer than most of them.
class CompileTest : public ::testing::Test {
 protected:
  static Toolchain& toolchain() {
    static Toolchain shared;
    return shared;
  }
  static cache::Layers& layers() {
    static cache::Layers shared{cache::LayersOptions{}};
    return shared;
  }

  static Result<Cubin> build(const region::Slice& slice, Tier tier, const SmArch& arch = kArch) {
    auto program = compile(slice, arch, tier, toolchain());
    if (!program) return fail(std::move(program.error()));
    return link(slice, arch, std::move(*program), toolchain(), layers());
  }
};

std::string message_of(const Error& error) {
  return error.message + " at " + error.location.file + ":" + std::to_string(error.location.line);
}

const base::KernelFacts* facts_of(const Cubin& cubin, std::string_view symbol) {
  for (const auto& kernel : cubin.info.kernels) {
    if (kernel.lowered_name == symbol) return &kernel;
  }
  return nullptr;
}

// The threads of a program have small stacks, that of the reloading thread among them.
TEST_F(CompileTest, DeepNestingDoesNotOverflowTheStackOfAThread) {
  constexpr std::size_t kDepth = 100'000;
  const auto slice =
      shade_slice("  value = " + std::string(kDepth, '(') + "3" + std::string(kDepth, ')') + ";\n").make();
  bool compiled = false;
  std::thread([&] { compiled = compile(slice, kArch, Tier::full, toolchain()).has_value(); }).join();
  EXPECT_TRUE(compiled);
}

TEST_F(CompileTest, FullTierWithoutHelperLibraryGoesStraightToACubin) {
  const auto slice = shade_slice().make();
  const auto program = compile(slice, kArch, Tier::full, toolchain());
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->form, Form::cubin);

  const auto cubin = link(slice, kArch, *program, toolchain(), layers());
  ASSERT_TRUE(cubin) << cubin.error().message;
  EXPECT_FALSE(cubin->info.relocatable);
  EXPECT_THAT(cubin->lowered_names, ElementsAre(Pair("Shade", "_Z5ShadePfi")));
  const auto* facts = facts_of(*cubin, "_Z5ShadePfi");
  ASSERT_NE(facts, nullptr);
  EXPECT_GT(facts->registers, 0u);
  EXPECT_THAT(facts->parameters, ElementsAre(base::ParameterFacts{0, 8}, base::ParameterFacts{8, 4}));
}

TEST_F(CompileTest, FullTierWithHelperLibraryLinksLtoIr) {
  const auto slice = SliceMaker()
                         .prefix("#include \"cudahot/device.cuh\"\n#line 2 \"shade.cu\"\n")
                         .kernel("Shade", "__global__ void Shade(unsigned* out) {\n",
                                 "  out[0] = cudahot::device::pcg_hash(out[1]);\n", "}\n")
                         .uses_library()
                         .make();
  const auto program = compile(slice, kArch, Tier::full, toolchain());
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->form, Form::ltoir);
  const auto cubin = link(slice, kArch, *program, toolchain(), layers());
  ASSERT_TRUE(cubin) << cubin.error().message;
  ASSERT_EQ(cubin->info.kernels.size(), 1u);
  // Inlined: nothing is left to call.
  EXPECT_TRUE(std::ranges::none_of(cubin->info.symbols, [](const cuda::CubinSymbol& symbol) {
    return symbol.kind == cuda::CubinSymbol::Kind::function && symbol.defined;
  }));
}

TEST_F(CompileTest, QuickTierLinksKernelsHelpersAndLibrary) {
  const auto slice = SliceMaker()
                         .prefix("#include \"cudahot/device.cuh\"\n#line 2 \"shade.cu\"\n")
                         .helper("__device__ __noinline__ unsigned twice(unsigned x) ", "{ return 2u * x; }\n")
                         .kernel("Shade", "__global__ void Shade(unsigned* out) {\n",
                                 "  out[0] = twice(cudahot::device::pcg_hash(out[1]));\n", "}\n")
                         .uses_library()
                         .make();
  const auto program = compile(slice, kArch, Tier::quick, toolchain());
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->form, Form::relocatable_cubin);
  EXPECT_FALSE(program->helpers_blob.empty());
  const auto cubin = link(slice, kArch, *program, toolchain(), layers());
  ASSERT_TRUE(cubin) << cubin.error().message;
  EXPECT_FALSE(cubin->info.relocatable);
  EXPECT_NE(facts_of(*cubin, "_Z5ShadePj"), nullptr);
}

TEST_F(CompileTest, QuickTierKeepsOneStorageOfAHelperVariable) {
  const auto cubin = build(shade_slice().make(), Tier::quick);
  ASSERT_TRUE(cubin) << cubin.error().message;
  ASSERT_EQ(cubin->info.variables.size(), 1u);
  EXPECT_EQ(cubin->info.variables.front().name, "kBias");
  EXPECT_EQ(cubin->info.variables.front().size, 8u);
}

TEST_F(CompileTest, QuickTierOfASliceWithoutHelpersNeedsNoLink) {
  const auto slice =
      SliceMaker().kernel("Shade", "__global__ void Shade(float* out) {\n", "  out[0] = 1;\n", "}\n").make();
  const auto program = compile(slice, kArch, Tier::quick, toolchain());
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->form, Form::cubin);
}

TEST_F(CompileTest, QuickTierCompilesWholeWhatCannotBeHalved) {
  // `scale` is a helper whose value the kernel needs while compiling.
  const auto slice = SliceMaker()
                         .helper("__device__ constexpr int scale(int x) ", "{ return 3 * x; }\n")
                         .kernel("Shade", "__global__ void Shade(int* out) {\n",
                                 "  constexpr int n = scale(2);\n  int all[n] = {};\n  out[0] = all[out[1]];\n", "}\n")
                         .make();
  const auto cubin = build(slice, Tier::quick);
  ASSERT_TRUE(cubin) << message_of(cubin.error());
  EXPECT_EQ(cubin->info.kernels.size(), 1u);
}

TEST_F(CompileTest, QuickTierKeepsAVariableOfInternalLinkageWhole) {
  // Both halves use `counter`: two halves would count in two places.
  const auto slice = SliceMaker()
                         .prefix("static __device__ int counter;\n")
                         .helper("__device__ __noinline__ void count() ", "{ atomicAdd(&counter, 1); }\n")
                         .kernel("Shade", "__global__ void Shade(int* out) {\n",
                                 "  count();\n  out[0] = atomicAdd(&counter, 0);\n", "}\n")
                         .make();
  const auto program = compile(slice, kArch, Tier::quick, toolchain());
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_TRUE(program->helpers_blob.empty());
}

TEST_F(CompileTest, EditThatBeginsToUseTheHelperLibraryLinks) {
  const auto slice = SliceMaker()
                         .prefix("#include \"cudahot/device.cuh\"\n")
                         .kernel("Shade", "__global__ void Shade(unsigned* out) {\n",
                                 "  out[0] = cudahot::device::pcg_hash(out[1]);\n", "}\n")
                         .make();
  for (const Tier tier : {Tier::full, Tier::quick}) {
    const auto cubin = build(slice, tier);
    ASSERT_TRUE(cubin) << message_of(cubin.error());
    EXPECT_NE(facts_of(*cubin, "_Z5ShadePj"), nullptr);
  }
}

TEST_F(CompileTest, ErrorInRegionIsAtTheLineOfTheUsersFile) {
  const auto slice = shade_slice("  value = 1.0f;\n  value = nope;\n").make();
  for (const Tier tier : {Tier::full, Tier::quick}) {
    const auto program = compile(slice, kArch, tier, toolchain());
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().code, ErrorCode::source);
    EXPECT_THAT(program.error().message, HasSubstr("identifier \"nope\" is undefined"));
    EXPECT_EQ(program.error().location, (SourceLocation{"/home/user/shade.cu", 9, 11}));
    ASSERT_EQ(program.error().diagnostics.size(), 1u);
    EXPECT_EQ(program.error().diagnostics.front().frame, "  value = nope;\n          ^\n");
  }
}

TEST_F(CompileTest, UnresolvedFunctionIsNamedAtItsCall) {
  const auto slice =
      SliceMaker()
          .prefix("#line 1 \"shade.cu\"\n__device__ float missing(float);\n")
          .helper("__device__ float twice(float x) ", "{ return 2.0f * x; }\n")
          .kernel("Shade", "__global__ void Shade(float* out) {\n", "\n  out[0] = missing(twice(1));\n", "}\n")
          .make();
  for (const Tier tier : {Tier::full, Tier::quick}) {
    const auto cubin = build(slice, tier);
    ASSERT_FALSE(cubin);
    EXPECT_EQ(cubin.error().code, ErrorCode::link) << region::to_string(tier);
    EXPECT_THAT(cubin.error().message, HasSubstr("'missing(float)'"));
    EXPECT_EQ(cubin.error().location.file, "/home/user/shade.cu");
    EXPECT_EQ(cubin.error().location.line, 5u);
  }
}

TEST_F(CompileTest, QuickTierKeepsADefinitionInThePrefixWhole) {
  // `twice` would be defined in both halves.
  const auto slice =
      SliceMaker()
          .prefix("__device__ float twice(float x) { return 2.0f * x; }\n")
          .helper("__device__ float more(float x) ", "{ return twice(x); }\n")
          .kernel("Shade", "__global__ void Shade(float* out) {\n", "  out[0] = more(twice(1));\n", "}\n")
          .make();
  const auto cubin = build(slice, Tier::quick);
  ASSERT_TRUE(cubin) << message_of(cubin.error());
}

TEST_F(CompileTest, QuickTierLinksDynamicSharedMemory) {
  const auto slice = SliceMaker()
                         .helper("__device__ float more(float x) ", "{ return x + 1; }\n")
                         .kernel("Shade", "__global__ void Shade(float* out) {\n  extern __shared__ float tile[];\n",
                                 "  tile[threadIdx.x] = more(1); __syncthreads(); out[0] = tile[1];\n", "}\n")
                         .make();
  const auto cubin = build(slice, Tier::quick);
  ASSERT_TRUE(cubin) << message_of(cubin.error());
}

TEST_F(CompileTest, DuplicateDefinitionIsRefusedBeforeTheLink) {
  // nvJitLink would take both, say nothing, and produce wrong code.
  const auto slice = SliceMaker()
                         .prefix("__device__ float twice(float x) { return 2.0f * x; }\n")
                         .kernel("Shade", "__global__ void Shade(float* out) {\n", "  out[0] = 1;\n", "}\n")
                         .make();
  const auto compile_relocatable = [](const std::string& text) {
    cuda::NvrtcRequest request;
    request.source = text;
    request.name = "a.cu";
    request.options = {"-arch=sm_90", "-rdc=true", "-default-device"};
    const auto result = (*toolchain().nvrtc())->compile(request);
    return result ? result->blob : result.error().message;
  };
  CompiledProgram program;
  program.form = Form::relocatable_cubin;
  program.blob = compile_relocatable(slice.text);
  program.helpers_blob = compile_relocatable("__device__ float twice(float x) { return 3.0f * x; }\n");
  const auto cubin = link(slice, kArch, program, toolchain(), layers());
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().code, ErrorCode::link);
  EXPECT_THAT(cubin.error().message, HasSubstr("'twice(float)' is defined twice: in the kernels and in the helpers"));
}

TEST_F(CompileTest, DefinitionOfALibraryFunctionIsRefused) {
  const auto slice =
      SliceMaker()
          .prefix("#include \"cudahot/device.cuh\"\n")
          .prefix("namespace cudahot::device { __device__ unsigned pcg_hash(unsigned v) { return v; } }\n")
          .kernel("Shade", "__global__ void Shade(unsigned* out) {\n",
                  "  out[0] = cudahot::device::pcg_hash(cudahot::device::murmur_hash(out[1]));\n", "}\n")
          .uses_library()
          .make();
  for (const Tier tier : {Tier::full, Tier::quick}) {
    const auto cubin = build(slice, tier);
    ASSERT_FALSE(cubin) << region::to_string(tier);
    EXPECT_EQ(cubin.error().code, ErrorCode::link);
    EXPECT_THAT(cubin.error().message, HasSubstr("pcg_hash"));
  }
}

TEST_F(CompileTest, WarningsAreKeptAndMapped) {
  const auto program = compile(shade_slice("  int unused;\n  value = 1;\n").make(), kArch, Tier::full, toolchain());
  ASSERT_TRUE(program);
  ASSERT_EQ(program->warnings.size(), 1u);
  EXPECT_EQ(program->warnings.front().severity, Severity::warning);
  EXPECT_EQ(program->warnings.front().location, (SourceLocation{"/home/user/shade.cu", 8, 7}));
}

TEST_F(CompileTest, KernelOfAnArchitectureSpecificTargetCompiles) {
  const auto cubin = build(shade_slice().make(), Tier::full, SmArch{90, SmArch::Suffix::architecture});
  ASSERT_TRUE(cubin) << message_of(cubin.error());
  EXPECT_EQ(cubin->info.arch, 90u);
}

TEST_F(CompileTest, UnknownArchitectureIsNotTheSourcesFault) {
  const auto program = compile(shade_slice().make(), SmArch{77}, Tier::full, toolchain());
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, ErrorCode::environment);
  EXPECT_THAT(program.error().message, HasSubstr("-arch"));
}

TEST_F(CompileTest, StaticTemplatedAndExternCKernelsAreFound) {
  auto slice =
      SliceMaker()
          .kernel("plain", "extern \"C\" __global__ void plain(float* p) {\n", "  p[0] = 1;\n", "}\n")
          .kernel("ns::hidden", "namespace ns { static __global__ void hidden(float* p) {\n", "  p[0] = 2;\n", "} }\n")
          .kernel("fill<int>", "template <class T> __global__ void fill(T* p) {\n", "  p[0] = 3;\n", "}\n")
          .make();
  slice.kernels[0].name_expression.clear();
  const auto cubin = build(slice, Tier::full);
  ASSERT_TRUE(cubin) << message_of(cubin.error());
  EXPECT_EQ(cubin->info.kernels.size(), 3u);
  EXPECT_THAT(cubin->lowered_names, Contains(Pair("plain", "plain")));
  EXPECT_THAT(cubin->lowered_names, Contains(Pair("fill<int>", "_Z4fillIiEvPT_")));
}

TEST_F(CompileTest, SameSliceGivesSameBytes) {
  const auto slice = shade_slice().make();
  const auto first = build(slice, Tier::full);
  const auto second = build(slice, Tier::full);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->blob, second->blob);
}

}  // namespace
}  // namespace cudahot::build

#include "lib/extract/flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/files.hpp"
#include "lib/extract/flag_words.hpp"

namespace cudahot::extract {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using List = std::vector<std::string>;

struct Case {
  List given;
  List clang;
  List nvrtc;
  List ignored;
};

class Flags : public testing::TestWithParam<Case> {};

TEST_P(Flags, GoWhereTheyMatter) {
  const auto plan = plan_flags(GetParam().given, "/");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->clang, GetParam().clang);
  EXPECT_EQ(plan->nvrtc, GetParam().nvrtc);
  EXPECT_EQ(plan->ignored, GetParam().ignored);
}

INSTANTIATE_TEST_SUITE_P(
    Nvcc, Flags,
    testing::Values(
        //   given                               clang                       NVRTC                    ignored
        Case{{"-I", "inc"}, {"-I", "inc"}, {}, {}}, Case{{"-Iinc"}, {"-I", "inc"}, {}, {}},
        Case{{"--include-path=a b"}, {"-I", "a b"}, {}, {}}, Case{{"-isystem=/p"}, {"-isystem", "/p"}, {}, {}},
        Case{{"-isystem", "/p"}, {"-isystem", "/p"}, {}, {}},
        Case{{"-include", "pre.h"}, {"-include", "pre.h"}, {}, {}}, Case{{"-DN=4"}, {"-DN=4"}, {"-DN=4"}, {}},
        Case{{"-DX"}, {"-DX"}, {"-DX"}, {}}, Case{{"-D", "N=4"}, {"-DN=4"}, {"-DN=4"}, {}},
        Case{{"-DT=float4", "-UT"}, {"-DT=float4", "-UT"}, {"-DT=float4", "-UT"}, {}},
        Case{{"-std=c++20"}, {"-std=c++20"}, {"--std=c++20"}, {}},
        Case{{"--std", "c++17"}, {"-std=c++17"}, {"--std=c++17"}, {}}, Case{{"-rdc=true"}, {"-fgpu-rdc"}, {}, {}},
        Case{{"-rdc=false"}, {}, {}, {}}, Case{{"-dc"}, {"-fgpu-rdc"}, {}, {}},
        Case{{"--use_fast_math"}, {"-fgpu-approx-transcendentals", "-D__USE_FAST_MATH__=1"}, {"--use_fast_math"}, {}},
        Case{{"-ftz=true", "-prec-div=false", "-prec-sqrt=false", "-fmad=false"},
             {},
             {"--ftz=true", "--prec-div=false", "--prec-sqrt=false", "--fmad=false"},
             {}},
        Case{{"-maxrregcount", "32"}, {}, {"--maxrregcount=32"}, {}},
        Case{{"-Xcompiler=-fPIC,-DHOST=1"}, {"-DHOST=1"}, {"-DHOST=1"}, {"-Xcompiler=-fPIC"}},
        Case{{"-O3", "-Wall", "-fPIC", "-mavx2"}, {}, {}, {"-O3", "-Wall", "-fPIC", "-mavx2"}},
        Case{{"-x", "cu", "-c", "-o", "shade.o"}, {}, {}, {"-x=cu", "-c", "-o=shade.o"}},
        Case{{"-forward-unknown-to-host-compiler"}, {}, {}, {"-forward-unknown-to-host-compiler"}},
        // Only the macros by which sources ask for them: neither compiler needs the flag.
        Case{{"--expt-relaxed-constexpr", "--extended-lambda"},
             {"-D__CUDACC_RELAXED_CONSTEXPR__", "-D__CUDACC_EXTENDED_LAMBDA__"},
             {"-D__CUDACC_RELAXED_CONSTEXPR__", "-D__CUDACC_EXTENDED_LAMBDA__"},
             {}},
        Case{{"-diag-suppress", "20199", "-DX"}, {"-DX"}, {"-DX"}, {"-diag-suppress=20199"}},
        Case{{"-Werror", "all-warnings", "-O", "3", "-m", "64", "-DX"},
             {"-DX"},
             {"-DX"},
             {"-Werror=all-warnings", "-O=3", "-m=64"}},
        Case{{"-Werror", "-DX", "-O2"}, {"-DX"}, {"-DX"}, {"-Werror", "-O2"}},
        Case{{"-dlto", "-lineinfo", "-G"},
             {"-fgpu-rdc", "-D__CUDACC_DEBUG__"},
             {"--generate-line-info", "--device-debug"},
             {}}));

INSTANTIATE_TEST_SUITE_P(
    Lists, Flags,
    testing::Values(
        // nvcc splits values at commas, but for those in quotes and behind a backslash.
        Case{{"-DA=1,B"}, {"-DA=1", "-DB"}, {"-DA=1", "-DB"}, {}},
        Case{{"-DA=\"x,y\""}, {"-DA=\"x,y\""}, {"-DA=\"x,y\""}, {}}, Case{{"-DA=x\\,y"}, {"-DA=x,y"}, {"-DA=x,y"}, {}},
        Case{{"-Iinc,more", "-isystem=/p,/q"}, {"-I", "inc", "-I", "more", "-isystem", "/p", "-isystem", "/q"}, {}, {}},
        Case{{"-include", "a.h,b.h"}, {"-include", "a.h", "-include", "b.h"}, {}, {}}));

INSTANTIATE_TEST_SUITE_P(
    HostCompiler, Flags,
    testing::Values(Case{{"-Xcompiler=-fPIC,-O2"}, {}, {}, {"-Xcompiler=-fPIC", "-Xcompiler=-O2"}},
                    Case{{"-Xcompiler", "-fPIC"}, {}, {}, {"-Xcompiler=-fPIC"}},
                    Case{{"-Xcompiler=-O2 -DX=1"}, {"-DX=1"}, {"-DX=1"}, {"-Xcompiler=-O2"}},
                    Case{{"-Xcompiler=-DX=a\\,b"}, {"-DX=a,b"}, {"-DX=a,b"}, {}},
                    Case{{"-Xcompiler=-isystem,/p", "-Xcompiler", "-include", "-Xcompiler", "pre.h"},
                         {"-isystem", "/p", "-include", "pre.h"},
                         {},
                         {}},
                    // GCC's long names.
                    Case{{"-Xcompiler=--define-macro=X,--undefine-macro,Y", "-Xcompiler=--include=pre.h"},
                         {"-DX", "-UY", "-include", "pre.h"},
                         {"-DX", "-UY"},
                         {}},
                    // The host compiler's come first.
                    Case{{"-DX=1", "-Xcompiler=-UX"}, {"-UX", "-DX=1"}, {"-UX", "-DX=1"}, {}}));

INSTANTIATE_TEST_SUITE_P(
    Code, Flags,
    testing::Values(Case{{"-DA", "-ftz=true", "-DB", "--use_fast_math", "-fmad", "false"},
                         {"-DA", "-DB", "-fgpu-approx-transcendentals", "-D__USE_FAST_MATH__=1"},
                         {"-DA", "--ftz=true", "-DB", "--use_fast_math", "--fmad=false"},
                         {}},
                    // Of two the last counts, as in nvcc; NVRTC would warn.
                    Case{{"-ftz=true", "-prec-div=false", "-ftz=false"}, {}, {"--prec-div=false", "--ftz=false"}, {}},
                    Case{{"-Xptxas=-O1,-v", "-Xptxas", "--maxrregcount 32", "--ptxas-options=-dlcm=cg"},
                         {},
                         {"--ptxas-options=-O1", "--ptxas-options=--maxrregcount=32", "--ptxas-options=-dlcm=cg"},
                         {"-Xptxas=-v"}},
                    Case{{"-Ofc", "max", "-jtd=50", "-restrict", "--extra-device-vectorization"},
                         {},
                         {"--Ofast-compile=max", "--jump-table-density=50", "--restrict",
                          "--extra-device-vectorization"},
                         {}}));

INSTANTIATE_TEST_SUITE_P(
    Clang, Flags,
    testing::Values(Case{{"-x", "cuda", "-DF(a,b)=a+b"}, {"-DF(a,b)=a+b"}, {"-DF(a,b)=a+b"}, {"-x=cuda"}},
                    Case{{"--cuda-path=/cuda", "-ffast-math"},
                         {"-fgpu-approx-transcendentals", "-D__USE_FAST_MATH__=1"},
                         {"--use_fast_math"},
                         {"--cuda-path=/cuda"}},
                    Case{{"-fgpu-rdc", "-ffp-contract=off", "-fgpu-flush-denormals-to-zero"},
                         {"-fgpu-rdc"},
                         {"--fmad=false", "--ftz=true"},
                         {}},
                    Case{{"-x", "cuda", "-std=gnu++17"}, {"-std=gnu++17"}, {"--std=c++17"}, {"-x=cuda"}},
                    Case{{"-x", "cuda", "-std=c++2b"}, {"-std=c++2b"}, {"--std=c++20"}, {"-x=cuda"}},
                    // The same words for nvcc are for its host compiler.
                    Case{{"-ffast-math", "-ffp-contract=off"}, {}, {}, {"-ffast-math", "-ffp-contract=off"}},
                    Case{{"-Xclang", "-DX", "-mllvm", "-x"}, {}, {}, {"-Xclang=-DX", "-mllvm=-x"}}));

TEST(Words, ThatAreNoFlagsAreToldApart) {
  const auto plan = plan_flags({"-DA", "shade.cu", "-I", "inc", "-weird", "value"}, "/");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->stray, ElementsAre("shade.cu", "value"));
  EXPECT_THAT(plan->ignored, ElementsAre("-weird"));
  EXPECT_THAT(plan->words, ElementsAre("-DA", "-I", "inc", "-weird"));
}

struct ArchitectureCase {
  List given;
  List named;
  List open;
};

class WantedBy : public testing::TestWithParam<ArchitectureCase> {};

TEST_P(WantedBy, Flags) {
  const auto plan = plan_flags(GetParam().given, "/");
  ASSERT_TRUE(plan) << plan.error().message;
  List named;
  for (const region::SmArch& arch : plan->architectures.named) named.push_back(region::to_string(arch));
  EXPECT_EQ(named, GetParam().named);
  EXPECT_EQ(plan->architectures.open, GetParam().open);
  EXPECT_THAT(plan->ignored, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Nvcc, WantedBy,
    testing::Values(
        ArchitectureCase{{"-arch=sm_90a"}, {"sm_90a"}, {}}, ArchitectureCase{{"-arch", "sm_100f"}, {"sm_100f"}, {}},
        ArchitectureCase{{"--gpu-architecture=compute_80"}, {"sm_80"}, {}},
        // Code that runs, not what it is made of.
        ArchitectureCase{{"-gencode", "arch=compute_90,code=[sm_90,compute_90]"}, {"sm_90"}, {}},
        ArchitectureCase{{"-gencode=arch=compute_86,code=\"sm_86,compute_86\""}, {"sm_86"}, {}},
        ArchitectureCase{{"--generate-code=arch=compute_80,code=compute_80"}, {"sm_80"}, {}},
        ArchitectureCase{{"-gencode=arch=compute_90,code=lto_90"}, {"sm_90"}, {}},
        ArchitectureCase{{"-gencode=arch=compute_100f"}, {"sm_100f"}, {}},
        ArchitectureCase{{"-arch=compute_80", "-code=sm_80,compute_80"}, {"sm_80"}, {}},
        // To nvcc, too, this is code for sm_100f.
        ArchitectureCase{{"-gencode=arch=compute_100f,code=sm_100"}, {"sm_100f"}, {}},
        // -arch counts once, -gencode each time.
        ArchitectureCase{{"-arch=sm_80", "-arch=sm_90"}, {"sm_90"}, {}},
        ArchitectureCase{
            {"-gencode", "arch=compute_90,code=sm_90", "-arch=sm_100a", "--generate-code=arch=compute_90,code=sm_90"},
            {"sm_90", "sm_100a"},
            {}},
        // What the machine or the toolkit decides.
        ArchitectureCase{{"-arch=native"}, {}, {"native"}}, ArchitectureCase{{"-arch=all"}, {}, {"all"}},
        ArchitectureCase{{"-arch=all-major", "-gencode=arch=compute_90,code=sm_90"}, {"sm_90"}, {"all-major"}}));

INSTANTIATE_TEST_SUITE_P(Clang, WantedBy,
                         testing::Values(ArchitectureCase{{"--offload-arch=sm_80,sm_90a", "--cuda-gpu-arch=sm_86"},
                                                          {"sm_80", "sm_90a", "sm_86"},
                                                          {}},
                                         ArchitectureCase{
                                             {"--offload-arch=sm_80,sm_90", "--no-offload-arch=sm_80"}, {"sm_90"}, {}},
                                         ArchitectureCase{{"--offload-arch=native"}, {}, {"native"}}));

// nvcc's __CUDA_ARCH__ is that of the virtual architecture.
TEST(FlagArchitectures, OfCodeMadeOfTheTextForAnotherStandApart) {
  using Crossed = WantedArchitectures::Crossed;
  struct CrossedCase {
    List given;
    std::vector<region::SmArch> named;
    std::vector<Crossed> crossed;
  };
  const region::SmArch sm_80{80};
  const region::SmArch sm_86{86};
  const region::SmArch sm_90{90};
  const region::SmArch sm_90a{90, region::SmArch::Suffix::architecture};
  const region::SmArch sm_100f{100, region::SmArch::Suffix::family};
  const region::SmArch sm_103{103};
  for (const CrossedCase& each : std::initializer_list<CrossedCase>{
           {{"-gencode", "arch=compute_80,code=sm_86"}, {}, {{sm_80, sm_86}}},
           {{"-gencode=arch=compute_80,code=[sm_80,sm_86,compute_80]"}, {sm_80}, {{sm_80, sm_86}}},
           {{"-gencode=arch=compute_80,code=lto_86", "-arch=sm_90"}, {sm_90}, {{sm_80, sm_86}}},
           {{"-gencode=arch=compute_90,code=sm_90a"}, {}, {{sm_90, sm_90a}}},
           {{"-gencode=arch=compute_100f,code=sm_103"}, {}, {{sm_100f, sm_103}}},
           {{"-code=sm_80,sm_86", "-arch=compute_80"}, {sm_80}, {{sm_80, sm_86}}},
           {{"-arch=compute_80", "-code=sm_86", "-arch=compute_86"}, {sm_86}, {}},
       }) {
    const auto plan = plan_flags(each.given, "/");
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->architectures.named, each.named) << each.given.front();
    EXPECT_EQ(plan->architectures.crossed, each.crossed) << each.given.front();
  }
}

TEST(FlagArchitectures, ThatAreMalformedAreUsageErrors) {
  for (const char* flag : {"-arch=sm_x", "-arch=sm_90,sm_80", "-gencode=sm_90", "--offload-arch=,"}) {
    const auto plan = plan_flags({"-arch=sm_90", flag}, "/");
    ASSERT_FALSE(plan) << flag;
    EXPECT_EQ(plan.error().code, ErrorCode::usage);
  }
}

TEST(FlagPaths, ReachTheOutputWithLineInformation) {
  EXPECT_TRUE(plan_flags({"-lineinfo"}, "/")->paths_in_output);
  EXPECT_TRUE(plan_flags({"-G"}, "/")->paths_in_output);
  EXPECT_FALSE(plan_flags({"-DG"}, "/")->paths_in_output);
}

class OptionsFile : public testing::Test {
 protected:
  void write(const std::string& name, std::string_view text) {
    ASSERT_TRUE(base::write_file_atomically(folder_.path() / name, text));
  }
  Result<FlagPlan> plan(const List& flags) { return plan_flags(flags, folder_.path()); }
  std::string path(const std::string& name) { return (folder_.path() / name).string(); }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  base::TemporaryFolder folder_ = base::TemporaryFolder::create("cudahot-flags-test").value();
};

TEST_F(OptionsFile, IsExpandedInPlaceWithItsQuotes) {
  write("inc.rsp", "-I\"/a b/include\"\n-DX=1 \"-I/c\"\n");
  const auto made = plan({"-DA", "--options-file", "inc.rsp", "-DB"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->clang, ElementsAre("-DA", "-I", "/a b/include", "-DX=1", "-I", "/c", "-DB"));
  EXPECT_THAT(made->words, ElementsAre("-DA", "-I/a b/include", "-DX=1", "-I/c", "-DB"));
  EXPECT_THAT(made->files, ElementsAre(path("inc.rsp")));
}

TEST_F(OptionsFile, ReadsBackslashesAndQuotesAsNvccDoes) {
  write("o.rsp", "-DA=a\\ b -DB=\\\"q\\\" -DC='x' -DD=\"a\"\"b\" -DE=\"\\\"a b\\\"\"\r\n");
  const auto made = plan({"-optf=o.rsp"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->nvrtc, ElementsAre("-DA=a b", "-DB=q", "-DC='x'", "-DD=ab", "-DE=a b"));
}

TEST_F(OptionsFile, MayBeSeveralAndNameOthers) {
  write("a.rsp", "-DA --options-file b.rsp");
  write("b.rsp", "-DB");
  write("c.rsp", "-DC");
  const auto made = plan({"--options-file=a.rsp,c.rsp"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->nvrtc, ElementsAre("-DA", "-DB", "-DC"));
}

TEST_F(OptionsFile, WithAnAtSignIsReadAsAShellWould) {
  write("bazel.params", "-DA='a b'\n-DB=\\\"q\\\"\n-x\ncu\n");
  const auto made = plan({"@bazel.params"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->nvrtc, ElementsAre("-DA=a b", "-DB=\"q\""));
  EXPECT_THAT(made->ignored, ElementsAre("-x=cu"));
}

TEST_F(OptionsFile, DecidesWhetherNvccsVariablesApply) {
  write("clang.rsp", "-x cuda");
  write("nvcc.rsp", "-x cu");
  write("more.rsp", "-DB");
  const NvccVariables variables{{"-DA"}, {"--options-file=more.rsp"}};
  EXPECT_THAT(plan_flags({"@clang.rsp", "-DX"}, folder(), variables)->clang, ElementsAre("-DX"));
  EXPECT_THAT(plan_flags({"@nvcc.rsp", "-DX"}, folder(), variables)->clang, ElementsAre("-DA", "-DX", "-DB"));
}

TEST_F(OptionsFile, ThatIncludesItselfIsAUsageErrorWithItsName) {
  write("loop.rsp", "@loop.rsp");
  const auto made = plan({"@loop.rsp"});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::usage);
  EXPECT_THAT(made.error().message, HasSubstr("'loop.rsp' includes itself"));
}

TEST(EnvironmentFlags, AreSplitAsNvccDoes) {
  EXPECT_THAT(split_environment_flags("  -DA=1\t-DB=\"3 4\"  -O3 "), ElementsAre("-DA=1", "-DB=\"3 4\"", "-O3"));
}

TEST_F(OptionsFile, ThatIsMissingIsAUsageErrorWithItsName) {
  const auto plan = plan_flags({"--options-file=nowhere.rsp"}, "/");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::usage);
  EXPECT_THAT(plan.error().message, HasSubstr("nowhere.rsp"));
}

TEST(FlagValues, ThatAreMissingAreUsageErrors) {
  const auto plan = plan_flags({"-I"}, "/");
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("-I needs a value"));
}

}  // namespace
}  // namespace cudahot::extract

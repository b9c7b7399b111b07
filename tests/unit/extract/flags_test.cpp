#include "lib/extract/flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/files.hpp"

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
        Case{{"-x", "cu", "-c", "shade.cu", "-o", "shade.o"}, {}, {}, {"-x=cu", "-c", "shade.cu", "-o=shade.o"}},
        Case{{"-forward-unknown-to-host-compiler", "--expt-relaxed-constexpr"},
             {},
             {},
             {"-forward-unknown-to-host-compiler", "--expt-relaxed-constexpr"}}));

TEST(FlagArchitectures, ComeFromArchAndGencodeInOrder) {
  const auto plan = plan_flags({"-gencode", "arch=compute_90,code=[sm_90,compute_90]", "-arch=sm_100a",
                                "--generate-code=arch=compute_90,code=sm_90"},
                               "/");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->architectures,
              ElementsAre(region::SmArch{90, {}}, region::SmArch{100, region::SmArch::Suffix::architecture}));
}

TEST(FlagArchitectures, ThatTheMachineDecidesAreLeftOut) {
  const auto plan = plan_flags({"-arch=native"}, "/");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->architectures, IsEmpty());
  EXPECT_THAT(plan->ignored, ElementsAre("-arch=native"));
}

TEST(FlagArchitectures, ThatAreMalformedAreUsageErrors) {
  const auto plan = plan_flags({"-arch=sm_x"}, "/");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::usage);
}

TEST(FlagPaths, ReachTheOutputWithLineInformation) {
  EXPECT_TRUE(plan_flags({"-lineinfo"}, "/")->paths_in_output);
  EXPECT_TRUE(plan_flags({"-G"}, "/")->paths_in_output);
  EXPECT_FALSE(plan_flags({"-DG"}, "/")->paths_in_output);
}

TEST(OptionsFile, IsExpandedInPlaceWithItsQuotes) {
  const auto folder = base::TemporaryFolder::create("cudahot-flags-test");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(base::write_file_atomically(folder->path() / "inc.rsp", "-I\"/a b/include\"\n-DX=1 \"-I/c\"\n"));
  const auto plan = plan_flags({"-DA", "--options-file", "inc.rsp", "-DB"}, folder->path());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->clang, ElementsAre("-DA", "-I", "/a b/include", "-DX=1", "-I", "/c", "-DB"));
}

TEST(OptionsFile, ThatIsMissingIsAUsageErrorWithItsName) {
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

#include "lib/build/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/build/slices.hpp"

namespace cudahot::build {
namespace {

using Form = CompiledProgram::Form;
using ::testing::ElementsAre;
using testing::SliceMaker;

const region::SmArch kArch{90, region::SmArch::Suffix::architecture};

cuda::Toolkit toolkit() {
  cuda::Toolkit toolkit;
  toolkit.include = "/cuda/include";
  toolkit.cccl = "/cuda/include/cccl";
  return toolkit;
}

TEST(CompileOptions, AreFixedOnesThenTheUsers) {
  const auto slice = SliceMaker().option("-use_fast_math").option("-DN=3").make();
  EXPECT_THAT(
      compile_options(slice, kArch, Form::cubin, toolkit()),
      ElementsAre("-arch=sm_90a", "-default-device", "-device-int128", "-D__CUDAHOT__=1", "-use_fast_math", "-DN=3"));
}

TEST(CompileOptions, FormIsOursToChoose) {
  const auto slice = SliceMaker().option("-rdc=true").option("-arch=sm_75").option("-dlto").make();
  EXPECT_THAT(compile_options(slice, kArch, Form::relocatable_cubin, toolkit()),
              ElementsAre("-arch=sm_90a", "-default-device", "-device-int128", "-D__CUDAHOT__=1", "-rdc=true"));
  EXPECT_THAT(compile_options(slice, kArch, Form::ltoir, toolkit()),
              ElementsAre("-arch=sm_90a", "-default-device", "-device-int128", "-D__CUDAHOT__=1", "-dlto"));
}

TEST(CompileOptions, IncludeFoldersOnlyWhereTheSliceIncludes) {
  auto slice = SliceMaker().make();
  slice.uses_device_headers = true;
  EXPECT_THAT(compile_options(slice, kArch, Form::cubin, toolkit()),
              ElementsAre("-arch=sm_90a", "-default-device", "-device-int128", "-D__CUDAHOT__=1", "-I/cuda/include",
                          "-I/cuda/include/cccl"));
}

TEST(LinkOptions, LtoRepeatsWhatDecidesTheCode) {
  const auto slice = SliceMaker()
                         .option("-use_fast_math")
                         .option("-fmad=false")
                         .option("--maxrregcount=32")
                         .option("-lineinfo")
                         .option("-DN=3")
                         .make();
  EXPECT_THAT(link_options(slice, kArch, Form::ltoir),
              ElementsAre("-arch=sm_90a", "-lto", "-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=0", "-maxrregcount=32",
                          "-lineinfo"));
  EXPECT_THAT(link_options(slice, kArch, Form::relocatable_cubin), ElementsAre("-arch=sm_90a"));
}

// As nvcc: `-ftz=false -use_fast_math` flushes nothing.
TEST(LinkOptions, FlagsOverruleFastMathWhereverTheyStandAndTheLastCounts) {
  const auto before = SliceMaker().option("--ftz=false").option("--use_fast_math").make();
  EXPECT_THAT(link_options(before, kArch, Form::ltoir),
              ElementsAre("-arch=sm_90a", "-lto", "-ftz=0", "-prec-div=0", "-prec-sqrt=0", "-fma=1"));
  const auto twice = SliceMaker().option("--ftz=false").option("--ftz=true").make();
  EXPECT_THAT(link_options(twice, kArch, Form::ltoir), ElementsAre("-arch=sm_90a", "-lto", "-ftz=1"));
}

TEST(LinkOptions, LtoPassesOnWhatIsForPtxas) {
  const auto slice = SliceMaker().option("--ptxas-options=-O1").make();
  EXPECT_THAT(link_options(slice, kArch, Form::ltoir), ElementsAre("-arch=sm_90a", "-lto", "-Xptxas=-O1"));
}

}  // namespace
}  // namespace cudahot::build

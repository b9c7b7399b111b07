#include "tools/cudahot-cache/slices.hpp"

#include <gmock/gmock.h>

#include "tests/unit/cache/samples.hpp"

namespace cudahot::tool {
namespace {

using cache::Store;
using testing::HasSubstr;

Store::StoredSlice sample() {
  return {region::example_slice(), cache::example_toolkit(), cache::example_helper_library()};
}

TEST(SliceDifference, IsNoneWhereArchitecturesAreAllThatDiffers) {
  Store::StoredSlice a = sample();
  Store::StoredSlice b = sample();
  a.slice.architectures = {{80}};
  a.slice.extract_arguments = {"--arch", "sm_80", "--", "-DX", "-gencode", "arch=compute_80,code=sm_80"};
  b.slice.architectures = {{90}};
  b.slice.extract_arguments = {"--arch", "sm_90", "--", "-DX", "-arch=sm_90"};
  EXPECT_EQ(difference(a, b), "");
}

TEST(SliceDifference, NamesWhatTheCompilerWasGiven) {
  Store::StoredSlice other = sample();
  other.slice.options = {"-G"};
  EXPECT_EQ(difference(sample(), other), "options: -G were -use_fast_math");
  other = sample();
  other.toolkit.nvrtc = "nvrtc-build-2";
  EXPECT_EQ(difference(sample(), other), "toolkit: NVRTC nvrtc-build-2 was nvrtc-build-1");
}

TEST(SliceDifference, NamesWhatElseIsRecorded) {
  Store::StoredSlice other = sample();
  other.slice.files[1].content = base::digest("another header");
  other.slice.working_directory = "/elsewhere";
  other.slice.extract_arguments = {"--", "-DY"};
  EXPECT_EQ(difference(sample(), other),
            "the files that were read; flags: -DY were -Iinclude; the folder it was extracted in");
}

TEST(SliceDifference, FlagsThatAreOptionsOfTheCompilerAreNamedOnce) {
  Store::StoredSlice other = sample();
  other.slice.options = {"-G"};
  other.slice.extract_arguments = {"--", "-G"};
  EXPECT_EQ(difference(sample(), other), "options: -G were -use_fast_math");
}

TEST(SliceDifference, OrderOfFlagsIsNamed) {
  Store::StoredSlice a = sample();
  Store::StoredSlice b = sample();
  a.slice.extract_arguments = {"--", "-DX", "-DY"};
  b.slice.extract_arguments = {"--", "-DY", "-DX"};
  EXPECT_EQ(difference(a, b), "the order of flags");
}

TEST(UniteSlices, HasTheArchitecturesOfBothOnce) {
  Store::StoredSlice a = sample();
  Store::StoredSlice b = sample();
  a.slice.architectures = {{80}, {90}};
  a.slice.extract_arguments = {"--arch", "sm_80,sm_90", "--", "-DX"};
  b.slice.architectures = {{90}, {75}};
  const auto united = unite(a, b);
  EXPECT_EQ(united.slice.architectures, (std::vector<region::SmArch>{{80}, {90}, {75}}));
  EXPECT_EQ(united.slice.extract_arguments, (std::vector<std::string>{"--arch", "sm_80,sm_90,sm_75", "--", "-DX"}));
}

TEST(RestrictSlice, KeepsTheArchitecturesThatAreLeft) {
  Store::StoredSlice a = sample();
  a.slice.architectures = {{80}, {90}};
  EXPECT_EQ(restrict(a, {{90}, {120}}).slice.architectures, (std::vector<region::SmArch>{{90}}));
}

}  // namespace
}  // namespace cudahot::tool

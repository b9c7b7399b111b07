#include "lib/cuda/nvrtc.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/files.hpp"
#include "tests/unit/cuda/compiled.hpp"

namespace cudahot::cuda {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

TEST(Nvrtc, VersionIsThatOfTheHeaders) {
  EXPECT_EQ(testing::nvrtc().major(), static_cast<int>(testing::toolkit().version_major));
  EXPECT_EQ(testing::nvrtc().minor(), static_cast<int>(testing::toolkit().version_minor));
  EXPECT_THAT(testing::nvrtc().supported_architectures(), Contains(90));
}

TEST(Nvrtc, GivesEachFormOfOutput) {
  constexpr std::string_view kSource = "extern \"C\" __global__ void k(int* p) { p[0] = 1; }";
  const auto cubin = testing::compile(kSource);
  const auto ptx = testing::compile(kSource, {"-arch=compute_90"}, NvrtcOutput::ptx);
  const auto ltoir = testing::compile(kSource, {"-arch=sm_90", "-dlto"}, NvrtcOutput::ltoir);
  ASSERT_TRUE(cubin && ptx && ltoir);
  EXPECT_THAT(cubin->blob, StartsWith("\x7f"
                                      "ELF"));
  EXPECT_THAT(ptx->blob, HasSubstr(".visible .entry k("));
  EXPECT_NE(ptx->blob.back(), '\0');
  EXPECT_FALSE(ltoir->blob.empty());
}

TEST(Nvrtc, LowersNameExpressions) {
  NvrtcRequest request;
  request.source = "template <class T> __global__ void k(T* p) {} namespace n { static __global__ void s() {} }";
  request.name = "test.cu";
  request.options = {"-arch=sm_90"};
  request.name_expressions = {"k<float>", "n::s"};
  const auto result = testing::nvrtc().compile(request);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->lowered_names, ElementsAre(Pair("k<float>", "_Z1kIfEvPT_"), Pair("n::s", HasSubstr("s"))));
}

TEST(Nvrtc, HeadersInMemoryAreIncluded) {
  NvrtcRequest request;
  request.source = "#include \"a b/value.cuh\"\nextern \"C\" __global__ void k(int* p) { p[0] = value(); }";
  request.name = "test.cu";
  request.options = {"-arch=sm_90"};
  request.headers = {{"a b/value.cuh", "__device__ int value() { return 3; }"}};
  EXPECT_TRUE(testing::nvrtc().compile(request));
}

TEST(Nvrtc, SourceErrorCarriesTheLog) {
  const auto result = testing::compile("__global__ void k() { nope; }");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::source);
  EXPECT_THAT(result.error().message, StartsWith("test.cu(1): error: identifier \"nope\" is undefined"));
}

TEST(Nvrtc, WarningsAreInTheLogOfASuccess) {
  const auto result = testing::compile("__global__ void k() { int unused; }");
  ASSERT_TRUE(result);
  EXPECT_THAT(result->log, HasSubstr("warning #177-D"));
}

TEST(Nvrtc, UnknownArchitectureIsNotTheSourcesFault) {
  const auto result = testing::compile("", {"-arch=sm_77"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::environment);
}

TEST(Nvrtc, MissingLibraryIsNamed) {
  Toolkit toolkit = testing::toolkit();
  toolkit.nvrtc = "/nowhere/libnvrtc.so.13";
  const auto nvrtc = Nvrtc::load(toolkit);
  ASSERT_FALSE(nvrtc);
  EXPECT_EQ(nvrtc.error().code, ErrorCode::environment);
  EXPECT_THAT(nvrtc.error().message, HasSubstr("/nowhere/libnvrtc.so.13"));
}

TEST(Nvrtc, LibraryOfAnotherVersionThanTheHeadersIsRefused) {
  Toolkit toolkit = testing::toolkit();
  toolkit.version_minor += 1;
  const auto nvrtc = Nvrtc::load(toolkit);
  ASSERT_FALSE(nvrtc);
  EXPECT_EQ(nvrtc.error().code, ErrorCode::environment);
  EXPECT_THAT(nvrtc.error().message, HasSubstr("use one toolkit for both"));
}

TEST(Nvrtc, LibraryThatIsAnotherOneIsRefused) {
  Toolkit toolkit = testing::toolkit();
  toolkit.nvrtc = toolkit.nvjitlink;
  const auto nvrtc = Nvrtc::load(toolkit);
  ASSERT_FALSE(nvrtc);
  EXPECT_THAT(nvrtc.error().message, HasSubstr("has no function nvrtc"));
}

TEST(Nvrtc, MissingBuiltinsLibraryIsNamedBeforeTheFirstCompile) {
  Toolkit toolkit = testing::toolkit();
  toolkit.nvrtc_builtins = "/nowhere/libnvrtc-builtins.so.13.0";
  const auto nvrtc = Nvrtc::load(toolkit);
  ASSERT_FALSE(nvrtc);
  EXPECT_EQ(nvrtc.error().code, ErrorCode::environment);
  EXPECT_THAT(nvrtc.error().message, HasSubstr("builtins library"));
  EXPECT_THAT(nvrtc.error().message, HasSubstr("/nowhere/libnvrtc-builtins.so.13.0"));
}

// The mapped files of this process whose name holds `part`.
std::set<std::string> mapped_files(std::string_view part) {
  std::set<std::string> files;
  std::istringstream maps(base::read_file("/proc/self/maps").value());
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.find('/');
    if (slash != std::string::npos && line.find(part) != std::string::npos) files.insert(line.substr(slash));
  }
  return files;
}

TEST(Nvrtc, BuiltinsLibraryIsTheToolkitsAlsoWhenTheSearchPathHasAnother) {
  ASSERT_TRUE(testing::compile("__global__ void k() {}"));
  EXPECT_THAT(mapped_files("libnvrtc-builtins"),
              ElementsAre(std::filesystem::canonical(testing::toolkit().nvrtc_builtins).string()));
}

}  // namespace
}  // namespace cudahot::cuda

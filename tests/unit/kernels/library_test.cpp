// The library's text as compilers see it.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "evaluation_source.hpp"
#include "kernels/helper_library_source.hpp"
#include "lib/base/files.hpp"
#include "lib/cuda/cubin.hpp"
#include "lib/cuda/nvrtc.hpp"
#include "lib/cuda/toolkit.hpp"

namespace cudahot::kernels {
namespace {

// Name -> how many functions of that name cudahot/device.cuh declares.
std::map<std::string, int> declared_functions() {
  const std::string text(headers().front().text);
  const std::regex declaration("\nCUDAHOT_DEVICE [A-Za-z0-9 ]*[ ]([a-z_0-9]+)\\(");
  std::map<std::string, int> functions;
  for (std::sregex_iterator match(text.begin(), text.end(), declaration), end; match != end; ++match) {
    ++functions[(*match)[1]];
  }
  return functions;
}

// "_ZN7cudahot6device8pcg_hashEj" -> "pcg_hash"; "" for other symbols.
std::string function_of_symbol(const std::string& symbol) {
  const std::string prefix = "_ZN7cudahot6device";
  if (!symbol.starts_with(prefix)) return {};
  std::size_t digits = 0;
  const std::size_t length = std::stoul(symbol.substr(prefix.size()), &digits);
  return symbol.substr(prefix.size() + digits, length);
}

TEST(LibraryText, HasNoIncludesLeft) {
  EXPECT_EQ(helper_library_source().text.find("#include"), std::string_view::npos);
}

TEST(LibraryText, PublicHeaderComesFirst) { EXPECT_EQ(headers().front().name, "cudahot/device.cuh"); }

TEST(LibraryText, EveryDeclaredFunctionIsEvaluatedByTheGpuTest) {
  const auto text = base::read_file(CUDAHOT_EVALUATE_ALL);
  ASSERT_TRUE(text) << text.error().message;
  for (const auto& [name, count] : declared_functions()) {
    EXPECT_NE(text->find("device::" + name + "("), std::string::npos) << name;
  }
}

class CompiledLibrary : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    const auto toolkit = cuda::find_toolkit();
    ASSERT_TRUE(toolkit) << toolkit.error().message;
    auto loaded = cuda::Nvrtc::load(*toolkit);
    ASSERT_TRUE(loaded) << loaded.error().message;
    nvrtc_ = *loaded;
  }

  static Result<cuda::NvrtcResult> compile(std::string source, std::vector<std::string> options,
                                           cuda::NvrtcOutput output = cuda::NvrtcOutput::cubin) {
    cuda::NvrtcRequest request;
    request.source = std::move(source);
    request.name = "test.cu";
    request.options = std::move(options);
    request.options.push_back(std::string("-arch=") + GetParam());
    request.options.emplace_back("-default-device");
    for (const SourceFile& header : headers()) request.headers.emplace_back(header.name, header.text);
    request.output = output;
    return nvrtc_->compile(request);
  }

  static std::shared_ptr<cuda::Nvrtc> nvrtc_;
};
std::shared_ptr<cuda::Nvrtc> CompiledLibrary::nvrtc_;

TEST_P(CompiledLibrary, HasEveryDeclaredFunctionAsAGlobalSymbolAndNoOther) {
  const auto compiled = compile(std::string(helper_library_source().text), {"-rdc=true"});
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_EQ(compiled->log, "");
  const auto cubin = cuda::read_cubin(compiled->blob);
  ASSERT_TRUE(cubin) << cubin.error().message;
  EXPECT_TRUE(cubin->relocatable);
  std::map<std::string, int> found;
  for (const auto& symbol : cubin->symbols) {
    if (symbol.kind != cuda::CubinSymbol::Kind::function || !symbol.defined) continue;
    if (symbol.binding == cuda::CubinSymbol::Binding::local) continue;  // parts of CUDA's own math
    EXPECT_EQ(symbol.binding, cuda::CubinSymbol::Binding::global) << symbol.name;
    ++found[function_of_symbol(symbol.name)];
  }
  EXPECT_EQ(found, declared_functions());
  EXPECT_GE(found.size(), 50u);
}

TEST_P(CompiledLibrary, BecomesLtoIr) {
  const auto compiled = compile(std::string(helper_library_source().text), {"-dlto"}, cuda::NvrtcOutput::ltoir);
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_EQ(compiled->log, "");
  EXPECT_GT(compiled->blob.size(), 10000u);
}

constexpr const char* kUser = R"(
#include <cudahot/device.cuh>
__global__ void user(float* out) {
  using namespace cudahot::device;
  const float3 p = make_float3(out[0], out[1], out[2]);
  out[0] = value_noise(p) + simplex_fbm(p, Octaves{3}) + ease_out_back(out[3]) + rotate(p, Quaternion{}).x;
}
)";

TEST_P(CompiledLibrary, AHotKernelRefersToTheLibrarysSymbols) {
  const auto library = compile(std::string(helper_library_source().text), {"-rdc=true"});
  const auto user = compile(kUser, {"-rdc=true", "-minimal", "-D__CUDAHOT__"});
  ASSERT_TRUE(library && user);
  EXPECT_EQ(user->log, "");
  std::set<std::string> defined;
  const auto library_cubin = cuda::read_cubin(library->blob);
  const auto user_cubin = cuda::read_cubin(user->blob);
  ASSERT_TRUE(library_cubin && user_cubin);
  for (const auto& symbol : library_cubin->symbols) {
    if (symbol.defined) defined.insert(symbol.name);
  }
  std::set<std::string> wanted;
  for (const auto& symbol : user_cubin->symbols) {
    const std::string function = function_of_symbol(symbol.name);
    if (function.empty()) continue;
    EXPECT_FALSE(symbol.defined) << symbol.name << ": only declarations may be seen";
    EXPECT_TRUE(defined.contains(symbol.name)) << symbol.name;
    wanted.insert(function);
  }
  EXPECT_EQ(wanted, (std::set<std::string>{"ease_out_back", "rotate", "simplex_fbm", "value_noise"}));
}

TEST_P(CompiledLibrary, AnOrdinaryBuildNeedsNoLink) {
  const auto user = compile(kUser, {});
  ASSERT_TRUE(user) << user.error().message;
  EXPECT_EQ(user->log, "");
  const auto cubin = cuda::read_cubin(user->blob);
  ASSERT_TRUE(cubin) << cubin.error().message;
  EXPECT_FALSE(cubin->relocatable);
  for (const auto& symbol : cubin->symbols) EXPECT_EQ(function_of_symbol(symbol.name), "") << symbol.name;
}

TEST_P(CompiledLibrary, TheEvaluationOfTheGpuTestCompiles) {
  const auto source = evaluation_source(CUDAHOT_EVALUATE_ALL, 256);
  ASSERT_TRUE(source) << source.error().message;
  const auto compiled = compile(*source, {});
  ASSERT_TRUE(compiled) << compiled.error().message;
}

INSTANTIATE_TEST_SUITE_P(Architectures, CompiledLibrary, testing::Values("sm_75", "sm_90"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace cudahot::kernels

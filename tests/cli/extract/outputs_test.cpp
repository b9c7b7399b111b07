#include <algorithm>

#include <fmt/format.h>

#include "cache/store.hpp"
#include "lib/region/manifest.hpp"
#include "tests/cli/extract/extract_run.hpp"

namespace cudahot::extract_tool {
namespace {

using cache::ArtifactKind;
using cache::Store;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kShade;
using ::testing::UnorderedElementsAre;

class Outputs : public testing::ExtractRun {
 protected:
  // "cubin sm_90 full", ...
  static std::vector<std::string> entries(Store& store) {
    std::vector<std::string> names;
    const auto list = store.list();
    if (!list) return names;
    for (const auto& entry : *list) {
      const char* kind = entry.kind == ArtifactKind::cubin           ? "cubin"
                         : entry.kind == ArtifactKind::library_cubin ? "library cubin"
                                                                     : "library ltoir";
      const auto tier = entry.kind == ArtifactKind::cubin ? region::to_string(entry.tier) : "";
      names.push_back(fmt::format("{} {}{}{}", kind, region::to_string(entry.arch), tier.empty() ? "" : " ", tier));
    }
    return names;
  }
};

TEST_F(Outputs, BundleHoldsSlicesCubinsAndTheHelperLibrary) {
  write("shade.cu", kShade);
  const auto outcome = run({"--arch", "80,90", "--bundle", "out.cudahot", "shade.cu"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(content(), ElementsAre("out.cudahot", "shade.cu"));

  auto bundle = Store::open(folder() / "out.cudahot", Store::Mode::read_only);
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_THAT(entries(*bundle),
              UnorderedElementsAre("cubin sm_80 full", "cubin sm_90 full", "library cubin sm_80", "library ltoir sm_80",
                                   "library cubin sm_90", "library ltoir sm_90"));
  const auto slices = bundle->slices().value();
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].slice.kernels.front().name, "Shade");
  EXPECT_EQ(slices[0].slice.regions.front().name, "shade");
  EXPECT_EQ(slices[0].slice.extract_arguments,
            (std::vector<std::string>{"--arch", "sm_80,sm_90", "--no-nvcc-variables"}));
  EXPECT_EQ(slices[0].slice.working_directory, folder());
  EXPECT_TRUE(bundle->verify().value().empty());
}

TEST_F(Outputs, CpuDeviceIsAnArchitectureBesideGpus) {
  write("shade.cu", kShade);
  const auto outcome = run({"--arch", "cpu-x86-64,90", "--tier", "quick", "--bundle", "out.cudahot", "shade.cu"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  auto bundle = Store::open(folder() / "out.cudahot", Store::Mode::read_only);
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_THAT(entries(*bundle), UnorderedElementsAre("cubin cpu-x86-64 full", "cubin sm_90 full", "cubin sm_90 quick",
                                                     "library cubin sm_90", "library ltoir sm_90"));
  const auto slices = bundle->slices().value();
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].slice.extract_arguments,
            (std::vector<std::string>{"--arch", "cpu-x86-64,sm_90", "--no-nvcc-variables"}));
  EXPECT_THAT(slices[0].toolkit.nvrtc, ::testing::Not(HasSubstr("clang")));
  EXPECT_TRUE(bundle->verify().value().empty());
}

TEST_F(Outputs, BundleForTheCpuDeviceAloneNamesItsClangSoThatAStartNeedsNone) {
  write("shade.cu", kShade);
  ASSERT_EQ(run({"--arch", "cpu-x86-64", "--bundle", "out.cudahot", "shade.cu"}).exit_code, 0);
  auto bundle = Store::open(folder() / "out.cudahot", Store::Mode::read_only);
  ASSERT_TRUE(bundle) << bundle.error().message;
  const auto slices = bundle->slices().value();
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_THAT(slices[0].toolkit.nvrtc, HasSubstr("clang"));
  const auto key = cache::cubin_key(slices[0].slice, region::kCpuX86_64, region::Tier::full, slices[0].toolkit,
                                    slices[0].helper_library);
  EXPECT_TRUE(bundle->find(key).value().has_value());
}

// It is parsed as for the oldest GPU, which lacks some of what the CPU device has.
TEST_F(Outputs, NothingOfTheCpuDeviceIsWarnedOf) {
  write("shade.cu",
        "extern \"C\" __global__ void Total(unsigned* out) {\n"
        "#pragma cudahot begin(total)\n"
        "  *out = __reduce_add_sync(~0u, threadIdx.x) + __reduce_max_sync(~0u, -1) + __reduce_xor_sync(~0u, 1u);\n"
        "#pragma cudahot end\n"
        "}\n");
  const auto outcome = run({"--arch", "cpu-x86-64", "--bundle", "out.cudahot", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Outputs, CpuDeviceIsListedByCudahotCache) {
  write("shade.cu", kShade);
  const auto outcome = run({"--arch", "cpu-x86-64", "--bundle", "out.cudahot", "shade.cu"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  base::ProcessRequest request;
  const auto tool = std::filesystem::path(testing::program()).parent_path() / "cudahot-cache";
  request.arguments = {tool.string(), "--db", (folder() / "out.cudahot").string(), "ls", "--arch", "cpu-x86-64"};
  const auto listed = base::run_process(request);
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(listed->exit_code, 0) << listed->err;
  EXPECT_THAT(listed->out, HasSubstr("Shade"));
  EXPECT_THAT(listed->out, HasSubstr("cpu-x86-64"));
}

TEST_F(Outputs, QuickTierIsAddedWhenAskedFor) {
  write("shade.cu", kShade);
  ASSERT_EQ(run({"--arch", "90", "--tier", "quick", "--bundle", "out.cudahot", "shade.cu"}).exit_code, 0);
  auto bundle = Store::open(folder() / "out.cudahot", Store::Mode::read_only);
  EXPECT_THAT(entries(*bundle), UnorderedElementsAre("cubin sm_90 full", "cubin sm_90 quick", "library cubin sm_90",
                                                     "library ltoir sm_90"));
}

TEST_F(Outputs, OnlyWhatChangedIsCompiledAgain) {
  write("shade.cu", kShade);
  const std::vector<std::string> arguments = {"--arch", "90", "--bundle", "out.cudahot", "--json", "shade.cu"};
  const auto compiled = [&] {
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["files"][0]["cubins"][0]["compiled"].get<bool>();
  };
  EXPECT_TRUE(compiled());
  EXPECT_FALSE(compiled());
  std::string text(kShade);
  text.replace(text.find("3.0f"), 4, "4.0f");
  write("shade.cu", text);
  EXPECT_TRUE(compiled());
}

TEST_F(Outputs, CacheGetsWhatWasCompiled) {
  write("shade.cu", kShade);
  ASSERT_EQ(run({"--arch", "90", "--cache", "my cache/c.db", "shade.cu"}).exit_code, 0);
  auto store = Store::open(folder() / "my cache/c.db", Store::Mode::inspect);
  ASSERT_TRUE(store) << store.error().message;
  const auto names = entries(*store);
  EXPECT_NE(std::ranges::find(names, "cubin sm_90 full"), names.end());
}

TEST_F(Outputs, DepfileEscapesSpaces) {
  write("my shade.cu", "#include \"my noise.cuh\"\n" + std::string(kShade));
  write("my noise.cuh", "#pragma once\n");
  const auto outcome = run({"--arch", "90", "--bundle", "my out.cudahot", "--depfile", "out.d", "my shade.cu"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string text = read("out.d");
  EXPECT_THAT(text, ::testing::StartsWith("my\\ out.cudahot:"));
  EXPECT_THAT(text, HasSubstr("/my\\ shade.cu"));
  EXPECT_THAT(text, HasSubstr("/my\\ noise.cuh"));
}

TEST_F(Outputs, EmittedSliceIsAManifestThatReadsBack) {
  write("shade.cu", kShade);
  const auto outcome = run({"--emit-slice", "slices", "--depfile", "out.d", "shade.cu"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(content(),
              UnorderedElementsAre("out.d", "shade.cu", "slices", "slices/shade.slice.cu", "slices/shade.slice.json"));
  const auto slice = region::from_manifest(read("slices/shade.slice.json"));
  ASSERT_TRUE(slice) << slice.error().message;
  EXPECT_EQ(slice->text, read("slices/shade.slice.cu"));
  EXPECT_EQ(slice->regions.front().name, "shade");
}

TEST_F(Outputs, SlicesOfEarlierRunsStandForTheirSources) {
  write("shade.cu", kShade);
  write("plain.cu", "__global__ void plain() {}\n");
  ASSERT_EQ(run({"--arch", "90", "--allow-no-region", "--emit-slice", "slices", "shade.cu", "plain.cu"}).exit_code, 0);
  std::filesystem::remove(folder() / "shade.cu");
  const auto outcome = run({"--bundle", "out.cudahot", "--json", "slices/shade.slice.json", "slices/plain.slice.json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto files = nlohmann::json::parse(outcome.out)["files"];
  EXPECT_EQ(files[0]["file"], (folder() / "shade.cu").string());
  EXPECT_EQ(files[0]["cubins"][0]["architecture"], "sm_90");
  EXPECT_TRUE(files[1]["cubins"].empty());
  EXPECT_EQ(Store::open(folder() / "out.cudahot", Store::Mode::read_only)->slices()->size(), 1u);

  EXPECT_EQ(run({"--bundle", "none.cudahot", "slices/plain.slice.json"}).exit_code, 1);
}

TEST_F(Outputs, SlicesHaveTheArchitecturesThatTheSourceWouldBeCompiledFor) {
  write("shade.cu", kShade);
  for (const std::vector<std::string>& flags : std::initializer_list<std::vector<std::string>>{
           {}, {"--", "-arch=all-major"}, {"--arch", "all-major"}, {"--", "-gencode=arch=compute_90a,code=sm_90a"}}) {
    const auto with_flags = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.end(), flags.begin(), flags.end());
      return arguments;
    };
    const auto direct = architectures(with_flags({"--json", "--check", "shade.cu"}));
    EXPECT_FALSE(direct.empty());
    EXPECT_EQ(run(with_flags({"--emit-slice", "slices", "shade.cu"})).exit_code, 0);
    EXPECT_EQ(architectures({"--json", "--check", "slices/shade.slice.json"}), direct);
  }
}

TEST_F(Outputs, SlicesThatCannotBeUsedAreNamedEachAndTheOthersAreCompiled) {
  write("shade.cu", kShade);
  ASSERT_EQ(run({"--arch", "90", "--emit-slice", ".", "shade.cu"}).exit_code, 0);
  std::string faulty(kShade);
  faulty.replace(faulty.find("twice(3.0f)"), 11, "nope(3.0f)");
  write("faulty.cu", faulty);
  write("empty.slice.json", "");
  write("broken.slice.json", R"({"version": 2, "text": 7})");
  write("newer.slice.json", R"({"version": 99})");
  const auto outcome = run({"--arch", "90", "--bundle", "out.cudahot", "nope.slice.json", "empty.slice.json",
                            "broken.slice.json", "shade.slice.json", "newer.slice.json", "faulty.cu"});
  EXPECT_EQ(outcome.exit_code, 3);
  for (const char* part :
       {"error: cannot read 'nope.slice.json': No such file or directory\n",
        "error: 'empty.slice.json' is not a slice: the manifest cannot be read: it is no JSON from byte 1 on; make it "
        "again with --emit-slice\n",
        "error: 'broken.slice.json' is not a slice: the manifest cannot be used: there is no 'text_encoding' ",
        "error: 'newer.slice.json' is not a slice: the manifest cannot be used: version 99 is none of 1 to 4",
        "faulty.cu:5:11: error: "}) {
    EXPECT_THAT(outcome.err, HasSubstr(part));
  }
  EXPECT_EQ(testing::count(outcome.err, "error: "), 5) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder() / "out.cudahot"));

  // A file that is not there is wrong usage, whichever it is; one that is no slice is not.
  EXPECT_EQ(run({"--check", "nope.slice.json"}).exit_code, 2);
  EXPECT_EQ(run({"--check", "nope.slice.json", "shade.slice.json"}).exit_code, 2);
  EXPECT_EQ(run({"--check", "empty.slice.json"}).exit_code, 3);
}

TEST_F(Outputs, JsonCarriesDiagnosticsAndDependencies) {
  std::string text(kShade);
  text.replace(text.find("twice(3.0f)"), 11, "nope(3.0f)");
  write("shade.cu", text);
  const auto outcome = run({"--arch", "90", "--json", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 1);
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["exit_code"], 1);
  ASSERT_EQ(document["diagnostics"].size(), 1u);
  EXPECT_EQ(document["diagnostics"][0]["severity"], "error");
  EXPECT_EQ(document["diagnostics"][0]["line"], 5);
  EXPECT_EQ(document["diagnostics"][0]["file"], (folder() / "shade.cu").string());
  EXPECT_EQ(document["files"][0]["dependencies"][0], (folder() / "shade.cu").string());
}

// As compilers do; the JSON tells who waits for a faulty source to be mended what to watch.
TEST_F(Outputs, FaultySourceLeavesNoDepfileButTellsWhatItReads) {
  write("shade.cu", "#include \"noise.cuh\"\n" + std::string(kShade) + "int x = ;\n");
  write("noise.cuh", "#pragma once\n");
  const auto outcome = run({"--emit-slice", "slices", "--depfile", "out.d", "--json", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("/noise.cuh"));
  EXPECT_THAT(content(), UnorderedElementsAre("noise.cuh", "shade.cu", "slices"));
}

TEST_F(Outputs, OfWhichOneCannotBeWrittenAreAllLeftAsTheyWere) {
  write("left.cu", kShade);
  write("right.cu", kShade);
  const std::vector<std::string> arguments = {"--arch",      "90",        "--emit-slice", "slices",  "--bundle",
                                              "out.cudahot", "--depfile", "out.d",        "left.cu", "right.cu"};
  ASSERT_EQ(run(arguments).exit_code, 0);
  std::filesystem::remove(folder() / "slices/right.slice.json");
  std::filesystem::create_directory(folder() / "slices/right.slice.json");
  const auto written = [&] {
    std::string all;
    for (const char* name :
         {"slices/left.slice.cu", "slices/left.slice.json", "slices/right.slice.cu", "out.cudahot", "out.d"}) {
      all += read(name);
    }
    return all;
  };
  const std::string before = written();
  const auto names = content();
  write("left.cu", std::string(kShade) + "// edited\n");
  write("right.cu", std::string(kShade) + "// edited\n");
  const auto outcome = run(arguments);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err, "cudahot-extract: error: cannot write 'slices/right.slice.json': it is a folder\n");
  EXPECT_EQ(content(), names);
  EXPECT_TRUE(written() == before);
}

}  // namespace
}  // namespace cudahot::extract_tool

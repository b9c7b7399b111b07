// cudahot_add_bundle() in a small project, with both generators: what is made, and what is made again.
#include <algorithm>
#include <sstream>

#include "cache/store.hpp"
#include "lib/base/paths.hpp"
#include "tests/cli/extract/extract_run.hpp"
#include "tests/support/checkout.hpp"

namespace cudahot::extract_tool {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kShade;

std::string kernel(const std::string& name) {
  std::string text(kShade);
  for (const char* word : {"Shade", "twice"}) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 8)) {
      text.insert(at + 5, name);
    }
  }
  return text;
}

class BundleProject : public testing::ExtractRun, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    for (const char* needed : {"cmake", "ninja", "make"}) {
      if (!base::find_program(needed)) GTEST_SKIP() << "no " << needed;
    }
    // The program, which writes down what it is asked for.
    write("bin/cudahot-extract", "#!/bin/sh\necho \"$*\" >> '" + log().string() + "'\nexec '" +
                                     std::filesystem::absolute(testing::program()).string() + "' \"$@\"\n");
    std::filesystem::permissions(folder() / "bin/cudahot-extract", std::filesystem::perms::owner_all);
    write("CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.10)\n"  // older policies than the module needs
          "project(app LANGUAGES NONE)\n"
          "include(\"" +
              std::filesystem::absolute(test_support::checkout()).lexically_normal().string() +
              "/cmake/CudahotBundle.cmake\")\n"
              "add_subdirectory(kernels)\n"
              "get_target_property(bundle scene CUDAHOT_BUNDLE)\n"
              "add_custom_target(copy ALL COMMAND \"${CMAKE_COMMAND}\" -E copy \"${bundle}\" copy.cudahot VERBATIM)\n"
              "add_dependencies(copy scene)\n");
    write("kernels/CMakeLists.txt",
          "cudahot_add_bundle(scene SOURCES left.cu right.cu plain.cu ARCHITECTURES 80 90-real\n"
          "  OPTIONS -I include \"$<$<BOOL:1>:-DGAIN=2;-DSHIFT=1>\" \"$<$<BOOL:0>:-DNOTHING>\")\n"
          "cudahot_add_bundle(sky SOURCES \"$<$<BOOL:1>:sky.cu>\" OUTPUT \"made here/sky.cudahot\" ARCHITECTURES "
          "$<1:90>)\n");
    const std::string check = "static_assert(GAIN == 2 && SHIFT == 1);\n";
    write("kernels/include/left.cuh", "#pragma once\n#define LEFT 1\n");
    write("kernels/include/right.cuh", "#pragma once\n#define RIGHT 1\n");
    write("kernels/left.cu", "#include \"left.cuh\"\n" + check + kernel("Left"));
    write("kernels/right.cu", "#include \"right.cuh\"\n" + check + kernel("Right"));
    write("kernels/plain.cu", "__global__ void Plain() {}\n");
    write("kernels/sky.cu", kernel("Sky"));
  }

  std::filesystem::path log() const { return folder() / "log"; }

  base::ProcessOutcome cmake(const std::vector<std::string>& arguments) const {
    base::ProcessRequest request;
    request.arguments = {"cmake"};
    request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
    request.working_directory = folder();
    return base::run_process(request).value();
  }

  base::ProcessOutcome configure() const {
    return cmake({"-G", GetParam(), "-S", ".", "-B", "build",
                  "-DCUDAHOT_EXTRACT=" + (folder() / "bin/cudahot-extract").string()});
  }

  // Builds; gives the main input of each run of the program, in alphabetical order.
  std::vector<std::string> build() const {
    std::filesystem::remove(log());
    const auto outcome = cmake({"--build", "build"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    std::vector<std::string> inputs;
    const auto text = base::read_file(log());
    std::istringstream lines(text ? *text : "");
    for (std::string line; std::getline(lines, line);) {
      for (const char* input : {"left.cu", "right.cu", "plain.cu", "sky.cu", "left.slice.json"}) {
        if (line.find(std::string("/") + input) != std::string::npos || line.ends_with(std::string(" ") + input)) {
          inputs.emplace_back(input);
        }
      }
    }
    std::ranges::sort(inputs);
    return inputs;
  }

  std::vector<std::string> kernels(const std::string& bundle) const {
    auto store = cache::Store::open(folder() / bundle, cache::Store::Mode::read_only);
    EXPECT_TRUE(store) << store.error().message;
    if (!store) return {};
    std::vector<std::string> names;
    const auto entries = store->list();
    for (const auto& entry : *entries) {
      if (entry.kind == cache::ArtifactKind::cubin) names.push_back(entry.name + " " + region::to_string(entry.arch));
    }
    std::ranges::sort(names);
    return names;
  }
};

TEST_P(BundleProject, RedoesJustWhatReadAChangedFile) {
  ASSERT_EQ(configure().exit_code, 0);
  EXPECT_THAT(build(), ElementsAre("left.cu", "left.slice.json", "plain.cu", "right.cu", "sky.cu"));
  EXPECT_THAT(kernels("build/copy.cudahot"),
              ElementsAre("ShadeLeft sm_80", "ShadeLeft sm_90", "ShadeRight sm_80", "ShadeRight sm_90"));
  EXPECT_THAT(kernels("build/kernels/made here/sky.cudahot"), ElementsAre("ShadeSky sm_90"));
  EXPECT_THAT(build(), IsEmpty());

  write("kernels/include/right.cuh", "#pragma once\n#define RIGHT 2\n");
  EXPECT_THAT(build(), ElementsAre("left.slice.json", "right.cu"));
  EXPECT_THAT(build(), IsEmpty());

  write("kernels/sky.cu", kernel("Cloud"));
  EXPECT_THAT(build(), ElementsAre("sky.cu"));
  EXPECT_THAT(kernels("build/kernels/made here/sky.cudahot"), ElementsAre("ShadeCloud sm_90"));

  write("bin/cudahot-extract", read("bin/cudahot-extract"));
  EXPECT_THAT(build(), ElementsAre("left.cu", "left.slice.json", "plain.cu", "right.cu", "sky.cu"));
  EXPECT_THAT(build(), IsEmpty());
}

// As far as there is a GPU here; where there is none, neither is made.
TEST_P(BundleProject, ArchitecturesAreTheSameForOneSourceAndForSeveral) {
  const std::string options = " OPTIONS -Iinclude -DGAIN=2 -DSHIFT=1 -arch=native)\n";
  write("kernels/CMakeLists.txt", "cudahot_add_bundle(single SOURCES left.cu" + options +
                                      "cudahot_add_bundle(scene SOURCES left.cu plain.cu" + options);
  ASSERT_EQ(configure().exit_code, 0);
  const auto single = cmake({"--build", "build", "--target", "single"});
  const auto scene = cmake({"--build", "build", "--target", "scene"});
  EXPECT_EQ(scene.exit_code == 0, single.exit_code == 0) << scene.out << scene.err;
  if (single.exit_code == 0) {
    EXPECT_EQ(kernels("build/kernels/scene.cudahot"), kernels("build/kernels/single.cudahot"));
    return;
  }
  for (const auto& failed : {single, scene}) {
    EXPECT_THAT(failed.out + failed.err, ::testing::HasSubstr("'native' is that of this machine's GPU"));
  }
}

INSTANTIATE_TEST_SUITE_P(Generators, BundleProject, ::testing::Values("Ninja", "Unix Makefiles"),
                         [](const auto& each) { return std::string(each.param).substr(0, 4); });

}  // namespace
}  // namespace cudahot::extract_tool

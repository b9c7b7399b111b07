// Command lines as compilers and build systems have them.
#include "lib/base/paths.hpp"
#include "tests/cli/extract/extract_run.hpp"
#include "tests/support/checkout.hpp"

namespace cudahot::extract_tool {
namespace {

using testing::count;
using ::testing::HasSubstr;
using testing::kShade;
using ::testing::Not;

class CommandLines : public testing::ExtractRun {
 protected:
  // A file that is only accepted with PIXELS 3.
  void write_picky(const std::filesystem::path& name) const {
    write(name, std::string(kShade) + "static_assert(PIXELS == 3);\n");
  }
};

TEST_F(CommandLines, OfNvccAreUnderstoodWithTheirOptionsFiles) {
  write("my headers/tint.cuh", "#pragma once\n__device__ inline float tint(float x) { return x * GAIN; }\n");
  write("includes.rsp", "-I\"" + (folder() / "my headers").string() + "\" -DGAIN=2\n");
  write("shade.cu",
        "#include \"tint.cuh\"\n"
        "struct Light { float red; };\n"
        "__global__ void __cluster_dims__(2, 1, 1) Shade(float* out, const __grid_constant__ Light light) {\n"
        "#pragma cudahot begin(shade)\n"
        "  out[threadIdx.x] = tint(light.red);\n"
        "#pragma cudahot end\n"
        "}\n"
        "template <class F> __global__ void Apply(float* p, F f) { *p = f(*p); }\n"
        "void host(float* p) { Apply<<<1, 1>>>(p, [] __device__(float x) { return x + x; }); }\n");
  const auto outcome = run({"-v",
                            "--bundle",
                            "out.cudahot",
                            "--emit-slice",
                            "slices",
                            "--depfile",
                            "out.d",
                            "shade.cu",
                            "--",
                            "--options-file",
                            "includes.rsp",
                            "--generate-code=arch=compute_90,code=[compute_90,sm_90]",
                            "-Xcompiler=-fPIC",
                            "-rdc=true",
                            "--extended-lambda",
                            "-forward-unknown-to-host-compiler",
                            "-diag-suppress",
                            "20199",
                            "-x",
                            "cu"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("shade.cu: sm_90 full: "));
  const std::string slice = read("slices/shade.slice.cu");
  EXPECT_THAT(slice, HasSubstr("__cluster_dims__(2, 1, 1) Shade(float* out, const __grid_constant__ Light light)"));
  for (const char* flag : {"-Xcompiler=-fPIC", "-forward-unknown-to-host-compiler", "-diag-suppress=20199", "-x=cu"}) {
    EXPECT_THAT(outcome.err, HasSubstr(std::string("flag '") + flag + "' has no meaning here\n"));
  }
  EXPECT_EQ(count(outcome.err, "has no meaning here"), 4) << outcome.err;
  EXPECT_EQ(count(outcome.err, "warning"), 0) << outcome.err;
  // A changed options file makes another bundle.
  std::string depfile = read("out.d");
  EXPECT_THAT(depfile, HasSubstr("/includes.rsp"));
}

TEST_F(CommandLines, VariablesOfNvccStandAroundItsFlags) {
  write_picky("shade.cu");
  const std::vector<std::string> variables = {"NVCC_PREPEND_FLAGS=-DPIXELS=1", "NVCC_APPEND_FLAGS=-arch=sm_80"};
  const auto outcome = run({"--json", "shade.cu", "--", "-arch=sm_90", "-UPIXELS", "-DPIXELS=3"}, variables);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["files"][0]["cubins"][0]["architecture"], "sm_80");
  EXPECT_EQ(run({"--list", "shade.cu"}, {"NVCC_APPEND_FLAGS=-DPIXELS=3"}).exit_code, 0);
  // Not nvcc's flags, or flags that the variables are in already.
  EXPECT_EQ(run({"--list", "shade.cu", "--", "-x", "cuda"}, {"NVCC_APPEND_FLAGS=-DPIXELS=3"}).exit_code, 1);
  write("clang.params", "-x cuda");
  EXPECT_EQ(run({"--list", "shade.cu", "--", "@clang.params"}, {"NVCC_APPEND_FLAGS=-DPIXELS=3"}).exit_code, 1);
  EXPECT_EQ(run({"--list", "--no-nvcc-variables", "shade.cu"}, {"NVCC_APPEND_FLAGS=-DPIXELS=3"}).exit_code, 1);
}

TEST_F(CommandLines, SliceRecordsFlagsSoThatTheyNeedNeitherVariablesNorFiles) {
  write_picky("shade.cu");
  write("pixels.rsp", "-DPIXELS=3");
  const auto outcome =
      run({"--emit-slice", "slices", "shade.cu", "--", "@pixels.rsp"}, {"NVCC_PREPEND_FLAGS=-DFROM_VARIABLE"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto arguments = nlohmann::json::parse(read("slices/shade.slice.json"))["extract_arguments"];
  EXPECT_EQ(arguments[2], "--no-nvcc-variables");
  EXPECT_EQ(arguments[3], "--");
  EXPECT_EQ(arguments[4], "-DFROM_VARIABLE");
  EXPECT_EQ(arguments[5], "-DPIXELS=3");
  EXPECT_EQ(arguments.size(), 6u);
}

TEST_F(CommandLines, WordsThatAreNoFlagsAreNamed) {
  write("shade.cu", kShade);
  const auto outcome = run({"--list", "shade.cu", "--", "other.cu", "-DA"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err,
            "cudahot-extract: warning: 'other.cu' stands among the compiler flags and is none: it is ignored\n"
            "  hint: name source files before --\n");
}

TEST_F(CommandLines, MissingOptionsFileIsNamed) {
  write("shade.cu", kShade);
  const auto outcome = run({"--list", "shade.cu", "--", "--options-file", "nowhere.rsp"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cannot read the options file 'nowhere.rsp'"));
}

TEST_F(CommandLines, AllMajorIsTheFirstOfEachGenerationAndTheOldest) {
  write("shade.cu", kShade);
  const auto names = architectures({"--json", "shade.cu", "--", "-arch=all-major"});
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.front(), "sm_75");
  EXPECT_NE(std::ranges::find(names, "sm_90"), names.end());
  EXPECT_EQ(std::ranges::find(names, "sm_86"), names.end());
}

TEST_F(CommandLines, NativeWithoutAGpuIsOneErrorThatSaysWhatToDo) {
  write("shade.cu", kShade);
  if (run({"--arch", "native", "shade.cu"}).exit_code == 0) GTEST_SKIP() << "a GPU is here";
  for (const std::vector<std::string>& arguments : std::initializer_list<std::vector<std::string>>{
           {"--arch", "native", "shade.cu"},
           {"shade.cu", "--", "-arch=native"},
           {"--emit-slice", "slices", "shade.cu", "--", "-arch=native"},
       }) {
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_EQ(count(outcome.err, "error: "), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("'native' is that of this machine's GPU, and none is found: "));
    EXPECT_THAT(outcome.err, HasSubstr("--arch 90"));
  }
  // Whoever names one needs none to be found.
  EXPECT_EQ(run({"--arch", "90", "shade.cu", "--", "-arch=native"}).exit_code, 0);
}

TEST_F(CommandLines, CodeOfTheTextForAnotherArchitectureIsRefusedByName) {
  write("shade.cu", std::string(kShade) + "#ifdef __CUDA_ARCH__\nstatic_assert(__CUDA_ARCH__ == 860);\n#endif\n");
  const std::vector<std::string> flags = {"--", "-gencode", "arch=compute_80,code=sm_86"};
  std::vector<std::string> arguments = {"--json", "shade.cu"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const auto refused = run(arguments);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(
      refused.err,
      "cudahot-extract: error: arch=compute_80,code=sm_86: code for sm_86 of the text as compute_80 sees it "
      "(__CUDA_ARCH__ 800) cannot be made here; write arch=compute_86,code=sm_86, or --arch 86 for cudahot alone\n");
  arguments.insert(arguments.begin(), {"--arch", "86"});
  EXPECT_THAT(architectures(arguments), ::testing::ElementsAre("sm_86"));
}

TEST_F(CommandLines, SeparateCompilationOfADatabaseCounts) {
  write("shade.cu",
        "__global__ void Child() {}\n"
        "__global__ void Shade(int n) {\n"
        "#pragma cudahot begin(shade)\n"
        "  if (n > 1) Child<<<1, 1>>>();\n"
        "#pragma cudahot end\n"
        "}\n");
  const auto listed = [&](const std::string& flags) {
    write("compile_commands.json", R"([{"directory": ")" + folder().string() +
                                       R"(", "file": "shade.cu", "command": "nvcc )" + flags + R"( shade.cu"}])");
    return run({"--list", "-p", ".", "shade.cu"});
  };
  EXPECT_EQ(listed("-c").exit_code, 1);
  const auto separate = listed("-dc -o shade.o");
  EXPECT_EQ(separate.exit_code, 0) << separate.err;
}

TEST_F(CommandLines, OfBazelComeAsArgumentsWithParameterFiles) {
  write("execroot/src/shade.cu",
        "#include \"lib/half it.cuh\"\n" + std::string(kShade) + "static_assert(PIXELS == 3);\n");
  write("execroot/src/lib/half it.cuh", "#pragma once\n");
  write("execroot/bazel-out/shade.params",
        "'-DTEXT=\"a b\"'\n-DPIXELS=3\n--generate-code=arch=compute_90a,code=sm_90a\n");
  write("compile_commands.json",
        R"([{"directory": ")" + (folder() / "execroot").string() + R"(", "file": "src/shade.cu",
    "arguments": ["env", "TMPDIR=/tmp", "external/cuda/bin/nvcc", "-x", "cu", "-iquote", "src", "-isystem", "external/none", "-MD", "-MF",
                  "bazel-out/shade.d", "-frandom-seed=bazel-out/shade.o", "@bazel-out/shade.params",
                  "-Xcompiler=-fstack-protector,-Wall", "-c", "src/shade.cu", "-o", "bazel-out/shade.o"]}])");
  EXPECT_THAT(architectures({"--json", "-p", ".", "execroot/src/shade.cu"}), ::testing::ElementsAre("sm_90a"));
}

TEST_F(CommandLines, FirstOfSeveralEntriesCounts) {
  write_picky("shade.cu");
  const std::string entry = R"({"directory": ")" + folder().string() + R"(", "file": "shade.cu", "command": "nvcc )";
  write("compile_commands.json",
        "[" + entry + R"(-DPIXELS=3 -c shade.cu"}, )" + entry + R"(-DPIXELS=4 -c shade.cu"}])");
  const auto outcome = run({"-v", "--list", "-p", ".", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("shade.cu: the compilation database has 2 entries for it"));
}

// They reach the compiler and, with the helper library, the linker, which takes each only once.
TEST_F(CommandLines, MathFlagsMayOverruleOneAnother) {
  write("shade.cu",
        "#include <cudahot/device.cuh>\n"
        "__global__ void Shade(float* out, float a) {\n"
        "#pragma cudahot begin(shade)\n"
        "  out[threadIdx.x] = cudahot::device::value_noise(make_float2(a, 1 / a));\n"
        "#pragma cudahot end\n"
        "}\n");
  const std::string library = (test_support::checkout() / "kernels" / "include").lexically_normal().string();
  const auto key = [&](std::vector<std::string> flags) {
    std::vector<std::string> arguments = {"--json", "--arch", "90", "shade.cu", "--", "-I", library};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    return document["files"][0]["cubins"][0].value("key", "");
  };
  const std::string precise = key({"-ftz=false", "-use_fast_math"});
  EXPECT_NE(precise, "");
  EXPECT_NE(key({"-use_fast_math"}), precise);
  EXPECT_NE(key({"-use_fast_math", "-fmad=false"}), precise);
}

class DatabaseOfCMake : public CommandLines, public ::testing::WithParamInterface<const char*> {};

TEST_P(DatabaseOfCMake, GivesTheFlags) {
  for (const char* needed : {"cmake", "ninja", "make", "nvcc"}) {
    if (!base::find_program(needed)) GTEST_SKIP() << "no " << needed;
  }
  write("CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\n"
        "project(shade LANGUAGES CXX CUDA)\n"
        "add_library(shade STATIC shade.cu)\n"
        "target_include_directories(shade PRIVATE \"my headers\")\n"
        "target_include_directories(shade SYSTEM PRIVATE system)\n"
        "target_compile_definitions(shade PRIVATE TEXT=\"a b\" PIXELS=3)\n"
        "target_compile_options(shade PRIVATE -Xcompiler=-Wall,-Wextra --extended-lambda \"SHELL:-diag-suppress "
        "20199\")\n"
        "set_target_properties(shade PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON)\n");
  write("my headers/half it.cuh", "#pragma once\n");
  write("system/whole.cuh", "#pragma once\n");
  write("shade.cu", "#include \"half it.cuh\"\n#include <whole.cuh>\n" + std::string(kShade) +
                        "static_assert(PIXELS == 3 && sizeof(TEXT) == 4);\n");
  base::ProcessRequest request;
  // Architectures are not tried out: the compiler is known to work.
  request.arguments = {"cmake",
                       "-G",
                       GetParam(),
                       "-S",
                       ".",
                       "-B",
                       "build",
                       "-DCMAKE_CUDA_ARCHITECTURES=80;90-real",
                       "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"};
  request.working_directory = folder();
  const auto configured = base::run_process(request);
  ASSERT_TRUE(configured) << configured.error().message;
  ASSERT_EQ(configured->exit_code, 0) << configured->out << configured->err;
  EXPECT_THAT(architectures({"--json", "-p", "build", "shade.cu"}), ::testing::ElementsAre("sm_80", "sm_90"));
  const auto verbose = run({"-v", "--list", "-p", "build", "shade.cu"});
  EXPECT_EQ(verbose.exit_code, 0) << verbose.err;
  for (const char* flag : {"-forward-unknown-to-host-compiler", "-Xcompiler=-fPIC", "-Xcompiler=-Wextra",
                           "-diag-suppress=20199", "-x=cu"}) {
    EXPECT_THAT(verbose.err, HasSubstr(std::string("flag '") + flag + "' has no meaning here\n"));
  }
  EXPECT_THAT(verbose.err, Not(HasSubstr("warning")));
}

INSTANTIATE_TEST_SUITE_P(Generators, DatabaseOfCMake, ::testing::Values("Ninja", "Unix Makefiles"),
                         [](const auto& each) { return std::string(each.param).substr(0, 4); });

}  // namespace
}  // namespace cudahot::extract_tool

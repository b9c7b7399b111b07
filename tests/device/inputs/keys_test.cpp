// What makes a new CUBIN and what does not: the files behind a region, their folder, flags.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/device/inputs/project.hpp"

namespace cudahot::inputs {
namespace {

namespace fs = std::filesystem;

class Keys : public Project {
 protected:
  // Whether cudahot-extract compiled "fill.cu" of `folder`, or had all in the bundle that the test keeps.
  bool compiles(const fs::path& folder, const std::vector<std::string>& flags = {}) const {
    std::vector<std::string> arguments = {"--json", (folder / "fill.cu").string(), "--"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto outcome = extract(arguments, path("kept.cudahot"));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out, nullptr, false);
    if (document.is_discarded()) return false;
    return document["files"][0]["cubins"][0]["compiled"].get<bool>();
  }
};

class OldModificationTime : public Keys {
 protected:
  void save_gain(int gain) const {
    save("b.h", "#pragma once\n#define GAIN " + std::to_string(gain) + "\n");
    fs::last_write_time(path("b.h"), fs::file_time_type::clock::now() - std::chrono::hours(24 * 365));
  }
  void save_project() const {
    save_gain(2);
    save("a.cuh", "#include \"b.h\"\n__device__ inline int gained(int x) { return GAIN * x; }\n");
    save("fill.cu", source_);
  }

  const std::string source_ = fill_source("  out[0] = gained(value);", "#include \"a.cuh\"\n");
};

TEST_F(OldModificationTime, OfAHeaderHidesNoChangeFromTheBuild) {
  save_project();
  EXPECT_TRUE(compiles(folder_));
  EXPECT_FALSE(compiles(folder_));
  save_gain(3);
  EXPECT_TRUE(compiles(folder_));
}

TEST_F(OldModificationTime, OfAHeaderHidesNoChangeFromTheProgram) {
  save_project();
  const Fill fill = start_fill(Mode::manual, source_);
  EXPECT_EQ(run(fill, 5), 10);
  save_gain(3);
  const Status reloaded = runtime_->reload();
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_EQ(run(fill, 5), 15);
}

class MovedTree : public Keys {
 protected:
  void save_trees(const std::string& statement) const {
    for (const char* tree : {"here/", "there/deeper/"}) {
      save(std::string(tree) + "lib/gain.cuh", "__device__ inline int gained(int x) { return 2 * x; }\n");
      save(std::string(tree) + "fill.cu", fill_source(statement, "#include \"lib/gain.cuh\"\n"));
    }
  }
  bool compiles_there(const std::vector<std::string>& flags = {}) const {
    return compiles(path("there/deeper"), flags);
  }
};

TEST_F(MovedTree, IsCompiledOnce) {
  save_trees("  out[0] = gained(value);");
  EXPECT_TRUE(compiles(path("here")));
  EXPECT_FALSE(compiles_there());
}

TEST_F(MovedTree, IsCompiledOnceWithItsIncludeFolders) {
  save_trees("  out[0] = gained(value);");
  EXPECT_TRUE(compiles(path("here"), {"-I" + path("here/lib").string(), "-DA"}));
  EXPECT_FALSE(compiles_there({"-I" + path("there/deeper/lib").string(), "-DA"}));
}

TEST_F(MovedTree, IsCompiledAgainForLinesThatNameItsFolder) {
  save_trees("  out[0] = gained(value);");
  EXPECT_TRUE(compiles(path("here"), {"-lineinfo"}));
  EXPECT_TRUE(compiles_there({"-lineinfo"}));
}

TEST_F(MovedTree, IsCompiledAgainForATextThatNamesItsFolder) {
  save_trees("  out[0] = gained(value) + __FILE__[0];");
  EXPECT_TRUE(compiles(path("here")));
  EXPECT_TRUE(compiles_there());
}

TEST_F(MovedTree, IsCompiledAgainForAFlagThatChangesCode) {
  save_trees("  out[0] = gained(value);");
  EXPECT_TRUE(compiles(path("here")));
  EXPECT_TRUE(compiles_there({"--use_fast_math"}));
  EXPECT_FALSE(compiles_there({"-use_fast_math"}));
  EXPECT_TRUE(compiles_there({"-DA"}));
}

}  // namespace
}  // namespace cudahot::inputs

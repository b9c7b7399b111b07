// What makes a new CUBIN and what does not: the files behind a region, their folder, flags.
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "tests/device/inputs/project.hpp"
#include "tests/unit/base/scoped_environment.hpp"

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

// As an archive is unpacked over a project: the text another, size and time the same.
TEST_F(OldModificationTime, OfAHeaderHidesNoChangeFromAProgramThatStarts) {
  std::size_t events = 0;
  for (const Mode mode : {Mode::manual, Mode::automatic}) {
    save_project();
    const auto bundle = path("old.cudahot");
    ASSERT_EQ(extract({"fill.cu"}, bundle).exit_code, 0);
    const auto time = fs::last_write_time(path("b.h"));
    save_gain(3);
    fs::last_write_time(path("b.h"), time);
    const Fill fill = start_with(bundle, mode).kernel<void(int*, int)>("Fill");
    EXPECT_EQ(events_.await_one(events++).kind, Kind::live);
    EXPECT_EQ(run(fill, 5), 15);
    runtime_.reset();
  }
}

TEST_F(OldModificationTime, OfAHeaderThatIsWrittenInPlaceHidesNoChangeFromTheProgram) {
  save_project();
  const Fill fill = start_fill(Mode::manual, source_);
  ASSERT_TRUE(runtime_->reload());
  const auto time = fs::last_write_time(path("b.h"));
  std::ofstream(path("b.h"), std::ios::binary) << "#pragma once\n#define GAIN 3\n";
  fs::last_write_time(path("b.h"), time);
  const Status reloaded = runtime_->reload();
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_EQ(run(fill, 5), 15);
}

class OtherHeader : public Keys {};

TEST_F(OtherHeader, ThatAppearsEarlierOnTheIncludePathIsRead) {
  save("late/gain.h", "#define GAIN 2\n");
  save("early/other.h", "");
  save("fill.cu", fill_source("  out[0] = GAIN * value;", "#include <gain.h>\n"));
  const std::vector<std::string> arguments = {"fill.cu", "--", "-Iearly", "-Ilate"};
  const Fill fill = start(Mode::automatic, arguments).kernel<void(int*, int)>("Fill");
  EXPECT_EQ(run(fill, 5), 10);
  save("early/gain.h", "#define GAIN 3\n");
  EXPECT_EQ(events_.await_one(0).kind, Kind::live);
  EXPECT_EQ(run(fill, 5), 15);
  fs::remove(path("early/gain.h"));
}

TEST_F(OtherHeader, ThatHasIncludeAsksForIsReadWhenItAppears) {
  save("fill.cu", fill_source("  out[0] = GAIN * value;",
                              "#if __has_include(\"gain.h\")\n#include \"gain.h\"\n#else\n#define GAIN 2\n#endif\n"));
  const Fill fill = start(Mode::automatic, {"fill.cu"}).kernel<void(int*, int)>("Fill");
  EXPECT_EQ(run(fill, 5), 10);
  save("gain.h", "#define GAIN 3\n");
  EXPECT_EQ(events_.await_one(0).kind, Kind::live);
  EXPECT_EQ(run(fill, 5), 15);
  fs::remove(path("gain.h"));
  EXPECT_EQ(events_.await_one(1).kind, Kind::live);
  EXPECT_EQ(run(fill, 5), 10);
}

TEST_F(OtherHeader, ThatWasMissingIsReadWhenItAppears) {
  const Fill fill = start_fill(Mode::automatic, fill_source("  out[0] = 2 * value;"));
  save("fill.cu", fill_source("  out[0] = GAIN * value;", "#include \"gain.h\"\n"));
  EXPECT_EQ(events_.await_one(0).kind, Kind::failed);
  EXPECT_EQ(run(fill, 5), 10);
  save("gain.h", "#define GAIN 3\n");
  EXPECT_EQ(events_.await_one(1).kind, Kind::live);
  EXPECT_EQ(run(fill, 5), 15);
}

class TimeOfExtraction : public Keys {};

TEST_F(TimeOfExtraction, IsInTheKeyAndNotTheTimeOfTheCompile) {
  save("fill.cu", fill_source("  out[0] = __TIME__[7];"));
  const base::ScopedEnvironment early("SOURCE_DATE_EPOCH", "1000000000");
  EXPECT_TRUE(compiles(folder_));
  EXPECT_FALSE(compiles(folder_));
  const base::ScopedEnvironment late("SOURCE_DATE_EPOCH", "1000000001");
  EXPECT_TRUE(compiles(folder_));
}

TEST_F(TimeOfExtraction, IsTakenWhenAnEditFirstUsesIt) {
  const base::ScopedEnvironment epoch("SOURCE_DATE_EPOCH", "1000000000");  // 01:46:40
  const Fill fill = start_fill(Mode::manual, fill_source("  out[0] = value;"));
  save("fill.cu", fill_source("  out[0] = __TIME__[6];"));
  const Status reloaded = runtime_->reload();
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_EQ(run(fill, 5), '4');
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

// Through a cache and cudahot-cache: the same entry for both trees.
TEST_F(MovedTree, HasOneEntryInACache) {
  save_trees("  out[0] = gained(value);");
  const auto entries_after = [&](const char* tree, const std::vector<std::string>& flags) {
    std::vector<std::string> command = {(test_support::built_programs() / "cudahot-extract").string(),
                                        "--arch",
                                        architecture_,
                                        "--cache",
                                        "cache.db",
                                        (path(tree) / "fill.cu").string(),
                                        "--"};
    command.insert(command.end(), flags.begin(), flags.end());
    base::ProcessRequest request;
    request.working_directory = folder_;
    request.arguments = std::move(command);
    EXPECT_EQ(base::run_process(request).value().exit_code, 0);
    request.arguments = {(test_support::built_programs() / "cudahot-cache").string(), "--db", "cache.db", "ls",
                         "--json"};
    const auto listed = nlohmann::json::parse(base::run_process(request).value().out);
    return std::ranges::count_if(listed["entries"], [](const auto& entry) { return entry["kind"] == "cubin"; });
  };
  EXPECT_EQ(entries_after("here", {}), 1);
  EXPECT_EQ(entries_after("there/deeper", {}), 1);
  EXPECT_EQ(entries_after("here", {"-lineinfo"}), 2);
  EXPECT_EQ(entries_after("there/deeper", {"-lineinfo"}), 3);
  EXPECT_EQ(entries_after("there/deeper", {"--use_fast_math"}), 4);
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

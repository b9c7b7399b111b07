#include "tools/cudahot-extract/compile_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lib/base/files.hpp"

namespace cudahot::extract_tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Database : public testing::Test {
 protected:
  // One entry a command, all of the file NAME.cu in the folder.
  void write(const std::vector<std::pair<std::string, std::string>>& commands) {
    auto entries = nlohmann::json::array();
    for (const auto& [name, command] : commands) {
      entries.push_back(
          {{"directory", (folder() / "build").string()}, {"file", "../" + name + ".cu"}, {"command", command}});
    }
    ASSERT_TRUE(base::write_file_atomically(folder() / "compile_commands.json", entries.dump()));
  }
  Result<CompilationDatabase> read() const { return CompilationDatabase::read(folder()); }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  base::TemporaryFolder folder_ = base::TemporaryFolder::create("cudahot-database-test").value();
};

// The flags are sorted elsewhere, whether they come from here or from the command line.
TEST_F(Database, GivesEveryWordBehindTheCompilerButTheFile) {
  struct Case {
    const char* command;
    std::vector<std::string> flags;
  };
  for (const Case& each : std::initializer_list<Case>{
           {"nvcc -dc -x cu ../shade.cu -o shade.o", {"-dc", "-x", "cu", "-o", "shade.o"}},
           {"nvcc -MD -MT shade.o -MF shade.d -c ../shade.cu", {"-MD", "-MT", "shade.o", "-MF", "shade.d", "-c"}},
           {"/usr/bin/ccache nvcc -dlto -dw ./../shade.cu", {"-dlto", "-dw"}},
           {"env A=1 ccache /cuda/bin/nvcc --output-file shade.o ../other.cu ../shade.cu",
            {"--output-file", "shade.o", "../other.cu"}},
           {"clang++ -MMD -x cuda -- ../shade.cu", {"-MMD", "-x", "cuda"}},
           {"nvcc", {}},
           {"", {}},
       }) {
    write({{"shade", each.command}});
    const auto found = read()->flags_of(folder() / "shade.cu");
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->flags, each.flags) << each.command;
    EXPECT_EQ(found->working_directory, folder() / "build");
  }
}

TEST_F(Database, IsReadOnceForAllFiles) {
  write({{"left", "nvcc -DLEFT=1"}, {"right", "nvcc -DRIGHT"}, {"left", "nvcc -DLEFT=2"}});
  const auto database = read();
  ASSERT_TRUE(database) << database.error().message;
  std::filesystem::remove(folder() / "compile_commands.json");
  EXPECT_THAT(database->flags_of(folder() / "left.cu")->flags, ElementsAre("-DLEFT=1"));
  EXPECT_EQ(database->flags_of(folder() / "left.cu")->entries, 2u);
  EXPECT_THAT(database->flags_of(folder() / "right.cu")->flags, ElementsAre("-DRIGHT"));
  EXPECT_THAT(database->flags_of(folder() / "none.cu").error().message, HasSubstr("has no entry for"));
}

TEST_F(Database, ThatIsNoneIsAUsageError) {
  ASSERT_TRUE(base::write_file_atomically(folder() / "compile_commands.json", "{}"));
  const auto database = read();
  ASSERT_FALSE(database);
  EXPECT_EQ(database.error().code, ErrorCode::usage);
  EXPECT_THAT(database.error().message, HasSubstr("is not a compilation database"));
}

}  // namespace
}  // namespace cudahot::extract_tool

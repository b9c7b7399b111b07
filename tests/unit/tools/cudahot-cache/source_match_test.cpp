#include "tools/cudahot-cache/source_match.hpp"

#include <gmock/gmock.h>

#include "lib/base/files.hpp"

namespace cudahot::tool {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kStored = {"/a/src/shade.cu", "/b/src/shade.cu", "/a/src/blur.cu"};

TEST(MatchSource, TakesThePathItselfBeforePathsThatEndSo) {
  const SourceMatch match = match_source("/a/src/../src/shade.cu", kStored);
  EXPECT_THAT(match.sources, ElementsAre("/a/src/shade.cu"));
  EXPECT_TRUE(match.same_file);
}

TEST(MatchSource, TakesEndsByWholeComponents) {
  EXPECT_THAT(match_source("shade.cu", kStored).sources, ElementsAre("/a/src/shade.cu", "/b/src/shade.cu"));
  EXPECT_THAT(match_source("b/src/shade.cu", kStored).sources, ElementsAre("/b/src/shade.cu"));
  EXPECT_FALSE(match_source("shade.cu", kStored).same_file);
  EXPECT_THAT(match_source("ade.cu", kStored).sources, IsEmpty());
  EXPECT_THAT(match_source("x/a/src/shade.cu", kStored).sources, IsEmpty());
  EXPECT_THAT(match_source("", kStored).sources, IsEmpty());
}

TEST(MatchSource, SeesThroughLinksOnBothSides) {
  const auto folder = base::TemporaryFolder::create("source match").value();
  fs::create_directory(folder.path() / "real");
  ASSERT_TRUE(base::write_file_atomically(folder.path() / "real/shade.cu", ""));
  fs::create_symlink("real", folder.path() / "link");
  const std::string real = folder.path() / "real/shade.cu";
  const std::string link = folder.path() / "link/shade.cu";
  EXPECT_THAT(match_source(link, {real}).sources, ElementsAre(real));
  EXPECT_THAT(match_source(real, {link, "/other.cu", real}).sources, ElementsAre(link, real));
}

}  // namespace
}  // namespace cudahot::tool

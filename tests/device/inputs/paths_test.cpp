// Names and texts of files as people have them.
#include <cstdint>
#include <functional>

#include "tests/device/inputs/project.hpp"

namespace cudahot::inputs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kByteOrderMark = "\xef\xbb\xbf";

std::string with_carriage_returns(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\n' ? "\r\n" : std::string(1, c);
  return result;
}

class Paths : public Project {
 protected:
  Paths() : Project("cudahot größe 画 & co") {}

  Fill start_in(Mode mode, const std::string& name, const std::string& text) {
    save(name, text);
    auto fill = start(mode, {name}).kernel<void(int*, int)>("Fill");
    EXPECT_TRUE(fill) << fill.error().message;
    return fill;
  }
  // The newest failure is one diagnostic, at `line` of `name`.
  void expect_error_at(const std::string& name, std::uint32_t line) const {
    const auto events = events_.events();
    ASSERT_FALSE(events.empty());
    ASSERT_EQ(events.back().kind, Kind::failed);
    ASSERT_THAT(events.back().error.diagnostics, SizeIs(1));
    EXPECT_EQ(events.back().error.diagnostics[0].location.file, path(name).string());
    EXPECT_EQ(events.back().error.diagnostics[0].location.line, line);
    EXPECT_THAT(events.back().error.diagnostics[0].frame, HasSubstr("out[0] = nope;"));
  }
  void expect_live_edits(const Fill& fill, const std::function<void(const std::string& statement)>& edit) {
    edit(adding(2));
    const Status reloaded = runtime_->reload();
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    EXPECT_EQ(run(fill, 5), 7);
    edit("  out[0] = nope;");
    EXPECT_FALSE(runtime_->reload());
    EXPECT_EQ(run(fill, 5), 7);
  }
};

TEST_F(Paths, MayHoldBlanksAndLettersOfAnyScript) {
  const std::string name = "un fichier à moi.cu";
  const Fill fill = start_in(Mode::manual, name, fill_source(adding(1)));
  EXPECT_EQ(run(fill, 5), 6);
  expect_live_edits(fill, [&](const std::string& statement) { save(name, fill_source(statement)); });
  expect_error_at(name, 3);
  // Outside the region, too.
  save(name, fill_source(adding(3), "__device__ int unused;\n#error on purpose\n"));
  const Status refused = runtime_->reload();
  ASSERT_FALSE(refused);
  ASSERT_FALSE(refused.error().diagnostics.empty());
  EXPECT_EQ(refused.error().diagnostics[0].location.file, path(name).string());
  EXPECT_EQ(refused.error().diagnostics[0].location.line, 2u);
}

TEST_F(Paths, OfHeadersMayHoldThemToo) {
  save("kopf teil/größe.cuh", "__device__ inline int size() { return 1; }\n");
  const std::string source = fill_source("  out[0] = value + size();", "#include \"kopf teil/größe.cuh\"\n");
  const Fill fill = start_in(Mode::manual, "fill.cu", source);
  EXPECT_EQ(run(fill, 5), 6);
  save("kopf teil/größe.cuh", "__device__ inline int size() { return 2; }\n");
  const Status reloaded = runtime_->reload();
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_EQ(run(fill, 5), 7);
}

TEST_F(Paths, OfATextWithAByteOrderMarkAndCarriageReturns) {
  const auto windows = [](const std::string& statement) {
    return kByteOrderMark + with_carriage_returns(fill_source(statement));
  };
  const Fill fill = start_in(Mode::manual, "fill.cu", windows(adding(1)));
  EXPECT_EQ(run(fill, 5), 6);
  expect_live_edits(fill, [&](const std::string& statement) { save("fill.cu", windows(statement)); });
  expect_error_at("fill.cu", 3);
  EXPECT_THAT(events_.events()[0].regions, ElementsAre("fill"));
  EXPECT_EQ(events_.events()[0].timings.extract, 0);  // spliced
}

TEST_F(Paths, WithOtherLineEndsAreNoEdit) {
  const Fill fill = start_in(Mode::manual, "fill.cu", with_carriage_returns(fill_source(adding(1))));
  save("fill.cu", kByteOrderMark + fill_source(adding(1)));
  EXPECT_TRUE(runtime_->reload());
  EXPECT_THAT(events_.events(), SizeIs(0));
}

TEST_F(Paths, OfALinkAreThoseThatTheUserOpened) {
  save("elsewhere/real.cu", fill_source(adding(1)));
  std::filesystem::create_symlink("elsewhere/real.cu", path("link.cu"));
  const Fill fill = start(Mode::manual, {"link.cu"}).kernel<void(int*, int)>("Fill");
  ASSERT_TRUE(fill) << fill.error().message;
  EXPECT_EQ(fill.info().source, path("link.cu").string());
  EXPECT_EQ(run(fill, 5), 6);
  expect_live_edits(fill, [&](const std::string& statement) { save("elsewhere/real.cu", fill_source(statement)); });
  expect_error_at("link.cu", 3);

  // The link may come to point elsewhere.
  save("elsewhere/other.cu", fill_source(adding(3)));
  std::filesystem::remove(path("link.cu"));
  std::filesystem::create_symlink("elsewhere/other.cu", path("link.cu"));
  const Status reloaded = runtime_->reload();
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_EQ(run(fill, 5), 8);
}

TEST_F(Paths, OfALinkedFolderAreWatchedByThemselves) {
  save("real/fill.cu", fill_source(adding(1)));
  std::filesystem::create_directory_symlink("real", path("linked"));
  const Fill fill = start(Mode::automatic, {"linked/fill.cu"}).kernel<void(int*, int)>("Fill");
  ASSERT_TRUE(fill) << fill.error().message;
  save("real/fill.cu", fill_source("  out[0] = nope;"));
  events_.await_one(0);
  expect_error_at("linked/fill.cu", 3);
  save("linked/fill.cu", fill_source(adding(2)));
  EXPECT_EQ(events_.await_one(1).kind, Kind::live);
  EXPECT_EQ(run(fill, 5), 7);
}

// A generator writes #line so that messages lead to what it was given.
TEST_F(Paths, OfGeneratedSourceAreThoseThatItsLineDirectivesName) {
  const auto generated = [](const std::string& statement) {
    return "#line 500 \"fill.template\"\n" + fill_source(statement, "// made from fill.template\n");
  };
  const Fill fill = start_in(Mode::manual, "fill.cu", generated(adding(1)));
  EXPECT_EQ(run(fill, 5), 6);
  expect_live_edits(fill, [&](const std::string& statement) { save("fill.cu", generated(statement)); });
  const ReloadEvent failed = events_.await_one(1);
  ASSERT_THAT(failed.error.diagnostics, SizeIs(1));
  EXPECT_EQ(failed.error.diagnostics[0].location.file, "fill.template");
  EXPECT_EQ(failed.error.diagnostics[0].location.line, 503u);
  EXPECT_THAT(failed.error.diagnostics[0].frame, HasSubstr("out[0] = nope;"));
}

}  // namespace
}  // namespace cudahot::inputs

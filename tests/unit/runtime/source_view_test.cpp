#include "lib/runtime/source_view.hpp"

#include <gmock/gmock.h>

#include "lib/runtime/reslice.hpp"
#include "tests/unit/runtime/workbench.hpp"

namespace cudahot::runtime {
namespace {

using testing::kSource;

class SourceViewTest : public ::testing::Test {
 protected:
  SourceViewTest() : folder_(std::move(*base::TemporaryFolder::create("cudahot-view-test"))) {
    write(kSource);
    slice_ = testing::slice_of(path(), std::string(kSource));
    view_.adopt(slice_);
  }

  std::string path() const { return (folder_.path() / "shade.cu").string(); }
  void write(std::string_view text) { ASSERT_TRUE(base::write_file_atomically(path(), text)); }
  static FileChange change_of(const std::string& file, std::string text, std::chrono::steady_clock::time_point read) {
    const base::Digest digest = base::digest(text);
    return {file, {std::move(text), digest}, read, read};
  }

  base::TemporaryFolder folder_;
  region::Slice slice_;
  SourceView view_;
};

TEST_F(SourceViewTest, HasTheFingerprintOfTheSliceUntilAFileChanges) {
  const base::Digest before = view_.fingerprint();
  view_.refresh();
  EXPECT_EQ(view_.fingerprint(), before);
  write("other");
  view_.refresh();
  EXPECT_NE(view_.fingerprint(), before);
  EXPECT_EQ(*view_.text(path()), "other");
  write(kSource);
  view_.refresh();
  EXPECT_EQ(view_.fingerprint(), before);
}

TEST_F(SourceViewTest, IgnoresAChangeThatIsOlderThanWhatWasRead) {
  const auto before = std::chrono::steady_clock::now();
  write("newest");
  view_.refresh();
  view_.apply(change_of(path(), "older", before));
  EXPECT_EQ(*view_.text(path()), "newest");
  view_.apply(change_of(path(), "even newer", std::chrono::steady_clock::now()));
  EXPECT_EQ(*view_.text(path()), "even newer");
}

TEST_F(SourceViewTest, KeepsTheContentOfAFileThatIsGone) {
  view_.refresh();
  const base::Digest before = view_.fingerprint();
  std::filesystem::remove(path());
  view_.refresh();
  EXPECT_EQ(view_.fingerprint(), before);
}

TEST_F(SourceViewTest, LooksAgainWhereHeadersWereLookedFor) {
  const std::string header = (folder_.path() / "a.cuh").string();
  slice_.lookups = {{header, false}};
  view_.adopt(slice_);
  const base::Digest before = view_.fingerprint();
  view_.refresh();
  EXPECT_EQ(view_.fingerprint(), before);
  EXPECT_EQ(reslice(slice_, view_)->kind, region::SpliceOutcome::Kind::unchanged);
  ASSERT_TRUE(base::write_file_atomically(header, ""));
  view_.refresh();
  EXPECT_NE(view_.fingerprint(), before);
  EXPECT_EQ(reslice(slice_, view_)->kind, region::SpliceOutcome::Kind::needs_extraction);
  std::filesystem::remove(header);
  view_.refresh();
  EXPECT_EQ(view_.fingerprint(), before);
}

TEST_F(SourceViewTest, TakesTheLossOfAFileThatHasIncludeFoundForAnotherAnswer) {
  slice_.lookups = {{path(), true}};
  view_.adopt(slice_);
  view_.refresh();
  std::filesystem::remove(path());
  EXPECT_TRUE(view_.refresh().empty());
  EXPECT_EQ(reslice(slice_, view_)->kind, region::SpliceOutcome::Kind::needs_extraction);
}

TEST_F(SourceViewTest, TakesSystemHeadersAsTheyAreUntilTheyChange) {
  const std::string header = (folder_.path() / "system.h").string();
  ASSERT_TRUE(base::write_file_atomically(header, "of this machine"));
  slice_.files.push_back({header, "system.h", region::FileRecord::Role::other, base::digest("of another"), {}});
  SourceView view;
  view.adopt(slice_);
  const base::Digest before = view.fingerprint();
  view.refresh();
  EXPECT_EQ(view.fingerprint(), before);
  ASSERT_TRUE(base::write_file_atomically(header, "edited on this machine"));
  view.refresh();
  EXPECT_NE(view.fingerprint(), before);
}

}  // namespace
}  // namespace cudahot::runtime

#include "lib/build/text_map.hpp"

#include <gtest/gtest.h>

#include "tests/unit/build/slices.hpp"

namespace cudahot::build {
namespace {

region::Slice slice_of(std::string_view text) {
  auto slice = testing::SliceMaker().prefix(text).make();
  region::FileRecord header;
  header.path = "/home/user/a b.cuh";
  header.virtual_name = "a b.cuh";
  slice.files.push_back(header);
  return slice;
}

TEST(LocationAt, FollowsLineDirectives) {
  const std::string text =
      "one\n#line 10 \"a b.cuh\"\nten\neleven\n#line 3 \"shade.cu\"\n  three\n# 7 \"other.h\"\nseven\n";
  const auto slice = slice_of(text);
  EXPECT_EQ(location_at(slice, text.find("one")), (SourceLocation{"/home/user/shade.cu", 1, 1}));
  EXPECT_EQ(location_at(slice, text.find("eleven")), (SourceLocation{"/home/user/a b.cuh", 11, 1}));
  EXPECT_EQ(location_at(slice, text.find("three")), (SourceLocation{"/home/user/shade.cu", 3, 3}));
  EXPECT_EQ(location_at(slice, text.find("seven\n")), (SourceLocation{"other.h", 7, 1}));
}

TEST(LocationAt, LineWithoutNameKeepsTheFile) {
  const std::string text = "#line 10 \"a b.cuh\"\nten\n#line 20\ntwenty\n";
  EXPECT_EQ(location_at(slice_of(text), text.find("twenty")), (SourceLocation{"/home/user/a b.cuh", 20, 1}));
}

TEST(FirstUse, PrefersTheRegionAndWholeNames) {
  const auto slice = testing::SliceMaker()
                         .prefix("#line 1 \"shade.cu\"\nvoid f(); void my_f(); int f_;\n")
                         .kernel("K", "void g() { f(); }\n", "  my_f(); f_ = f ();\n", "f();\n")
                         .make();
  const auto use = first_use(slice, "f");
  ASSERT_TRUE(use);
  EXPECT_EQ(location_at(slice, *use), (SourceLocation{"/home/user/shade.cu", 3, 16}));
  EXPECT_EQ(first_use(slice, "ns::f"), use);
  EXPECT_FALSE(first_use(slice, "nowhere"));

  Diagnostic diagnostic;
  place_at_first_use(slice, "ns::f", diagnostic);
  EXPECT_EQ(diagnostic.location.line, 3u);
  EXPECT_EQ(diagnostic.frame, "  my_f(); f_ = f ();\n               ^\n");
}

}  // namespace
}  // namespace cudahot::build

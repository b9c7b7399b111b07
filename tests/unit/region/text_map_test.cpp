#include "lib/region/text_map.hpp"

#include <gtest/gtest.h>

namespace cudahot::region {
namespace {

// `region` is the text of the slice's only region, and part of `text`.
Slice slice_of(std::string text, std::string_view region = {}) {
  Slice slice;
  slice.text = std::move(text);
  slice.files.resize(2);
  slice.files[0].path = "/home/user/shade.cu";
  slice.files[0].virtual_name = "shade.cu";
  slice.files[1].path = "/home/user/a b.cuh";
  slice.files[1].virtual_name = "a b.cuh";
  if (!region.empty()) {
    const std::size_t begin = slice.text.find(region);
    slice.regions.resize(1);
    slice.regions[0].body = {begin, begin + region.size()};
  }
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
  const auto slice = slice_of(
      "void f(); void my_f(); int f_;\n"
      "void g() { f(); }\n"
      "  my_f(); f_ = f ();\n"
      "f();\n",
      "  my_f(); f_ = f ();\n");
  const auto use = first_use(slice, "f");
  ASSERT_TRUE(use);
  EXPECT_EQ(location_at(slice, *use), (SourceLocation{"/home/user/shade.cu", 3, 16}));
  EXPECT_FALSE(first_use(slice, "nowhere"));
  EXPECT_FALSE(first_use(slice, ""));

  Diagnostic diagnostic;
  place_at_first_use(slice, "ns::f(int)", diagnostic);
  EXPECT_EQ(diagnostic.location.line, 3u);
  EXPECT_EQ(diagnostic.frame, "  my_f(); f_ = f ();\n               ^\n");
}

TEST(FirstUse, TakesTheLastComponentOfWhatADemanglerWrites) {
  const auto slice = slice_of("void k() { f(1); }\n");
  const auto use = first_use(slice, "f");
  ASSERT_TRUE(use);
  for (const auto* name : {"n::f", "f(int)", "void f<int>(int)", "(anonymous namespace)::f(void (*)(int))",
                           "(anonymous namespace)::f", "n::S<n::T<4> >::f<int>(float) const"}) {
    EXPECT_EQ(first_use(slice, name), use) << name;
  }
}

TEST(FirstUse, OfASymbolWithoutParametersMayBeNoCall) {
  const auto slice = slice_of("extern \"C\" int total;\nvoid k(int* p) {\n  *p = total;\n}\n");
  const auto use = first_use(slice, "total");
  ASSERT_TRUE(use);
  EXPECT_EQ(location_at(slice, *use), (SourceLocation{"/home/user/shade.cu", 3, 8}));
  EXPECT_FALSE(first_use(slice, "total()"));
}

TEST(FirstUse, PrefersCodeToMacrosAndMacrosToDeclarations) {
  struct Case {
    const char* text;
    std::uint32_t line;
  };
  const Case cases[] = {
      {"void f();\nvoid k() { f(); }\n", 2},
      {"namespace n {\nvoid f(); }\nvoid k() { n::f(); }\n", 3},
      {"struct S {\nvoid f(); };\nvoid k(S s) { s.f(); }\n", 3},
      {"struct alignas(16) S {\nvoid f();\nvoid g() {\nf(); } };\n", 4},
      {"extern \"C\" {\nvoid f(); }\nextern \"C\" void k() {\nf<int>(); }\n", 4},
      {"template <class T>\nT f(T t);\ntemplate <class T> T k(T t) {\nreturn f(t); }\n", 4},
      {"int f(int);\nint table[] = {\nf(1)};\n", 3},
      {"void f();\n#define CALL f()\n", 2},
      {"#define CALL f()\nvoid k() {\nf(); }\n", 3},
      {"// f()\nconst char* t = \"f()\";\nvoid f();\n", 3},
  };
  for (const auto& c : cases) {
    const auto slice = slice_of(c.text);
    const auto use = first_use(slice, "f");
    ASSERT_TRUE(use) << c.text;
    EXPECT_EQ(location_at(slice, *use).line, c.line) << c.text;
  }
}

}  // namespace
}  // namespace cudahot::region

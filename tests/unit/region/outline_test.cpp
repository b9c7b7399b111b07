#include "lib/region/outline.hpp"

#include <gmock/gmock.h>

namespace cudahot::region {
namespace {

using testing::ElementsAre;

std::vector<std::string> functions(std::string_view text) {
  std::vector<std::string> names;
  for (const Outlined& each : outline(text)) names.push_back(each.function);
  return names;
}

TEST(Outline, OfAFunctionIsItsTextWithoutItsBody) {
  const auto found = outline("__device__ float f(float x) /* twice */ { if (x > 0) { return 1; } return 2; }\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].tokens, ElementsAre("__device__", "float", "f", "(", "float", "x", ")"));
  EXPECT_EQ(found[0].function, "f");
}

TEST(Outline, NamesPlainDeviceFunctionsOnly) {
  EXPECT_THAT(
      functions("__device__ void a() {}\n"
                "__global__ void b() {}\n"
                "template <class T> __device__ void c(T) {}\n"
                "__device__ S operator+(S a, S b) {}\n"
                "__device__ void d();\n"
                "static __device__ __noinline__ auto __attribute__((pure)) e(int (&x)[2]) -> int { return 1; }\n"
                "struct S { __device__ void f() {} };\n"
                "void g() {}\n"),
      ElementsAre("a", "", "", "", "", "e", "", "", ""));
}

TEST(Outline, KeepsEverythingOfWhatIsNoFunction) {
  for (const std::string text :
       {"namespace n { __device__ void f() { 1; } }", "struct S { int a; };", "int x = 3;", "int y[] = {1, 2};",
        "__device__ S::S() : a{1}, b(2) { c(); }", "#define A 1\n", "using F = float;"}) {
    const auto same = [](const auto& a, const auto& b) { return a.same_text(b); };
    std::string other = text;
    const std::size_t digit = other.find_first_of("123");
    if (digit == std::string::npos) continue;
    other[digit] = '4';
    EXPECT_FALSE(std::ranges::equal(outline(text), outline(other), same)) << text;
  }
}

TEST(Outline, FollowsALineToItsDeclaration) {
  const auto before = outline("// one\n__device__ void f() {\n}\n__global__ void\nk() {}\n");
  const auto after = outline("__device__ void g() {}\n__device__ void f() {\n\n\n\n}\n\n__global__ void\nk() {}\n");
  EXPECT_EQ(moved_line(before, after, 1), 1u);
  EXPECT_EQ(moved_line(before, after, 4), 8u);
  EXPECT_EQ(moved_line(before, after, 0), 0u);
}

TEST(Outline, OfTextThatEndsInTheMiddleOfThingsEnds) {
  for (const char* text : {"", "void f(", "void f() {", "}", "))", "__device__", "#", "template <"}) outline(text);
}

}  // namespace
}  // namespace cudahot::region

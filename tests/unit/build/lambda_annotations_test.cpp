#include "lib/build/lambda_annotations.hpp"

#include <gtest/gtest.h>

namespace cudahot::build {
namespace {

struct Blanked {
  const char* text;
  const char* expected;
};

TEST(LambdaAnnotations, AreBlankedInPlace) {
  const Blanked cases[] = {
      {"f([] __device__ (int x) { return x; });", "f([]            (int x) { return x; });"},
      {"auto f = [=] __host__ __device__ { return 1; };", "auto f = [=]                     { return 1; };"},
      {"[&a, b = c[0]] __device__ () mutable {}", "[&a, b = c[0]]            () mutable {}"},
      {"[]<class T, int N> __device__ (T (&x)[N]) {}", "[]<class T, int N>            (T (&x)[N]) {}"},
      {"[] __device__ [[nodiscard]] (int x) {}", "[]            [[nodiscard]] (int x) {}"},
      {"[] [[nodiscard]] __device__ (int x) {}", "[] [[nodiscard]]            (int x) {}"},
      {"[=] /* of the device */ __device__\n__host__ (int x) {}",
       "[=] /* of the device */           \n         (int x) {}"},
      {"#define LAMBDA [=] __device__\nLAMBDA (int x) {}", "#define LAMBDA [=]           \nLAMBDA (int x) {}"},
      {"#define LAMBDA [=] \\\n  __device__\n", "#define LAMBDA [=] \\\n            \n"},
      {"#define DEVICE __device__\n#define BOTH __host__ DEVICE\n[] BOTH (int x) {}",
       "#define DEVICE __device__\n#define BOTH __host__ DEVICE\n[]      (int x) {}"},
      {"a[[] __device__ { return 0; }()]", "a[[] __device__ { return 0; }()]"},  // as C++ reads it, an attribute
      {"[] { return [] __device__ { return 1; }(); }", "[] { return []            { return 1; }(); }"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(without_lambda_annotations(text), expected);
}

TEST(LambdaAnnotations, OfOtherThingsStay) {
  for (const char* text : {
           "[[nodiscard]] __device__ int f();",
           "struct S { __device__ int operator[](int i) const; };",
           "__device__ int a[3]; __device__ int b;",
           "template <int N> __device__ int f(int (&x)[N]) { return x[0] < N; } __device__ int g();",
           "#define BOTH(x) __host__ __device__\n[] BOTH(1) {}",
           "#define NOTHING\n[] NOTHING (int x) {}",
           "const char* text = \"[] __device__ (int)\"; // [] __device__ (int)",
       }) {
    EXPECT_EQ(without_lambda_annotations(text), text);
  }
}

}  // namespace
}  // namespace cudahot::build

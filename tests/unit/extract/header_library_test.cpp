// What header libraries for host and device do, and host code beside it that must not take it away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_tu.hpp"

namespace cudahot::extract {
namespace {

using testing::HasSubstr;
using testing::Not;

// `declarations`, and a kernel that writes `value`.
region::Slice slice_of(const std::string& declarations, const std::string& value) {
  return TestTu(declarations + "__global__ void k(float* p) {\n#pragma cudahot begin(r)\n  *p = " + value +
                ";\n#pragma cudahot end\n}\n")
      .flags({"-std=c++17", "--expt-relaxed-constexpr"})
      .slice();
}

TEST(Specialisations, ForHostTypesGoAndLeaveTheTemplate) {
  const region::Slice slice = slice_of(R"(#include <vector>
template <class T> struct Traits { static constexpr int kSize = 1; };
template <class T> struct Traits<std::vector<T>> { static std::vector<T> make(); };
template <> struct Traits<std::vector<int>*> {};
template <class T> __device__ int size_of(const T*) { return 1; }
template <> __device__ int size_of<std::vector<int>>(const std::vector<int>*);
)",
                                       "Traits<int>::kSize + size_of(p)");
  EXPECT_THAT(slice.text, Not(HasSubstr("vector")));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(Specialisations, ForTypesOfTheDeviceStayWhateverTheyAreComputedFrom) {
  const region::Slice slice = slice_of(R"(#include <cstdint>
#include <vector>
template <class T> struct Alias { typedef T type; };
template <> struct Alias<std::vector<int>> { typedef int type; };
template <class T> struct Traits { static constexpr int kSize = 1; };
template <> struct Traits<int_least32_t> { static constexpr int kSize = 2; };
template <class T> struct Traits<T*> { static constexpr int kSize = 3; static std::vector<T> make(); };
)",
                                       "Traits<int>::kSize");
  EXPECT_THAT(slice.text, HasSubstr("kSize = 2"));
  EXPECT_THAT(slice.text, HasSubstr("kSize = 3"));
  EXPECT_THAT(slice.text, Not(HasSubstr("vector")));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(Operators, OfTheHostAreNoNeedOfATemplate) {
  const region::Slice slice = slice_of(R"(#include <iostream>
struct Vector { float x; };
std::ostream& operator<<(std::ostream& out, const Vector& v) { return out << v.x; }
template <class T> __device__ T twice(T value) { return value << 1; }
)",
                                       "twice(3)");
  EXPECT_THAT(slice.text, Not(HasSubstr("ostream")));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(Probes, ThatAreOnlyDeclaredAreForAnyone) {
  const region::Slice slice = slice_of(R"(#include <type_traits>
template <class T> struct HasSize {
  template <class U> static std::true_type test(decltype(U().size())*);
  template <class U> static std::false_type test(...);
  static constexpr bool value = decltype(test<T>(nullptr))::value;
};
struct Sized { __device__ int size() const { return 3; } };
static_assert(HasSize<Sized>::value && !HasSize<int>::value);
)",
                                       "HasSize<Sized>::value");
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(Probes, AreNoLicenceToCallTheHost) {
  TestTu tu(R"(float on_host(float x) { return x; }
using Number = decltype(on_host(1));
__global__ void k(Number* p) {
#pragma cudahot begin(r)
  *p = on_host(*p);
#pragma cudahot end
}
)");
  EXPECT_THAT(errors(tu.report()), testing::ElementsAre("CH022 shade.cu:3"));
}

TEST(Members, ThatAreOnlyDeclaredStayForUsing) {
  const region::Slice slice = slice_of(R"(#include <string>
template <class T> struct Base {
 protected:
  void set();
  std::string name();
};
template <class T> struct Derived : Base<T> {
  using Base<T>::set;
  T value;
};
)",
                                       "Derived<float>{}.value");
  EXPECT_THAT(slice.text, HasSubstr("void set();"));
  EXPECT_THAT(slice.text, Not(HasSubstr("string")));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(Macros, ThatMakeAClassKeepItWithItsHostMembers) {
  const region::Slice slice = slice_of(R"(#define OPERATION(NAME, VALUE) struct NAME { \
    __device__ float operator()(float a, float b) const { return VALUE; } \
    NAME copy() const { return NAME(); } }
OPERATION(Sum, a + b);
)",
                                       "Sum()(1, 2)");
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(Macros, ThatCloseAHostMemberLeaveWhatFollows) {
  const region::Slice slice = slice_of(R"(#include <string>
#define PRINTER(NAME) std::string NAME() const;
struct Thing {
  PRINTER(print)
 public:
  __device__ Thing() : value(2) {}
  float value;
};
)",
                                       "Thing().value");
  EXPECT_THAT(slice.text, HasSubstr("__device__ Thing() : value(2) {}"));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(Variables, OfTheHostGoWithTheParenthesesOfTheirInitialiser) {
  const region::Slice slice = slice_of(R"(struct Step {
  explicit Step(int value);
  Step operator+(int more) const { return *this; }
};
static const Step kStep(Step(1) + 2);
)",
                                       "1");
  EXPECT_THAT(slice.text, Not(HasSubstr("kStep")));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(Integers, AreTheHostsBesideTheToolkitsLibrary) {
  const region::Slice slice = slice_of(R"(#include <cstdint>
#include <type_traits>
#include <cuda_fp16.h>
static_assert(std::is_same_v<uint64_t, unsigned long> && std::is_same_v<std::int64_t, long>);
)",
                                       "__half2float(__half(1.0f)) + uint64_t(1)");
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

}  // namespace
}  // namespace cudahot::extract

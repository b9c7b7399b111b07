// Host types in what the device shares with the host: members, signatures, explicit instances, conditionals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_tu.hpp"

namespace cudahot::extract {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kKernel = R"(__global__ void k(float* p, Thing* thing) {
#pragma cudahot begin(r)
  *p = thing->value;
#pragma cudahot end
}
)";

TEST(HostTypes, OfADataMemberKeepTheLayoutWithBytesInTheirPlace) {
  const region::Slice slice = TestTu(R"(#include <string>
struct Thing {
  char first;
  std::string name = "none";
  float value;
};
static_assert(sizeof(Thing) == 48);
)" + kKernel)
                                  .slice();
  EXPECT_THAT(slice.text, HasSubstr("  _Ch<32,8>name;"));
  EXPECT_THAT(slice.text, Not(HasSubstr("string")));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(HostTypes, OfADataMemberKeepItsOwnAlignment) {
  const region::Slice slice = TestTu(R"(#include <string>
struct Thing {
  char first;
  alignas(64) std::string name = "none";
  float value;
};
static_assert(sizeof(Thing) == 128);
)" + kKernel)
                                  .slice();
  EXPECT_THAT(slice.text, HasSubstr("alignas(64)_Ch<32,8>name;"));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(HostTypes, OfADataMemberKeepTheTailPaddingOfBases) {
  const region::Slice slice = TestTu(R"(#include <cstdio>
#include <string>
struct Named {
  std::string name = "none";
  char end;
};
struct Counted {
  std::mbstate_t state_of_a_stream;
  double wide;
  char end;
};
struct Thing : Named { char value; };
struct Number : Counted { char value; };
static_assert(sizeof(Thing) == 40 && sizeof(Number) == 32);
__device__ int number_of(Number* number) { return number->value; }
)" + kKernel)
                                  .slice();
  EXPECT_THAT(slice.text, HasSubstr("_Ch<32,8>name;"));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(HostTypes, OfADataMemberThatIsPackedTakeTheClassAlong) {
  EXPECT_THAT(errors(TestTu(R"(#include <string>
struct Thing {
  char first;
  std::string the_name_of_it __attribute__((packed));
  float value;
};
)" + kKernel)
                         .report()),
              testing::ElementsAre("CH022 shade.cu:7"));
}

TEST(HostTypes, OfADataMemberTakeTheFunctionsAlongThatUseIt) {
  const region::Slice slice = TestTu(R"(#include <vector>
struct Thing {
  std::vector<int> list;
  float value;
  __host__ __device__ float twice() const { return 2 * value; }
  __host__ __device__ int count() const { return list.size(); }
  __host__ __device__ explicit Thing(int size) : list(size), value(0) {}
};
)" + kKernel)
                                  .slice();
  EXPECT_THAT(slice.text, HasSubstr("twice()"));
  EXPECT_THAT(slice.text, Not(HasSubstr("count()")));
  EXPECT_THAT(slice.text, Not(HasSubstr("list(size)")));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

// There is no room for what would stand for the type.
TEST(HostTypes, OfADataMemberThatNothingCanStandForTakeTheClassAlong) {
  EXPECT_THAT(errors(TestTu(R"(#include <vector>
typedef std::vector<int> V;
struct Thing { V v; float value; };
)" + kKernel)
                         .report()),
              testing::ElementsAre("CH022 shade.cu:4"));
}

TEST(HostTypes, InAHostConstructorTakeItsDeclarationAlong) {
  const region::Slice slice = TestTu(R"(#include <string>
template <typename T>
struct Base {
  explicit Base(const std::string& name);
  explicit Base(int size);
  T value;
};
template <typename T>
Base<T>::Base(const std::string&) {}
typedef Base<float> Thing;
)" + kKernel)
                                  .slice();
  EXPECT_THAT(slice.text, Not(HasSubstr("string")));
  EXPECT_THAT(slice.text, HasSubstr("explicit Base(int size);"));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(HostTypes, OfLibrariesThatAreNumbersOrVectorsAreDeclaredAnew) {
  const region::Slice slice = TestTu(R"(#include <cuda.h>
#include <cufft.h>
struct Thing {
  float value;
  CUtexObject texture;
  cufftComplex wave;
};
)" + kKernel)
                                  .slice();
  EXPECT_THAT(slice.text, HasSubstr("typedef float2 cufftComplex;"));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(HostCode, OfOneExternCFunctionGoesWhole) {
  const region::Slice slice = TestTu(R"(struct Thing { float value; };
extern "C" int on_host(int n) {
  return n + 1;
}
extern "C" void also_on_host();
)" + kKernel)
                                  .slice();
  EXPECT_THAT(slice.text, Not(HasSubstr("on_host")));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

// Members of an instance are those of its template, where they are written.
TEST(HostCode, OfATemplateGoesWithItsHeadersAndExplicitInstancesTakeNothingElse) {
  const region::Slice slice = TestTu(R"(#include <string>
template <typename T>
class Estimator {
 public:
  explicit Estimator(unsigned seed);
  T operator()();
  template <typename U>
  void put(U value);
};
struct Thing { float value; };
__device__ float kept(float x) { return x; }
template <typename T>
Estimator<T>::Estimator(unsigned) {}
template <typename T>
T Estimator<T>::operator()() {
  return std::string("a").size();
}
template <typename T>
template <typename U>
void Estimator<T>::put(U value) { std::string(value); }
template class Estimator<float>;
)" + kKernel)
                                  .slice();
  EXPECT_THAT(slice.text, HasSubstr("__device__ float kept(float x) { return x; }"));
  EXPECT_THAT(slice.text, Not(HasSubstr("string")));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(Conditionals, KeepTheBranchBehindASkippedOne) {
  const region::Slice slice = TestTu(R"(struct Thing { float value; };
#if 0
not C++
#elif 1
__device__ float first(float x) { return x; }
#else
nor this
#endif
#ifdef NO_SUCH_MACRO
nor this
#else
__device__ float second(float x) { return x; }
#endif
)" + kKernel)
                                  .slice();
  EXPECT_THAT(slice.text, HasSubstr("first("));
  EXPECT_THAT(slice.text, HasSubstr("second("));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(Words, OfTheHostsCompilerAreNoErrors) {
  const region::Slice slice = TestTu(R"(__extension__ typedef long long wide;
struct Thing { float value; wide big; };
)" + kKernel)
                                  .slice();
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

}  // namespace
}  // namespace cudahot::extract

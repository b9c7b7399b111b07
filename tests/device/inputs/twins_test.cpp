// Two files that define the same names, in one program.
#include "tests/device/inputs/project.hpp"
#include "tests/support/checkout.hpp"

namespace cudahot::inputs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// clamp is a function of the helper library too; both files define their own.
std::string twin(const std::string& factor) {
  return "#include <cudahot/device.cuh>\n"
         "__device__ float clamp(float x, float low, float high) { return x < low ? low : x > high ? high : x; }\n"
         "namespace {\n"
         "template <typename T>\n"
         "__global__ void shade(T* out, T value) {\n"
         "#pragma cudahot begin(shade)\n"
         "  out[0] = " +
         factor +
         " * clamp(static_cast<float>(value), 0, 1) + cudahot::device::clamp(0.25f, 0, 1);\n"
         "#pragma cudahot end\n"
         "}\n"
         "}  // namespace\n"
         "void draw(float* f, double* d) {\n"
         "  shade<<<1, 1>>>(f, 1.0f);\n"
         "  shade<<<1, 1>>>(d, 1.0);\n"
         "}\n";
}

class Twins : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    if (IsSkipped()) return;
    save("left.cu", twin("10"));
    save("right.cu", twin("20"));
    start(Mode::manual, {"left.cu", "right.cu", "--", "-I",
                         std::filesystem::canonical(test_support::checkout() / "kernels/include").string()});
  }

  template <typename T>
  Kernel<void(T*, T)> shade(const std::string& name) {
    auto kernel = runtime_->kernel<void(T*, T)>(name);
    EXPECT_TRUE(kernel) << kernel.error().message;
    return kernel;
  }
  template <typename T>
  T run(const Kernel<void(T*, T)>& kernel, T value) {
    const Status launched = kernel.launch({}, out<T>(), value);
    EXPECT_TRUE(launched) << launched.error().message;
    return read<T>(1)[0];
  }
};

TEST_F(Twins, RunBesideEachOtherAndAnEditChangesOnlyTheInstancesOfItsFile) {
  const auto left_float = shade<float>("left.cu:shade<float>");
  const auto left_double = shade<double>("left.cu:shade<double>");
  const auto right_float = shade<float>("right.cu:shade<float>");
  const auto right_double = shade<double>("right.cu:shade<double>");
  EXPECT_EQ(run(left_float, 2.0f), 10.25f);
  EXPECT_EQ(run(left_double, 0.5), 5.25);
  EXPECT_EQ(run(right_float, 2.0f), 20.25f);
  EXPECT_EQ(run(right_double, 0.5), 10.25);

  save("right.cu", twin("30"));
  const Status reloaded = runtime_->reload();
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_EQ(run(left_float, 2.0f), 10.25f);
  EXPECT_EQ(run(left_double, 0.5), 5.25);
  EXPECT_EQ(run(right_float, 2.0f), 30.25f);
  EXPECT_EQ(run(right_double, 0.5), 15.25);
  EXPECT_EQ(left_float.generation(), 0u);
  EXPECT_EQ(right_double.generation(), 1u);
  EXPECT_EQ(right_double.info().source, path("right.cu").string());
  ASSERT_THAT(events_.events(), SizeIs(1));
  EXPECT_EQ(events_.events()[0].kernel, "shade<double>, shade<float>");
}

TEST_F(Twins, AskedForByTheNameThatTheyShareAreNamedWithTheirFiles) {
  const auto either = runtime_->kernel<void(float*, float)>("shade<float>");
  ASSERT_FALSE(either);
  EXPECT_EQ(either.error().code, ErrorCode::usage);
  EXPECT_THAT(either.error().message,
              AllOf(HasSubstr("'shade<float>'"), HasSubstr(path("left.cu").string()),
                    HasSubstr(path("right.cu").string()), HasSubstr("\"left.cu:shade<float>\"")));
}

}  // namespace
}  // namespace cudahot::inputs

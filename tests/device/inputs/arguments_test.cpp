// What the program passes must be what the kernel takes, at the start and after every edit.
#include <cstdint>

#include "tests/device/inputs/project.hpp"

namespace cudahot::inputs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// As the kernel's file has it, float3 included.
struct Float3 {
  float x, y, z;
};
struct Light {
  char on;
  double power;
  Float3 at;
};

using Mix = Kernel<void(double*, long, std::size_t, bool, Light)>;

// An argument is converted to its parameter's type, but never narrowed.
template <typename Argument, typename Parameter>
constexpr bool kFits = detail::FitsParameter<Argument, Parameter>;
static_assert(kFits<unsigned, std::size_t>, "becomes a size_t before it is passed");
static_assert(kFits<int, long>);
static_assert(!kFits<std::size_t, unsigned>);
static_assert(!kFits<int, std::size_t>, "may be negative");
static_assert(!kFits<long, bool>);
static_assert(!kFits<double, float>);
static_assert(!kFits<float*, double*>);
static_assert(!kFits<Float3, Light>);

class Arguments : public Project {
 protected:
  static std::string mixing(const std::string& more_parameters, const std::string& statement) {
    return "struct Light { char on; double power; float3 at; };\n"
           "extern \"C\" __global__ void Mix(double* out, long offset, size_t count, bool twice, Light light" +
           more_parameters +
           ") {\n"
           "#pragma cudahot begin(mix)\n" +
           statement +
           "\n#pragma cudahot end\n"
           "}\n";
  }
  static std::string sum(const std::string& more = "0") {
    return "  out[0] = (offset + count + light.on + light.power + light.at.x + light.at.y + light.at.z) * (twice ? 2 "
           ": 1) + " +
           more + ";";
  }

  void SetUp() override {
    Project::SetUp();
    if (IsSkipped()) return;
    save("mix.cu", mixing("", sum()));
    mix_ = start(Mode::manual, {"mix.cu"}).kernel<void(double*, long, std::size_t, bool, Light)>("Mix");
    ASSERT_TRUE(mix_) << mix_.error().message;
  }

  template <typename Count>
  double run(long offset, Count count, bool twice) const {
    const Status launched = mix_.launch({}, out<double>(), offset, count, twice, Light{1, 0.5, {2, 3, 4}});
    EXPECT_TRUE(launched) << launched.error().message;
    return read<double>(1)[0];
  }
  std::string why_refused(const Status& reloaded) const {
    if (reloaded) return "not refused";
    EXPECT_EQ(reloaded.error().code, ErrorCode::mismatch);
    EXPECT_EQ(reloaded.error().location, (SourceLocation{path("mix.cu").string(), 2, 0}));
    return reloaded.error().message;
  }

  Mix mix_;
};

TEST_F(Arguments, OfEveryKindArriveWhole) {
  EXPECT_EQ(run(-20, std::size_t{1} << 40, false), static_cast<double>((std::size_t{1} << 40) - 20) + 10.5);
  EXPECT_EQ(run(100, std::size_t{1}, true), 2 * 111.5);
}

TEST_F(Arguments, ThatAreUnsignedForASizeTBecomeOne) { EXPECT_EQ(run(0, 4'000'000'000u, false), 4'000'000'010.5); }

TEST_F(Arguments, OfASignatureWithUnsignedForSizeTAreRefusedByNamePositionAndSizes) {
  const auto wrong = runtime_->kernel<void(double*, long, unsigned, bool, Light)>("Mix");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::mismatch);
  EXPECT_THAT(wrong.error().message, AllOf(HasSubstr("'Mix'"), HasSubstr("parameter 3 (size_t count) has 8 bytes"),
                                           HasSubstr("the program passes 4 bytes")));
  EXPECT_EQ(run(1, std::size_t{1}, false), 12.5);
}

TEST_F(Arguments, OfAStructThatIsLaidOutOtherwiseAreRefusedByNamePositionAndSizes) {
  struct Packed {
    double power;
    Float3 at;
    char on;
  };
  const auto wrong = runtime_->kernel<void(double*, long, std::size_t, bool, Packed)>("Mix");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message,
              AllOf(HasSubstr("parameter 5 (Light light) has 32 bytes"), HasSubstr("the program passes 24 bytes")));
}

TEST_F(Arguments, TooFewAreRefusedByTheNameAndSizeOfWhatIsMissing) {
  const auto wrong = runtime_->kernel<void(double*, long, std::size_t, bool)>("Mix");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, AllOf(HasSubstr("'Mix' takes 5 parameters, but the program passes 4"),
                                           HasSubstr("parameter 5 (Light light) has 32 bytes")));
}

TEST_F(Arguments, TooManyAreRefusedByPositionAndSize) {
  const auto wrong = runtime_->kernel<void(double*, long, std::size_t, bool, Light, float)>("Mix");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, AllOf(HasSubstr("'Mix' takes 5 parameters, but the program passes 6"),
                                           HasSubstr("parameter 6"), HasSubstr("4 bytes")));
}

TEST_F(Arguments, ThatAnEditAddsAreRefusedByNamePositionAndSizeAndTheOldKernelGoesOn) {
  save("mix.cu", mixing(", float gain", sum("gain")));
  EXPECT_THAT(why_refused(runtime_->reload()), AllOf(HasSubstr("'Mix' takes 6 parameters, but the program passes 5"),
                                                     HasSubstr("parameter 6 (float gain) has 4 bytes")));
  EXPECT_EQ(run(1, std::size_t{1}, false), 12.5);
  EXPECT_EQ(mix_.generation(), 0u);

  save("mix.cu", mixing("", sum("3")));
  const Status mended = runtime_->reload();
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_EQ(run(1, std::size_t{1}, false), 15.5);
}

TEST_F(Arguments, OfATypeThatAnEditChangesAreRefusedByNamePositionAndSizes) {
  std::string narrowed = mixing("", sum());
  const std::string was = "size_t count";
  narrowed.replace(narrowed.find(was), was.size(), "unsigned count");
  save("mix.cu", narrowed);
  EXPECT_THAT(why_refused(runtime_->reload()), AllOf(HasSubstr("parameter 3 (unsigned int count) has 4 bytes"),
                                                     HasSubstr("the program passes 8 bytes")));
  EXPECT_EQ(run(1, std::size_t{1}, false), 12.5);
}

}  // namespace
}  // namespace cudahot::inputs

// The case of the sample on a device: edits of a running kernel, seen in its pixels.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "animation.hpp"
#include "demo_run.hpp"
#include "event_queue.hpp"
#include "hot_sample.hpp"
#include "reference.hpp"
#include "source_edit.hpp"
#include "surface.hpp"
#include "tests/support/test_device.hpp"

namespace cudahot::testing_sample {
namespace {

using Signature = void(CUsurfObject, unsigned, unsigned, float);
constexpr auto kPatience = std::chrono::seconds(60);
constexpr unsigned kWidth = 157, kHeight = 93;  // no multiples of the block

class RunningSample : public testing::Test {
 protected:
  void SetUp() override {
    auto device = sample::Device::open(cudahot::test_support::tested_device());
    CUDAHOT_NEEDS_DEVICE(device)
    device_.emplace(std::move(*device));
    auto hot = HotSample::create(device_->driver());
    ASSERT_TRUE(hot) << hot.error().message;
    hot_.emplace(std::move(*hot));
    auto stream = sample::Stream::create(*device_);
    ASSERT_TRUE(stream) << stream.error().message;
    stream_.emplace(std::move(*stream));
    auto surface = sample::Surface::create(*device_, kWidth, kHeight);
    ASSERT_TRUE(surface) << surface.error().message;
    surface_.emplace(std::move(*surface));

    auto options = hot_->runtime_options(Mode::automatic);
    options.on_event = [this](const ReloadEvent& event) { events_.push(event); };
    runtime_.emplace(std::move(options));
    kernel_.emplace(runtime_->kernel<Signature>("UpdateSurface"));
    ASSERT_TRUE(*kernel_) << kernel_->error().message;
    animation_.emplace(*kernel_, *surface_, *stream_, 0.05f);
  }

  void TearDown() override {
    animation_.reset();
    kernel_.reset();
    runtime_.reset();
  }

  // What is wrong with the picture of the next frame; "" if nothing.
  std::string next_picture(bool red_green_swapped) {
    animation_->advance();
    if (auto drawn = animation_->draw(); !drawn) return drawn.error().message;
    const auto picture = animation_->picture();
    if (!picture) return picture.error().message;
    return sample::difference(picture->rgba, kWidth, kHeight, animation_->time(), red_green_swapped).value_or("");
  }

  std::optional<sample::Device> device_;
  std::optional<HotSample> hot_;
  std::optional<sample::Stream> stream_;
  std::optional<sample::Surface> surface_;
  sample::EventQueue events_;
  std::optional<Runtime> runtime_;
  std::optional<Kernel<Signature>> kernel_;
  std::optional<sample::Animation> animation_;
};

TEST_F(RunningSample, DrawsTheReferencePictureFrameByFrame) {
  for (int frame = 0; frame < 20; ++frame) EXPECT_EQ(next_picture(false), "") << "frame " << frame;
  EXPECT_EQ(kernel_->generation(), 0u);
}

TEST_F(RunningSample, GoesThroughGoodEditSyntaxErrorMendedTextAndUndo) {
  const auto original = sample::read_text(hot_->source());
  ASSERT_TRUE(original) << original.error().message;
  const auto steps = sample::demo_steps(*original);
  ASSERT_TRUE(steps) << steps.error().message;
  sample::DemoRun run(*animation_, events_, hot_->source());
  for (const auto& step : *steps) {
    const auto outcome = run.run(step);
    ASSERT_TRUE(outcome) << outcome.error().message;
    ASSERT_EQ(outcome->problem, "") << step.name;
  }
  EXPECT_EQ(kernel_->generation(), 2u) << "the good edit and the undo";
}

TEST_F(RunningSample, TakesUpAnEditOfTheHeader) {
  const auto header = sample::read_text(hot_->header());
  ASSERT_TRUE(header) << header.error().message;
  // Red and green change places in both colour functions, so in every pixel.
  std::string edited = *header;
  for (const auto& [from, to] : {std::pair{"level * red, level * green", "level * green, level * red"},
                                 std::pair{"make_float4(red, green", "make_float4(green, red"}}) {
    const std::size_t at = edited.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    edited.replace(at, std::string(from).size(), to);
  }
  ASSERT_TRUE(sample::save_text(hot_->header(), edited));
  const auto event = events_.pop(kPatience);
  ASSERT_TRUE(event) << "no event";
  EXPECT_EQ(event->kind, ReloadEvent::Kind::live) << event->error.message;
  EXPECT_EQ(next_picture(true), "");
}

TEST_F(RunningSample, TakesUpAnEditThatCallsTheHelperLibrary) {
  const auto original = sample::read_text(hot_->source());
  ASSERT_TRUE(original) << original.error().message;
  const auto edited = sample::insert_at_region_end(
      *original, "pixel = make_float4(pixel.y, pixel.x, pixel.z, cudahot::device::smoothstep(0.0f, 1.0f, 2.0f));");
  ASSERT_TRUE(edited) << edited.error().message;
  ASSERT_TRUE(sample::save_text(hot_->source(), "#include <cudahot/device.cuh>\n" + edited->text));
  const auto event = events_.pop(kPatience);
  ASSERT_TRUE(event) << "no event";
  EXPECT_EQ(event->kind, ReloadEvent::Kind::live) << event->error.message;
  EXPECT_EQ(next_picture(true), "");
}

TEST(SampleProgram, CompilesNothingAndLoadsNoCompilerInASecondProcess) {
  const auto driver = cudahot::test_support::tested_driver();
  CUDAHOT_NEEDS_DEVICE(driver)
  const auto hot = HotSample::create(**driver);
  ASSERT_TRUE(hot) << hot.error().message;
  for (const char* run : {"first", "second"}) {
    const auto outcome =
        cudahot::test_support::run_built("update_surface",
                                         {"--bundle", hot->bundle().string(), "--frames", "5", "--size", "64x48",
                                          "--out", (hot->folder() / run).string(), "--print-loaded"},
                                         {"CUDAHOT_CACHE=" + hot->cache().string()});
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->exit_code, 0) << outcome->err;
    EXPECT_NE(outcome->out.find("5 frames of 64x48, 5 launches, generation 0"), std::string::npos) << outcome->out;
    EXPECT_NE(outcome->out.find("loaded: "), std::string::npos) << outcome->out;
    EXPECT_EQ(outcome->out.find("nvrtc"), std::string::npos) << outcome->out;
    EXPECT_EQ(outcome->out.find("nvJitLink"), std::string::npos) << outcome->out;
    EXPECT_TRUE(std::filesystem::exists(hot->folder() / run / "final.png"));
  }
}

}  // namespace
}  // namespace cudahot::testing_sample

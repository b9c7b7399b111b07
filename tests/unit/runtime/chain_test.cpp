// The runtime with the real compiler and cache; only the driver is not real.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "lib/base/files.hpp"
#include "lib/build/builder.hpp"
#include "lib/runtime/engine.hpp"
#include "lib/runtime/suppliers.hpp"
#include "tests/support/bundled_slices.hpp"
#include "tests/unit/runtime/add_kernel.hpp"
#include "tests/unit/runtime/fake_driver.hpp"

namespace cudahot::runtime::testing {
namespace {

using Kind = ReloadEvent::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Chain : public ::testing::Test {
 protected:
  Chain() : folder_(std::move(*base::TemporaryFolder::create("cudahot-chain-test"))) {}

  void SetUp() override {
    auto toolchain = std::make_shared<build::Toolchain>();
    if (const auto nvrtc = toolchain->nvrtc(); !nvrtc) GTEST_SKIP() << nvrtc.error().message;
    save(adding(0));
    cache::LayersOptions layers;
    layers.user_cache = folder_.path() / "cache.db";
    auto builder = std::make_shared<build::Builder>(std::make_shared<cache::Layers>(std::move(layers)), toolchain);
    Suppliers suppliers = make_suppliers(std::move(builder), "the test", {});
    const region::Slice slice = add_slice(source(), *base::read_file(source()));
    test_support::supply(suppliers, {{slice}});
    suppliers.driver = [this]() -> Result<std::shared_ptr<const cuda::DriverTable>> { return driver_.table(); };
    EngineSettings settings;
    settings.mode = Mode::manual;
    engine_ = std::make_unique<Engine>(
        settings, std::move(suppliers),
        std::make_shared<Reporter>(
            nullptr, [this](const ReloadEvent& event) { events_.push_back(event); }, std::nullopt));
  }
  void TearDown() override {
    engine_.reset();
    EXPECT_THAT(driver_.misuses(), IsEmpty());
  }

  std::string source() const { return (folder_.path() / "add.cu").string(); }
  void save(const std::string& statement) { std::ofstream(source(), std::ios::binary) << add_source(statement); }

  base::TemporaryFolder folder_;
  FakeDriver driver_;
  std::vector<ReloadEvent> events_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(Chain, GoesThroughAnEditABadOneAndAnUndo) {
  const auto slot = engine_->bind("Add", {{8, 8}, {4, 4}});
  ASSERT_TRUE(slot) << slot.error().message;
  EXPECT_EQ((*slot)->info().architecture, "sm_90");
  EXPECT_GT((*slot)->info().registers, 0u);

  save(adding(100));
  const Status edited = engine_->reload();
  ASSERT_TRUE(edited) << edited.error().message;
  save("  *out = value +;\n");
  EXPECT_FALSE(engine_->reload());
  save(adding(0));
  ASSERT_TRUE(engine_->reload());

  ASSERT_THAT(events_, SizeIs(3));
  EXPECT_EQ(events_[0].kind, Kind::live);
  EXPECT_THAT(events_[0].regions, ElementsAre("add"));
  EXPECT_FALSE(events_[0].cached);
  EXPECT_GT(events_[0].timings.compile, 0);
  EXPECT_EQ(events_[1].kind, Kind::failed);
  ASSERT_THAT(events_[1].error.diagnostics, SizeIs(1));
  EXPECT_EQ(events_[1].error.diagnostics[0].location.file, source());
  EXPECT_EQ(events_[1].error.diagnostics[0].location.line, 3u);
  EXPECT_EQ(events_[2].kind, Kind::live);
  EXPECT_TRUE(events_[2].cached);
  EXPECT_EQ((*slot)->info().generation, 2u);
}

TEST_F(Chain, ChecksParametersAgainstTheRealCubin) {
  const auto slot = engine_->bind("Add", {{8, 8}, {8, 8}});
  ASSERT_FALSE(slot);
  EXPECT_THAT(slot.error().message, HasSubstr("parameter 2 (int value) has 4 bytes, but the program passes 8"));
}

TEST_F(Chain, RefusesAVariableThatAnEditBringsIntoTheCubin) {
  const auto slot = engine_->bind("Add", {{8, 8}, {4, 4}});
  ASSERT_TRUE(slot) << slot.error().message;
  save("  static __device__ int calls;\n  *out = value + atomicAdd(&calls, 1);\n");
  const Status reloaded = engine_->reload();
  ASSERT_FALSE(reloaded);
  EXPECT_EQ(reloaded.error().code, ErrorCode::mismatch);
  EXPECT_THAT(reloaded.error().message, HasSubstr("(4 bytes)"));
}

}  // namespace
}  // namespace cudahot::runtime::testing

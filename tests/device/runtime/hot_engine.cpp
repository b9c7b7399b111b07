#include "tests/device/runtime/hot_engine.hpp"

#include <filesystem>
#include <fstream>

#include "lib/runtime/suppliers.hpp"
#include "tests/support/bundled_slices.hpp"
#include "tests/support/test_device.hpp"

namespace cudahot::runtime::testing {
HotEngine::HotEngine() : folder_(std::move(*base::TemporaryFolder::create("cudahot-device-test"))) {}

void HotEngine::SetUp() {
  auto driver = cudahot::test_support::tested_driver();
  CUDAHOT_NEEDS_DEVICE(driver)
  driver_ = *driver;
  auto context = Context::open(driver_, nullptr);
  ASSERT_TRUE(context) << context.error().message;
  context_ = *context;
  current_ = std::make_unique<CurrentContext>(*context_);
  ASSERT_EQ(driver_->memory_allocate(&out_, sizeof(int)), CUDA_SUCCESS);
  cache::LayersOptions layers;
  layers.user_cache = folder_.path() / "cache.db";
  builder_ = std::make_shared<build::Builder>(std::make_shared<cache::Layers>(std::move(layers)),
                                              std::make_shared<build::Toolchain>());
  save(adding(0));
}

void HotEngine::TearDown() {
  engine_.reset();
  if (out_ != 0) driver_->memory_free(out_);
  current_.reset();
}

void HotEngine::save(const std::string& statement) {
  std::ofstream(folder_.path() / "saving", std::ios::binary) << add_source(statement);
  std::filesystem::rename(folder_.path() / "saving", folder_.path() / "add.cu");
}

std::shared_ptr<detail::Slot> HotEngine::start(Mode mode, RetirementLimits limits) {
  const std::string path = (folder_.path() / "add.cu").string();
  const region::Slice slice = add_slice(path, *base::read_file(path));
  Suppliers suppliers = make_suppliers(builder_, "the test", {}, test_support::tested_device());
  test_support::supply(suppliers, {{slice}});
  auto reporter = std::make_shared<Reporter>(
      nullptr,
      [this](const ReloadEvent& event) {
        const std::lock_guard lock(mutex_);
        events_.push_back(event);
      },
      std::nullopt);
  EngineSettings settings;
  settings.mode = mode;
  settings.retirement = limits;
  engine_ = std::make_unique<Engine>(settings, std::move(suppliers), std::move(reporter));
  auto slot = engine_->bind("Add", {{8, 8}, {4, 4}});
  EXPECT_TRUE(slot) << (slot ? "" : slot.error().message);
  return slot ? *slot : nullptr;
}

Status HotEngine::launch(detail::Slot& slot, CUdeviceptr out, int value, CUstream stream) {
  LaunchConfig config;
  config.stream = stream;
  void* arguments[] = {&out, &value};
  return slot.launch(config, arguments);
}

int HotEngine::run(detail::Slot& slot, int value) {
  const Status launched = launch(slot, out_, value, nullptr);
  EXPECT_TRUE(launched) << (launched ? "" : launched.error().message);
  int result = -1;
  EXPECT_EQ(driver_->copy_to_host(&result, out_, sizeof(result)), CUDA_SUCCESS);
  return result;
}

std::vector<ReloadEvent> HotEngine::events() {
  const std::lock_guard lock(mutex_);
  return events_;
}

}  // namespace cudahot::runtime::testing

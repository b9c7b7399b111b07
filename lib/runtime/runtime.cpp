// The public Runtime: settings, the real suppliers, and an Engine.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cudahot/cudahot.hpp"
#include "lib/base/paths.hpp"
#include "lib/build/builder.hpp"
#include "lib/runtime/engine.hpp"
#include "lib/runtime/reporter.hpp"
#include "lib/runtime/settings.hpp"
#include "lib/runtime/suppliers.hpp"

namespace cudahot {
namespace {

std::string describe_bundles(const std::vector<std::filesystem::path>& bundles) {
  if (bundles.empty()) return "no bundle (none was named)";
  std::vector<std::string> names;
  for (const auto& bundle : bundles) names.push_back(fmt::format("'{}'", bundle.string()));
  return fmt::format("bundle{} {}", names.size() == 1 ? "" : "s", fmt::join(names, ", "));
}

std::unique_ptr<runtime::Engine> make_engine(runtime::Settings settings, std::shared_ptr<build::Toolchain> toolchain,
                                             std::shared_ptr<runtime::Reporter> reporter) {
  cache::LayersOptions layers;
  layers.bundles = settings.bundles;
  layers.user_cache = settings.user_cache;
  layers.gc = settings.gc;
  layers.log = [reporter](LogLevel level, std::string_view text) { reporter->log(level, text); };
  auto builder =
      std::make_shared<build::Builder>(std::make_shared<cache::Layers>(std::move(layers)), std::move(toolchain));
  auto suppliers = runtime::make_suppliers(std::move(builder), describe_bundles(settings.bundles),
                                           {settings.extractor, settings.toolkit}, settings.device);
  return std::make_unique<runtime::Engine>(std::move(settings.engine), std::move(suppliers), std::move(reporter));
}

}  // namespace

struct Runtime::State {
  std::shared_ptr<build::Toolchain> toolchain;
  std::unique_ptr<runtime::Engine> engine;
  Error wrong;  // why there is no engine
};

Runtime::Runtime(RuntimeOptions options) : state_(std::make_unique<State>()) {
  const auto environment = [](const char* name) { return base::environment(name); };
  auto level = runtime::resolve_log_level(environment);
  auto settings = runtime::resolve_settings(options, environment);
  if (!level || !settings) {
    state_->wrong = level ? settings.error() : level.error();
    return;
  }
  auto reporter = std::make_shared<runtime::Reporter>(std::move(options.log), std::move(options.on_event), *level);
  state_->toolchain = std::make_shared<build::Toolchain>(settings->toolkit);
  state_->engine = make_engine(std::move(*settings), state_->toolchain, std::move(reporter));
}

// The engine waits for its thread, which may be waiting for a compiler.
Runtime::~Runtime() {
  if (state_->toolchain) state_->toolchain->cancel();
}

Status Runtime::reload() {
  if (!state_->engine) return fail(state_->wrong);
  return state_->engine->reload();
}

Result<std::shared_ptr<detail::Slot>> Runtime::bind(std::string_view name,
                                                    std::vector<detail::ParameterLayout> layout) {
  if (!state_->engine) return fail(state_->wrong);
  return state_->engine->bind(name, std::move(layout));
}

}  // namespace cudahot

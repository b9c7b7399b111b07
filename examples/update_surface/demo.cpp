// update_surface_demo: runs the animation and edits a copy of its source by itself.
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "animation.hpp"
#include "demo_run.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "source_edit.hpp"

namespace {

using cudahot::Error;
using cudahot::ErrorCode;

struct DemoOptions {
  std::filesystem::path work;    // holds the copy that is edited
  std::filesystem::path bundle;  // default: WORK/update_surface.cudahot
  std::filesystem::path sheet;   // default: WORK/contact_sheet.png
  unsigned width = 320;
  unsigned height = 200;
  cudahot::Device device = cudahot::Device::gpu;
};

int report(const Error& error) {
  fmt::print(stderr, "update_surface_demo: {}\n", error.message);
  return error.code == ErrorCode::source ? 1 : error.code == ErrorCode::usage ? 2 : 3;
}

// Only a copy is ever edited: the bundle must have been made of a file in the work folder.
cudahot::Result<std::filesystem::path> source_to_edit(const cudahot::KernelInfo& kernel, const DemoOptions& options) {
  const std::filesystem::path source = kernel.source;
  std::error_code error;
  if (!std::filesystem::equivalent(source.parent_path(), options.work, error)) {
    return cudahot::fail(ErrorCode::usage,
                         fmt::format("{} was made of {}, which is not in {}: copy the sample's sources there and run "
                                     "cudahot-extract on the copy",
                                     options.bundle.string(), source.string(), options.work.string()));
  }
  return source;
}

// Runs the steps until one goes wrong; the source has its original text again afterwards.
cudahot::Result<std::vector<sample::StepOutcome>> run_steps(sample::DemoRun& run, const std::filesystem::path& source) {
  const auto original = sample::read_text(source);
  if (!original) return cudahot::fail(original.error());
  const auto steps = sample::demo_steps(*original);
  if (!steps) return cudahot::fail(steps.error());

  cudahot::Result<std::vector<sample::StepOutcome>> outcomes;
  for (const auto& step : *steps) {
    auto outcome = run.run(step);
    if (!outcome) {
      outcomes = cudahot::fail(std::move(outcome.error()));
      break;
    }
    outcomes->push_back(std::move(*outcome));
    if (!outcomes->back().problem.empty()) break;
  }
  const bool undone = outcomes && outcomes->size() == steps->size();
  if (!undone) {
    if (auto saved = sample::save_text(source, *original); !saved && outcomes) return cudahot::fail(saved.error());
  }
  return outcomes;
}

int run(const DemoOptions& options) {
  const auto device = sample::Device::open(options.device);
  if (!device) return report(device.error());
  const auto stream = sample::Stream::create(*device);
  if (!stream) return report(stream.error());
  const auto surface = sample::Surface::create(*device, options.width, options.height);
  if (!surface) return report(surface.error());

  sample::EventQueue events;
  cudahot::RuntimeOptions runtime_options;
  runtime_options.device = options.device;
  runtime_options.bundles = {options.bundle};
  runtime_options.mode = cudahot::Mode::automatic;
  // Events are logged, too: at level info, failures as errors.
  runtime_options.log = [](cudahot::LogLevel level, std::string_view text) {
    if (level >= cudahot::LogLevel::info) fmt::print("{}\n", text);
  };
  runtime_options.on_event = [&events](const cudahot::ReloadEvent& event) { events.push(event); };
  cudahot::Runtime runtime(std::move(runtime_options));
  auto kernel = runtime.kernel<void(CUsurfObject, unsigned, unsigned, float)>("UpdateSurface");
  if (!kernel) return report(kernel.error());
  const auto source = source_to_edit(kernel.info(), options);
  if (!source) return report(source.error());
  if (options.device == cudahot::Device::cpu)
    fmt::print("No GPU is used: this is the CPU device, right but not fast\n");
  fmt::print("Process {} animates {}x{} pixels and edits {} ({})\n", getpid(), options.width, options.height,
             source->string(), kernel.info().architecture);

  sample::Animation animation(kernel, *surface, *stream, 0.05f);
  sample::DemoRun demo(animation, events, *source);
  const auto outcomes = run_steps(demo, *source);
  if (!outcomes) return report(outcomes.error());
  fmt::print("\n{}", sample::to_table(*outcomes));
  if (auto written = write_png(demo.sheet().render(), options.sheet); !written) return report(written.error());
  fmt::print("{} launches in process {}; pictures before and after each step: {}\n", animation.launches(), getpid(),
             options.sheet.string());
  return outcomes->back().problem.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  DemoOptions options;
  std::string size = fmt::format("{}x{}", options.width, options.height);
  CLI::App app("Animates a surface and edits its kernel by itself: a good edit, a syntax error, the mended text, undo.",
               "update_surface_demo");
  app.add_option("--work", options.work, "Folder with the copy of update_surface.cu that is edited")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--bundle", options.bundle, "Bundle made of that copy (default: WORK/update_surface.cudahot)");
  app.add_option("--sheet", options.sheet, "PNG with all pictures (default: WORK/contact_sheet.png)");
  app.add_option("--size", size, "Size of the picture in pixels, WxH");
  sample::add_device_option(app, options.device);
  try {
    app.parse(argc, argv);
    if (!sample::parse_size(size, options.width, options.height)) {
      throw CLI::ValidationError("--size", fmt::format("'{}' is not WxH with both from 1 to 16384", size));
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.bundle.empty()) options.bundle = options.work / "update_surface.cudahot";
  if (options.sheet.empty()) options.sheet = options.work / "contact_sheet.png";
  return run(options);
}

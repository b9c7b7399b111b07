#include "options.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>

namespace sample {
namespace {

constexpr unsigned kLargestSide = 16384;

bool parse_side(std::string_view text, unsigned& side) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  return error == std::errc() && end == text.data() + text.size() && side >= 1 && side <= kLargestSide;
}

}  // namespace

bool parse_size(const std::string& text, unsigned& width, unsigned& height) {
  const std::size_t cross = text.find('x');
  if (cross == std::string::npos) return false;
  return parse_side(std::string_view(text).substr(0, cross), width) &&
         parse_side(std::string_view(text).substr(cross + 1), height);
}

void add_device_option(CLI::App& app, cudahot::Device& device) {
  const auto choose = [&device](const std::string& name) {
    if (name != "gpu" && name != "cpu") throw CLI::ValidationError("--device", "'" + name + "' is neither gpu nor cpu");
    device = name == "cpu" ? cudahot::Device::cpu : cudahot::Device::gpu;
  };
  app.add_option_function<std::string>("--device", choose, "What kernels run on: gpu (default) or cpu")
      ->envname("CUDAHOT_DEVICE");
}

std::filesystem::path default_bundle() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return "update_surface.cudahot";
  return (program.parent_path() / "../share/cudahot/update_surface.cudahot").lexically_normal();
}

ParsedOptions parse_options(int argc, const char* const* argv) {
  Options options;
  options.bundle = default_bundle();
  std::string size = std::to_string(options.width) + "x" + std::to_string(options.height);

  CLI::App app("Animates a surface with a hot kernel: edit update_surface.cu while it runs.", "update_surface");
  auto* frames = app.add_option("--frames", options.frames, "Frames to draw")->check(CLI::PositiveNumber);
  app.add_option("--size", size, "Size of the picture in pixels, WxH");
  app.add_option("--time-step", options.time_step, "Animation time per frame");
  app.add_option("--out", options.out, "Folder for the PNG files");
  app.add_option("--bundle", options.bundle, "Bundle that cudahot-extract made of update_surface.cu");
  app.add_option("--every", options.every, "Write a PNG each N frames (0: only final.png)");
  app.add_flag("--watch", options.watch, "Run at display speed until interrupted (Ctrl+C)")->excludes(frames);
  app.add_option("--timings", options.timings, "Write a line of CSV per reload to this file, milliseconds by stage");
  app.add_flag("--print-loaded", options.print_loaded, "At the end, list the shared objects in this process");
  app.add_flag("--quiet", options.quiet, "Print errors only");
  add_device_option(app, options.device);
  app.get_formatter()->column_width(28);
  try {
    app.parse(argc, argv);
    if (!parse_size(size, options.width, options.height)) {
      throw CLI::ValidationError("--size",
                                 "'" + size + "' is not WxH with both from 1 to " + std::to_string(kLargestSide));
    }
  } catch (const CLI::ParseError& error) {
    return {std::nullopt, app.exit(error) == 0 ? 0 : 2};
  }
  return {options, 0};
}

}  // namespace sample

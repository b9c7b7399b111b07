// update_surface: animates a surface with a kernel that can be edited while it runs.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "animation.hpp"
#include "options.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using cudahot::Error;
using cudahot::ErrorCode;

volatile std::sig_atomic_t interrupted = 0;

int report(const Error& error) {
  fmt::print(stderr, "update_surface: {}\n", error.message);
  return error.code == ErrorCode::source ? 1 : error.code == ErrorCode::usage ? 2 : 3;
}

// One line a reload: what it was, and where its time went.
class TimingsFile {
 public:
  explicit TimingsFile(const std::filesystem::path& path) : file_(path) {
    file_ << "generation,cached,read,splice,extract,find,compile,link,store,check,load,total\n" << std::flush;
  }
  bool usable() const { return file_.good(); }
  void add(const cudahot::ReloadEvent& event) {
    if (event.kind != cudahot::ReloadEvent::Kind::live) return;
    const cudahot::ReloadTimings& t = event.timings;
    file_ << fmt::format("{},{:d},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}\n",
                         event.generation, event.cached, t.read, t.splice, t.extract, t.find, t.compile, t.link,
                         t.store, t.check, t.load, t.total)
          << std::flush;
  }

 private:
  std::ofstream file_;
};

cudahot::RuntimeOptions runtime_options(const sample::Options& options, std::shared_ptr<TimingsFile> timings) {
  cudahot::RuntimeOptions result;
  result.device = options.device;
  result.bundles = {options.bundle};
  // Every event is logged, too: failures are taken from the log, all others as events.
  result.log = [](cudahot::LogLevel level, std::string_view text) {
    if (level >= cudahot::LogLevel::warning) fmt::print(stderr, "{}\n", text);
  };
  result.on_event = [quiet = options.quiet, timings = std::move(timings)](const cudahot::ReloadEvent& event) {
    if (timings) timings->add(event);
    if (quiet || event.kind == cudahot::ReloadEvent::Kind::failed) return;
    fmt::print("{}\n", cudahot::to_string(event));
    std::fflush(stdout);
  };
  return result;
}

cudahot::Status write_frame(const sample::Animation& animation, const std::filesystem::path& path) {
  const auto picture = animation.picture();
  if (!picture) return cudahot::fail(picture.error());
  return write_png(to_bitmap(*picture), path);
}

// Draws until done or interrupted; returns the number of frames.
cudahot::Result<unsigned> animate(sample::Animation& animation, const sample::Options& options) {
  constexpr auto kFrameTime = std::chrono::microseconds(16667);  // 60 a second
  auto next_frame = Clock::now();
  unsigned frame = 0;
  for (; interrupted == 0 && (options.watch || frame < options.frames); ++frame) {
    if (frame != 0) animation.advance();
    if (auto drawn = animation.draw(); !drawn) return cudahot::fail(std::move(drawn.error()));
    if (options.every != 0 && frame % options.every == 0) {
      auto written = write_frame(animation, options.out / fmt::format("frame_{:05}.png", frame));
      if (!written) return cudahot::fail(std::move(written.error()));
    }
    if (options.watch) {
      next_frame += kFrameTime;
      std::this_thread::sleep_until(next_frame);
    }
  }
  return frame;
}

void print_loaded_objects() {
  std::ifstream maps("/proc/self/maps");
  std::set<std::string> objects;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path != std::string::npos && line.find(".so", path) != std::string::npos) objects.insert(line.substr(path));
  }
  for (const auto& object : objects) fmt::print("loaded: {}\n", object);
}

int run(const sample::Options& options) {
  const auto device = sample::Device::open(options.device);
  if (!device) return report(device.error());
  const auto stream = sample::Stream::create(*device);
  if (!stream) return report(stream.error());
  const auto surface = sample::Surface::create(*device, options.width, options.height);
  if (!surface) return report(surface.error());
  std::error_code folder_error;
  std::filesystem::create_directories(options.out, folder_error);
  if (folder_error) {
    return report({ErrorCode::environment,
                   fmt::format("cannot create {}: {}", options.out.string(), folder_error.message()),
                   {},
                   {}});
  }

  std::shared_ptr<TimingsFile> timings;
  if (!options.timings.empty()) {
    timings = std::make_shared<TimingsFile>(options.timings);
    if (!timings->usable()) {
      return report({ErrorCode::environment, fmt::format("cannot write {}", options.timings.string()), {}, {}});
    }
  }
  cudahot::Runtime runtime(runtime_options(options, timings));
  auto kernel = runtime.kernel<void(CUsurfObject, unsigned, unsigned, float)>("UpdateSurface");
  if (!kernel) return report(kernel.error());
  if (!options.quiet && options.watch) {
    fmt::print("Edit the region in {} and save; Ctrl+C ends.\n", kernel.info().source);
    std::fflush(stdout);
  }

  sample::Animation animation(kernel, *surface, *stream, options.time_step);
  const auto start = Clock::now();
  const auto frames = animate(animation, options);
  if (!frames) return report(frames.error());
  if (auto done = stream->wait(); !done) return report(done.error());
  const double elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();

  if (auto written = write_frame(animation, options.out / "final.png"); !written) return report(written.error());
  if (!options.quiet) {
    fmt::print("{} frames of {}x{}, {} launches, generation {}, {:.3f} ms per frame; last picture: {}\n", *frames,
               options.width, options.height, animation.launches(), kernel.generation(),
               elapsed_ms / (*frames == 0 ? 1 : *frames), (options.out / "final.png").string());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = sample::parse_options(argc, argv);
  if (!parsed.options) return parsed.exit_code;
  std::signal(SIGINT, [](int) { interrupted = 1; });
  const int exit_code = run(*parsed.options);
  if (parsed.options->print_loaded) print_loaded_objects();
  return exit_code;
}

#include "demo_run.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include <fmt/format.h>

#include "reference.hpp"
#include "source_edit.hpp"

namespace sample {
namespace {

using cudahot::ReloadEvent;
using Kind = ReloadEvent::Kind;
using Clock = std::chrono::steady_clock;

constexpr auto kFrameTime = std::chrono::milliseconds(16);
constexpr auto kPatience = std::chrono::seconds(60);  // first use of a compiler on a busy machine
constexpr int kFramesBetweenSteps = 8;

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::live:
      return "live";
    case Kind::failed:
      return "failed";
    case Kind::restored:
      return "restored";
  }
  return "unknown";
}

// Whether an error is reported at that line of that file.
bool has_error_at(const cudahot::Error& error, const std::filesystem::path& file, std::uint32_t line) {
  const auto is_there = [&](const cudahot::SourceLocation& location) {
    return location.line == line && std::filesystem::path(location.file).filename() == file.filename();
  };
  return is_there(error.location) ||
         std::any_of(error.diagnostics.begin(), error.diagnostics.end(), [&](const cudahot::Diagnostic& diagnostic) {
           return diagnostic.severity == cudahot::Severity::error && is_there(diagnostic.location);
         });
}

}  // namespace

cudahot::Result<std::vector<DemoStep>> demo_steps(const std::string& original) {
  const auto good = insert_at_region_end(original, "pixel = make_float4(pixel.y, pixel.x, pixel.z, pixel.w);");
  if (!good) return cudahot::fail(good.error());
  const auto broken = insert_at_region_end(original, "pixel = make_float4(pixel.y, pixel.x, pixel.z pixel.w);");
  if (!broken) return cudahot::fail(broken.error());
  return std::vector<DemoStep>{
      {.name = "swap red/green", .text = good->text, .expected = Kind::live, .swapped_after = true},
      {.name = "syntax error",
       .text = broken->text,
       .expected = Kind::failed,
       .swapped_after = true,
       .error_line = broken->line},
      {.name = "mended", .text = good->text, .expected = Kind::restored, .swapped_after = true},
      {.name = "undo", .text = original, .expected = Kind::live, .must_be_cached = true},
  };
}

cudahot::Status DemoRun::draw_frames(int count) {
  for (int frame = 0; frame < count; ++frame) {
    animation_.advance();
    if (auto drawn = animation_.draw(); !drawn) return drawn;
  }
  return {};
}

cudahot::Result<std::string> DemoRun::show(const std::string& caption) {
  auto picture = animation_.picture();
  if (!picture) return cudahot::fail(std::move(picture.error()));
  sheet_.add(to_bitmap(*picture), caption);
  const auto wrong = difference(picture->rgba, picture->width, picture->height, animation_.time(), swapped_);
  return wrong ? fmt::format("{}: {}", caption, *wrong) : std::string();
}

cudahot::Result<std::optional<ReloadEvent>> DemoRun::draw_until_event(std::uint64_t& frames) {
  for (const auto deadline = Clock::now() + kPatience; Clock::now() < deadline; ++frames) {
    if (auto event = events_.pop(kFrameTime)) return event;
    if (auto drawn = draw_frames(1); !drawn) return cudahot::fail(std::move(drawn.error()));
  }
  return std::nullopt;
}

std::string DemoRun::judge(const DemoStep& step, const ReloadEvent& event) const {
  if (event.kind != step.expected) {
    return fmt::format("the event is '{}', expected '{}'{}{}", name_of(event.kind), name_of(step.expected),
                       event.error.message.empty() ? "" : ": ", event.error.message);
  }
  const std::uint64_t expected_generation = generation_ + (event.kind == Kind::live ? 1 : 0);
  if (event.generation != expected_generation) {
    return fmt::format("generation {} runs, expected {}", event.generation, expected_generation);
  }
  if (step.must_be_cached && !event.cached) return "it was compiled, expected a hit in the cache";
  if (event.kind == Kind::failed && !has_error_at(event.error, source_, step.error_line)) {
    return fmt::format("no error is reported at {}:{}", source_.filename().string(), step.error_line);
  }
  if (animation_.surface() != surface_) return "the surface object changed";
  return {};
}

cudahot::Result<StepOutcome> DemoRun::run(const DemoStep& step) {
  StepOutcome outcome;
  outcome.step = step.name;
  if (auto drawn = draw_frames(kFramesBetweenSteps); !drawn) return cudahot::fail(std::move(drawn.error()));
  auto before = show(step.name + ": before");
  if (!before) return cudahot::fail(std::move(before.error()));

  if (auto saved = save_text(source_, step.text); !saved) return cudahot::fail(std::move(saved.error()));
  auto event = draw_until_event(outcome.frames_meanwhile);
  if (!event) return cudahot::fail(std::move(event.error()));
  outcome.event = std::move(*event);
  if (!outcome.event) {
    outcome.problem = fmt::format("no event within {} s of the save", kPatience.count());
    return outcome;
  }
  const std::string misjudged = judge(step, *outcome.event);
  generation_ = outcome.event->generation;
  swapped_ = step.swapped_after;

  if (auto drawn = draw_frames(1); !drawn) return cudahot::fail(std::move(drawn.error()));
  auto after = show(step.name + ": after");
  if (!after) return cudahot::fail(std::move(after.error()));
  for (const std::string& problem : {*before, misjudged, *after}) {
    if (outcome.problem.empty()) outcome.problem = problem;
  }
  return outcome;
}

std::string to_table(const std::vector<StepOutcome>& outcomes) {
  std::string table = fmt::format("{:<16} {:<9} {:>10} {:>9} {:>9} {:>7} {:>7} {:>7} {:>7}  {}\n", "step", "event",
                                  "generation", "total ms", "compile", "link", "load", "cached", "frames", "result");
  for (const auto& outcome : outcomes) {
    const std::string result = outcome.problem.empty() ? "ok" : outcome.problem;
    if (!outcome.event) {
      table += fmt::format("{:<16} {:<9} {:>57}  {}\n", outcome.step, "none", outcome.frames_meanwhile, result);
      continue;
    }
    const auto& event = *outcome.event;
    const auto& time = event.timings;
    table +=
        fmt::format("{:<16} {:<9} {:>10} {:>9.2f} {:>9.2f} {:>7.2f} {:>7.2f} {:>7} {:>7}  {}\n", outcome.step,
                    name_of(event.kind), event.generation, time.total, time.compile, time.link, time.load,
                    event.kind == Kind::live ? (event.cached ? "yes" : "no") : "-", outcome.frames_meanwhile, result);
  }
  return table;
}

}  // namespace sample

// The scripted editing session of the demo: each step saves a text, waits for the event it causes
// while the animation goes on, and checks event and pixels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "animation.hpp"
#include "contact_sheet.hpp"
#include "cudahot/cudahot.hpp"
#include "event_queue.hpp"

namespace sample {

struct DemoStep {
  std::string name;
  std::string text;  // the whole source
  cudahot::ReloadEvent::Kind expected = cudahot::ReloadEvent::Kind::live;
  bool swapped_after = false;    // the picture then has red and green swapped
  bool must_be_cached = false;   // live: without a compile
  std::uint32_t error_line = 0;  // failed: where the diagnostic must be
};

struct StepOutcome {
  std::string step;
  std::optional<cudahot::ReloadEvent> event;  // none came in time
  std::uint64_t frames_meanwhile = 0;         // drawn between the save and the event
  std::string problem;                        // empty: as expected
};

// Good edit, syntax error, mended text, undo. Errors: source when `original` has no region end.
cudahot::Result<std::vector<DemoStep>> demo_steps(const std::string& original);

class DemoRun {
 public:
  // `source` is edited. All arguments outlive the run.
  DemoRun(Animation& animation, EventQueue& events, std::filesystem::path source)
      : animation_(animation), events_(events), source_(std::move(source)), surface_(animation.surface()) {}

  // Errors: when drawing, reading or saving fails. What a step shows wrongly is in its outcome.
  cudahot::Result<StepOutcome> run(const DemoStep& step);

  const ContactSheet& sheet() const { return sheet_; }

 private:
  cudahot::Status draw_frames(int count);
  // Adds the current picture to the sheet; returns what is wrong with it.
  cudahot::Result<std::string> show(const std::string& caption);
  cudahot::Result<std::optional<cudahot::ReloadEvent>> draw_until_event(std::uint64_t& frames);
  std::string judge(const DemoStep& step, const cudahot::ReloadEvent& event) const;

  Animation& animation_;
  EventQueue& events_;
  std::filesystem::path source_;
  CUsurfObject surface_;  // of the start: must not change
  ContactSheet sheet_{2};
  std::uint64_t generation_ = 0;
  bool swapped_ = false;
};

// One line per step, with the times in milliseconds.
std::string to_table(const std::vector<StepOutcome>& outcomes);

}  // namespace sample

// What a run says on standard error while it goes on: lines with -v, one line that is rewritten on a terminal, else
// nothing.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <string_view>

namespace cudahot::extract_tool {

// Thread safe.
class Progress {
 public:
  enum class Show { nothing, one_line, every_line };

  explicit Progress(Show show) : show_(show) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // What has been done, for Show::every_line.
  void say(std::string_view line);
  // Always shown.
  void warn(std::string_view text);
  // How many steps come next; counting starts again.
  void expect(std::size_t steps);
  // Removes the line that is rewritten.
  void clear();

 private:
  friend class ProgressStep;
  using Step = std::list<std::string>::iterator;

  Step begin(std::string what);
  void end(Step step);
  void draw();   // needs mutex_
  void erase();  // needs mutex_

  const Show show_;
  std::mutex mutex_;
  std::list<std::string> running_;
  std::size_t expected_ = 0;
  std::size_t done_ = 0;
  bool drawn_ = false;
};

// One step, from construction to destruction.
class ProgressStep {
 public:
  ProgressStep(Progress& progress, std::string what) : progress_(progress), step_(progress.begin(std::move(what))) {}
  ~ProgressStep() { progress_.end(step_); }
  ProgressStep(const ProgressStep&) = delete;
  ProgressStep& operator=(const ProgressStep&) = delete;

 private:
  Progress& progress_;
  Progress::Step step_;
};

// Every line with -v; the one line only where standard error is a terminal that can rewrite it.
Progress::Show progress_for(bool verbose);

}  // namespace cudahot::extract_tool

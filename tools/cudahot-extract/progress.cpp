#include "tools/cudahot-extract/progress.hpp"

#include <cstdio>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace cudahot::extract_tool {
namespace {

constexpr const char* kEraseLine = "\r\x1b[K";

std::size_t terminal_width() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

// At most `columns` characters, without a part of one. A line that wraps could not be rewritten.
std::string_view cut(std::string_view text, std::size_t columns) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xc0u) != 0x80u;
    if (begins && ++characters > columns) return text.substr(0, i);
  }
  return text;
}

}  // namespace

void Progress::say(std::string_view line) {
  if (show_ != Show::every_line) return;
  const std::lock_guard lock(mutex_);
  (void)std::fputs(fmt::format("cudahot-extract: {}\n", line).c_str(), stderr);
}

void Progress::warn(std::string_view text) {
  const std::lock_guard lock(mutex_);
  erase();
  (void)std::fputs(fmt::format("cudahot-extract: warning: {}\n", text).c_str(), stderr);
  draw();
}

void Progress::expect(std::size_t steps) {
  const std::lock_guard lock(mutex_);
  expected_ = steps;
  done_ = 0;
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  erase();
}

Progress::Step Progress::begin(std::string what) {
  const std::lock_guard lock(mutex_);
  running_.push_back(std::move(what));
  draw();
  return std::prev(running_.end());
}

void Progress::end(Step step) {
  const std::lock_guard lock(mutex_);
  running_.erase(step);
  ++done_;
  draw();
}

void Progress::draw() {
  if (show_ != Show::one_line || running_.empty()) return;
  const std::string line = fmt::format("[{}/{}] {}", done_ + running_.size(), expected_, running_.back());
  (void)std::fputs(fmt::format("{}{}", kEraseLine, cut(line, terminal_width() - 1)).c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::erase() {
  if (!drawn_) return;
  (void)std::fputs(fmt::format("{}", kEraseLine).c_str(), stderr);
  std::fflush(stderr);
  drawn_ = false;
}

Progress::Show progress_for(bool verbose) {
  if (verbose) return Progress::Show::every_line;
  const char* const terminal = std::getenv("TERM");
  const bool rewrites = terminal != nullptr && *terminal != '\0' && std::string_view(terminal) != "dumb";
  return rewrites && ::isatty(STDERR_FILENO) != 0 ? Progress::Show::one_line : Progress::Show::nothing;
}

}  // namespace cudahot::extract_tool

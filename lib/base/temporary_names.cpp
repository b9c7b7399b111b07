#include "lib/base/temporary_names.hpp"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <string_view>

#include <unistd.h>

#include <fmt/format.h>

namespace cudahot::base {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".cudahot-new";
constexpr std::chrono::minutes kMayBeInUse{10};

bool is_running(pid_t process) { return ::kill(process, 0) == 0 || errno != ESRCH; }

bool is_left(const fs::path& path, std::string_view file) {
  const std::string name = path.filename().string();
  std::string_view rest = name;
  if (!rest.starts_with(file) || rest.find(kEnding) == std::string_view::npos) return false;
  rest.remove_prefix(file.size());
  if (!rest.starts_with('.')) return false;
  pid_t process = 0;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), process);
  if (error != std::errc() || process <= 0 || *end != '.' || is_running(process)) return false;
  std::error_code unknown;
  const auto written = fs::last_write_time(path, unknown);
  return !unknown && written < fs::file_time_type::clock::now() - kMayBeInUse;
}

void remove_left(const fs::path& file) {
  const std::string name = file.filename().string();
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (is_left(entry->path(), name)) fs::remove(entry->path(), ignored);
  }
}

}  // namespace

fs::path temporary_name(const fs::path& file) {
  static std::atomic<unsigned> counter{0};
  remove_left(file);
  return file.native() + fmt::format(".{}.{}{}", ::getpid(), counter.fetch_add(1), kEnding);
}

}  // namespace cudahot::base

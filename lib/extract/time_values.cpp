#include "lib/extract/time_values.hpp"

#include <charconv>
#include <ctime>
#include <optional>

#include <sys/stat.h>

#include <fmt/format.h>

#include "lib/base/paths.hpp"

namespace cudahot::extract {
namespace {

std::optional<std::time_t> source_date_epoch() {
  const auto text = base::environment("SOURCE_DATE_EPOCH");
  std::time_t seconds = 0;
  if (!text) return std::nullopt;
  const auto number = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (number.ec != std::errc() || number.ptr != text->data() + text->size() || seconds < 0) return std::nullopt;
  return seconds;
}

// In English, whatever the program's locale.
std::string date_of(const std::tm& time) {
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return fmt::format("{} {:2} {}", kMonths[time.tm_mon], time.tm_mday, time.tm_year + 1900);
}

std::string time_of(const std::tm& time) {
  return fmt::format("{:02}:{:02}:{:02}", time.tm_hour, time.tm_min, time.tm_sec);
}

std::string timestamp_of(const std::tm& time) {
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  const std::string date = date_of(time);
  return fmt::format("{} {} {} {}", kDays[time.tm_wday], date.substr(0, 6), time_of(time), date.substr(7));
}

}  // namespace

std::array<std::string, region::kTimeMacros.size()> time_values(const std::filesystem::path& main_file) {
  const auto epoch = source_date_epoch();
  const std::time_t now = epoch.value_or(std::time(nullptr));
  std::time_t changed = now;
  struct stat status{};
  if (!epoch && ::stat(main_file.c_str(), &status) == 0) changed = status.st_mtime;
  std::tm now_parts{};
  std::tm changed_parts{};
  const auto split = epoch ? ::gmtime_r : ::localtime_r;
  split(&now, &now_parts);
  split(&changed, &changed_parts);
  return {date_of(now_parts), time_of(now_parts), timestamp_of(changed_parts)};
}

}  // namespace cudahot::extract

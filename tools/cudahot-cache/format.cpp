#include "tools/cudahot-cache/format.hpp"

#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/format.h>

namespace cudahot::tool {

std::string human_size(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  static constexpr std::array kUnits = {" kB", " MB", " GB", " TB"};
  std::size_t unit = 0;
  std::uint64_t tenth = 100;  // of the unit, in bytes
  while (bytes >= 9995 * tenth && unit + 1 < kUnits.size()) {
    tenth *= 1000;
    ++unit;
  }
  const auto rounded = [bytes](std::uint64_t part) { return bytes / part + (bytes % part >= part / 2 ? 1 : 0); };
  const std::uint64_t tenths = rounded(tenth);
  if (tenths >= 100) return std::to_string(rounded(10 * tenth)) + kUnits[unit];
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + kUnits[unit];
}

std::string human_age(std::int64_t seconds) {
  seconds = std::max<std::int64_t>(seconds, 0);
  if (seconds < 60) return std::to_string(seconds) + " s";
  if (seconds < 60 * 60) return std::to_string(seconds / 60) + " min";
  if (seconds < 48 * 60 * 60) return std::to_string(seconds / (60 * 60)) + " h";
  return std::to_string(seconds / (24 * 60 * 60)) + " d";
}

std::string human_duration(std::int64_t microseconds) {
  struct Unit {
    std::string_view name;
    double microseconds;
    double most;  // in this unit
  };
  static constexpr Unit kUnits[] = {{"us", 1, 999.5}, {"ms", 1e3, 999.5}, {"s", 1e6, 119.5}, {"min", 60e6, 119.5}};
  const auto value = static_cast<double>(std::max<std::int64_t>(microseconds, 0));
  const auto text = [&](std::string_view name, double unit) {
    const double count = value / unit;
    return fmt::format("{:.{}f} {}", count, count < 9.95 && unit != 1 ? 1 : 0, name);
  };
  for (const Unit& unit : kUnits) {
    if (value / unit.microseconds < unit.most) return text(unit.name, unit.microseconds);
  }
  return text("h", 3600e6);
}

std::string utc_time(std::int64_t unix_time) {
  if (unix_time == 0) return "never";
  const std::time_t time = unix_time;
  std::tm parts{};
  if (::gmtime_r(&time, &parts) == nullptr) return fmt::format("{} s", unix_time);
  std::array<char, 64> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text.data(), size};
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return result;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace cudahot::tool

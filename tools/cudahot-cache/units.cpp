#include "tools/cudahot-cache/units.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace cudahot::tool {
namespace {

struct Quantity {
  double value = 0;
  std::string unit;  // lower case, may be empty
};

std::optional<Quantity> parse_quantity(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || !(value >= 0)) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  Quantity quantity{value, std::string(unit)};
  for (char& c : quantity.unit) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return quantity;
}

// "", "b", or a prefix with nothing, "b" or "ib" behind it.
std::optional<double> bytes_in(std::string_view unit) {
  if (unit.empty() || unit == "b") return 1;
  const auto power = std::string_view("kmgt").find(unit.front());
  unit.remove_prefix(1);
  if (power == std::string_view::npos || (!unit.empty() && unit != "b" && unit != "ib")) return std::nullopt;
  return std::pow(unit == "ib" ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

std::optional<double> seconds_in(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"s", 1}, {"m", 60}, {"min", 60}, {"h", 60 * 60}, {"d", 24 * 3600}, {"w", 7 * 24 * 3600}};
  for (const auto& [name, seconds] : kUnits) {
    if (unit == name) return seconds;
  }
  return std::nullopt;
}

constexpr double kMost = 9.0e18;  // fits into 63 bits

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto quantity = parse_quantity(text);
  const auto scale = quantity ? bytes_in(quantity->unit) : std::nullopt;
  if (!scale || quantity->value * *scale > kMost) {
    return fail(ErrorCode::usage, fmt::format("'{}' is no size: write it as 500M, 1.5GB or 1GiB", text));
  }
  return static_cast<std::uint64_t>(quantity->value * *scale);
}

Result<std::int64_t> parse_age(std::string_view text) {
  const auto quantity = parse_quantity(text);
  const auto scale = quantity ? seconds_in(quantity->unit) : std::nullopt;
  if (!scale || quantity->value * *scale > kMost) {
    return fail(ErrorCode::usage, fmt::format("'{}' is no age: write it as 90s, 15min, 12h, 30d or 2w", text));
  }
  return static_cast<std::int64_t>(quantity->value * *scale);
}

}  // namespace cudahot::tool

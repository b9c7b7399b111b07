#include "lib/base/amounts.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>

namespace cudahot::base {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 14> kSizes{{{"", 1},
                                       {"b", 1},
                                       {"k", 1e3},
                                       {"kb", 1e3},
                                       {"kib", 1024.0},
                                       {"m", 1e6},
                                       {"mb", 1e6},
                                       {"mib", 1048576.0},
                                       {"g", 1e9},
                                       {"gb", 1e9},
                                       {"gib", 1073741824.0},
                                       {"t", 1e12},
                                       {"tb", 1e12},
                                       {"tib", 1099511627776.0}}};
constexpr std::array<Unit, 6> kAges{{{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}}};

// Larger amounts mean nothing, and would not fit.
constexpr double kLargest = 9e18;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

template <std::size_t Count>
std::optional<double> parse(std::string_view text, const std::array<Unit, Count>& units) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || !(number >= 0)) return std::nullopt;
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  const std::string name = lower(rest);
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    const double amount = number * unit.factor;
    if (amount > kLargest) return std::nullopt;
    return amount;
  }
  return std::nullopt;
}

tl::unexpected<Error> refused(std::string_view text, std::string_view what) {
  std::string message = "'";
  message.append(text).append("' is no ").append(what);
  return fail(ErrorCode::usage, std::move(message));
}

}  // namespace

Result<std::uint64_t> parse_bytes(std::string_view text) {
  const auto bytes = parse(text, kSizes);
  if (!bytes) return refused(text, "size; write it like 500M, 1GiB or 1048576");
  return static_cast<std::uint64_t>(*bytes);
}

Result<std::chrono::seconds> parse_age(std::string_view text) {
  const auto seconds = parse(text, kAges);
  if (!seconds) return refused(text, "age; write it like 30d, 12h, 15min or 90s");
  return std::chrono::seconds(static_cast<std::int64_t>(*seconds));
}

}  // namespace cudahot::base

#include <bit>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "lib/cpu_device/services.hpp"

namespace cudahot::cpu {
namespace {

constexpr std::string_view kFlags = "-+ #0123456789.";
constexpr std::string_view kLengths = "hlLjzt";

// One conversion specification, from behind the '%' of a format.
struct Conversion {
  std::string text;      // "%5.2" with flags, width and precision
  bool is_long = false;  // 64-bit integer
  char kind = '\0';      // 'd', 's', ...; '\0': the format ends too early
};

template <typename Value>
void append(std::string& out, const std::string& specification, Value value) {
  // Only called with specifications built below.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
  if (length <= 0) return;
  const std::size_t end = out.size();
  out.resize(end + static_cast<std::size_t>(length) + 1);
  std::snprintf(out.data() + end, static_cast<std::size_t>(length) + 1, specification.c_str(), value);
#pragma GCC diagnostic pop
  out.pop_back();
}

void append_argument(std::string& out, const Conversion& conversion, std::uint64_t argument) {
  switch (conversion.kind) {
    case 'd':
    case 'i': {
      const auto value = static_cast<std::int64_t>(argument);
      append(out, conversion.text + "lld",
             static_cast<long long>(conversion.is_long ? value : static_cast<std::int32_t>(argument)));
      break;
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      append(out, conversion.text + "ll" + conversion.kind,
             static_cast<unsigned long long>(conversion.is_long ? argument : argument & 0xffffffffU));
      break;
    case 'c':
      append(out, conversion.text + "c", static_cast<int>(argument & 0xffU));
      break;
    case 'p':
      append(out, conversion.text + "p", reinterpret_cast<const void*>(argument));
      break;
    case 's':
      append(out, conversion.text + "s", reinterpret_cast<const char*>(argument));
      break;
    default:
      append(out, conversion.text + conversion.kind, std::bit_cast<double>(argument));
      break;
  }
}

// The texts are put together on the fiber, where a bad pointer is caught, before the lock is taken.
void write_out(const std::string& text) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace

int print(const char* format, const std::uint64_t* arguments, std::uint32_t count) {
  // Outlives the call if a bad pointer ends it.
  static thread_local std::string out;
  out.clear();
  std::uint32_t used = 0;
  for (const char* at = format; *at != '\0'; ++at) {
    if (*at != '%') {
      out += *at;
      continue;
    }
    if (at[1] == '%') {
      out += *++at;
      continue;
    }
    Conversion conversion;
    conversion.text = "%";
    for (++at; kFlags.find(*at) != std::string_view::npos || *at == '*'; ++at) {
      if (*at != '*') {
        conversion.text += *at;
      } else if (used < count) {
        conversion.text += std::to_string(static_cast<std::int32_t>(arguments[used++]));
      } else {
        return -1;
      }
    }
    for (; *at != '\0' && kLengths.find(*at) != std::string_view::npos; ++at) {
      conversion.is_long |= *at != 'h' && *at != 'L';
    }
    conversion.kind = *at;
    if (conversion.kind == '\0') break;
    if (std::string_view("diuxXocpsfFeEgGaA").find(conversion.kind) == std::string_view::npos) {
      out += conversion.text + conversion.kind;
      continue;
    }
    if (used == count) return -1;
    append_argument(out, conversion, arguments[used++]);
  }
  write_out(out);
  return static_cast<int>(count);
}

}  // namespace cudahot::cpu

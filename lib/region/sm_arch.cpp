#include "lib/region/sm_arch.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace cudahot::region {
namespace {

constexpr std::string_view kCpuName = "cpu-x86-64";

bool consume(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

Result<SmArch> parse_sm_arch(std::string_view text) {
  const auto refused = [&] {
    return fail(ErrorCode::usage,
                fmt::format("'{}' is not a GPU architecture: write its number as in sm_90, 90, 90a or 9.0 (or {} for "
                            "the CPU device)",
                            text, kCpuName));
  };
  if (text == kCpuName) return kCpuX86_64;
  std::string_view rest = text;
  if (!consume(rest, "sm_")) consume(rest, "compute_");
  SmArch arch;
  const char* const end = rest.data() + rest.size();
  auto [after, error] = std::from_chars(rest.data(), end, arch.number);
  if (error != std::errc() || arch.number == 0) return refused();
  if (after != end && *after == '.') {
    unsigned minor = 0;
    const auto second = std::from_chars(after + 1, end, minor);
    if (second.ec != std::errc() || minor > 9) return refused();
    arch.number = arch.number * 10 + minor;
    after = second.ptr;
  }
  if (after != end && (*after == 'a' || *after == 'f')) {
    arch.suffix = *after == 'a' ? SmArch::Suffix::architecture : SmArch::Suffix::family;
    ++after;
  }
  if (after != end || arch.number < 10 || arch.number > 999) return refused();
  return arch;
}

Result<std::vector<SmArch>> parse_sm_arch_list(std::string_view text) {
  std::vector<SmArch> list;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(",;", begin), text.size());
    const std::string_view entry = text.substr(begin, end - begin);
    begin = end + 1;
    if (entry.empty()) continue;
    auto arch = parse_sm_arch(entry);
    if (!arch) return fail(std::move(arch.error()));
    if (std::find(list.begin(), list.end(), *arch) == list.end()) list.push_back(*arch);
  }
  if (list.empty()) return fail(ErrorCode::usage, "no GPU architecture given: write for example 80,90a");
  return list;
}

std::string to_string(const SmArch& arch) {
  if (is_cpu(arch)) return std::string(kCpuName);
  const char* suffix = arch.suffix == SmArch::Suffix::architecture ? "a"
                       : arch.suffix == SmArch::Suffix::family     ? "f"
                                                                   : "";
  return "sm_" + std::to_string(arch.number) + suffix;
}

bool runs_on(const SmArch& code, const SmArch& device) {
  if (is_cpu(code) || is_cpu(device)) return code == device;
  if (code.suffix == SmArch::Suffix::architecture) return code.number == device.number;
  return code.major() == device.major() && code.minor() <= device.minor();
}

const SmArch* best_for(const SmArch& device, const std::vector<SmArch>& available) {
  const SmArch* best = nullptr;
  for (const SmArch& candidate : available) {
    if (runs_on(candidate, device) && (best == nullptr || *best < candidate)) best = &candidate;
  }
  return best;
}

}  // namespace cudahot::region

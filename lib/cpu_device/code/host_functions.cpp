#include "lib/cpu_device/code/host_functions.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "lib/cpu_device/code/prelude.hpp"
#include "lib/region/raw_scanner.hpp"
#include "lib/region/text_map.hpp"

namespace cudahot::cpu_device {
namespace {

constexpr std::array<std::string_view, 7> kOthers{
    "memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen", "_GLOBAL_OFFSET_TABLE_"};

// Every word in the prelude's declarations of mathematical functions.
std::set<std::string_view> words_of_mathematics() {
  std::set<std::string_view> words;
  for (const auto& file : prelude_files()) {
    if (!file.name.starts_with("cudahot_cpu/math")) continue;
    region::RawScanner scanner(file.text);
    while (const auto token = scanner.next()) {
      if (token->kind != region::RawToken::Kind::word) continue;
      words.insert(file.text.substr(token->range.begin, token->range.size()));
    }
  }
  return words;
}

bool is_given(std::string_view symbol) {
  static const auto& mathematics = *new std::set<std::string_view>(words_of_mathematics());
  if (std::ranges::find(kOthers, symbol) != kOthers.end() || mathematics.contains(symbol)) return true;
  return symbol.ends_with('f') && mathematics.contains(symbol.substr(0, symbol.size() - 1));
}

}  // namespace

std::vector<Diagnostic> refuse_host_functions(const std::vector<std::string>& undefined, const region::Slice& slice) {
  std::vector<Diagnostic> refusals;
  for (const auto& symbol : undefined) {
    if (symbol.starts_with("_Z") || is_given(symbol)) continue;
    Diagnostic diagnostic;
    diagnostic.text = symbol + " is used, which the CPU device does not have";
    region::place_at_first_use(slice, symbol, diagnostic);
    if (diagnostic.location.line == 0) region::place_at_first_use(slice, "__builtin_" + symbol, diagnostic);
    diagnostic.hint =
        "of the C library a kernel has mathematical functions, memcpy, memmove, memset and memcmp; __trap() ends it";
    refusals.push_back(std::move(diagnostic));
  }
  return refusals;
}

}  // namespace cudahot::cpu_device

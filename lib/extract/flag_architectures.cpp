#include "lib/extract/flag_architectures.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lib/extract/flag_words.hpp"

namespace cudahot::extract {
namespace {

bool is_open(std::string_view name) { return name == "native" || name == "all" || name == "all-major"; }

template <typename T>
void add_once(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

Status add_name(std::string_view name, WantedArchitectures& out) {
  if (is_open(name)) {
    add_once(out.open, std::string(name));
    return {};
  }
  constexpr std::string_view kLto = "lto_";
  const auto arch = region::parse_sm_arch(name.starts_with(kLto) ? name.substr(kLto.size()) : name);
  if (!arch) return fail(arch.error());
  add_once(out.named, *arch);
  return {};
}

// "sm_90", "[compute_90,sm_90]" or "\"sm_90,compute_90\"": the real ones, which are what runs; else the virtual ones.
Result<WantedArchitectures> parse_code(std::string_view list) {
  std::string plain;
  std::copy_if(list.begin(), list.end(), std::back_inserter(plain),
               [](char c) { return std::string_view("[]\"' ").find(c) == std::string_view::npos; });
  std::vector<std::string> names = split_list(plain);
  const auto is_virtual = [](const std::string& name) { return name.starts_with("compute_"); };
  if (!std::all_of(names.begin(), names.end(), is_virtual)) std::erase_if(names, is_virtual);
  WantedArchitectures wanted;
  for (const std::string& name : names) {
    if (auto added = add_name(name, wanted); !added) return fail(std::move(added.error()));
  }
  return wanted;
}

// What is left of `code` where it is made of the text as `text` sees it. nvcc makes compute_100f's code for sm_100 as
// sm_100f, too.
WantedArchitectures made_of(const region::SmArch& text, const WantedArchitectures& code) {
  using Suffix = region::SmArch::Suffix;
  WantedArchitectures wanted{{}, code.open, {}};
  for (const region::SmArch& arch : code.named) {
    const bool same = arch == text || (text.suffix == Suffix::family && arch == region::SmArch{text.number});
    if (same) add_once(wanted.named, text);
    else wanted.crossed.push_back({text, arch});
  }
  return wanted;
}

}  // namespace

Status FlagArchitectures::set(std::string_view name) {
  WantedArchitectures wanted;
  if (auto added = add_name(name, wanted); !added) return added;
  if (main_) {
    wishes_[*main_] = std::move(wanted);
    return {};
  }
  main_ = wishes_.size();
  wishes_.push_back(std::move(wanted));
  return {};
}

Status FlagArchitectures::set_code(std::string_view list) {
  auto code = parse_code(list);
  if (!code) return fail(std::move(code.error()));
  code_ = std::move(*code);
  return {};
}

Status FlagArchitectures::add_generate_code(std::string_view value) {
  const auto behind = [&](std::string_view key) {
    const std::size_t at = value.find(key);
    return at == std::string_view::npos ? std::string_view() : value.substr(at + key.size());
  };
  const std::string_view text = behind("arch=").substr(0, behind("arch=").find(','));
  const std::string_view list = behind("code=");
  if (text.empty() && list.empty()) {
    return fail(
        ErrorCode::usage,
        fmt::format("-gencode {}: expected arch=compute_NN,code=sm_NN, as in arch=compute_90,code=sm_90", value));
  }
  auto code = parse_code(list.empty() ? text : list);
  if (!code) return fail(std::move(code.error()));
  if (!text.empty()) {
    const auto seen = region::parse_sm_arch(text);
    if (!seen) return fail(seen.error());
    *code = made_of(*seen, *code);
  }
  wishes_.push_back(std::move(*code));
  return {};
}

Status FlagArchitectures::add(std::string_view list) {
  auto wanted = parse_wanted_architectures(list);
  if (!wanted) return fail(std::move(wanted.error()));
  wishes_.push_back(std::move(*wanted));
  return {};
}

Status FlagArchitectures::remove(std::string_view list) {
  if (list == "all") {
    wishes_.clear();
    main_.reset();
    return {};
  }
  const auto unwanted = parse_wanted_architectures(list);
  if (!unwanted) return fail(unwanted.error());
  for (WantedArchitectures& wish : wishes_) {
    std::erase_if(wish.named, [&](const region::SmArch& arch) {
      return std::find(unwanted->named.begin(), unwanted->named.end(), arch) != unwanted->named.end();
    });
  }
  return {};
}

WantedArchitectures FlagArchitectures::take() {
  if (main_ && code_) {
    const std::vector<region::SmArch>& text = wishes_[*main_].named;
    wishes_[*main_] = text.empty() ? *code_ : made_of(text.front(), *code_);
  }
  WantedArchitectures all;
  for (const WantedArchitectures& wish : wishes_) {
    for (const region::SmArch& arch : wish.named) add_once(all.named, arch);
    for (const std::string& open : wish.open) add_once(all.open, open);
    for (const WantedArchitectures::Crossed& pair : wish.crossed) add_once(all.crossed, pair);
  }
  return all;
}

Result<WantedArchitectures> parse_wanted_architectures(std::string_view list) {
  WantedArchitectures wanted;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find_first_of(",;", begin), list.size());
    const std::string_view name = list.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty()) continue;
    if (auto added = add_name(name, wanted); !added) return fail(std::move(added.error()));
  }
  if (wanted.named.empty() && wanted.open.empty()) {
    return fail(ErrorCode::usage, "no GPU architecture given: write for example 80,90a");
  }
  return wanted;
}

}  // namespace cudahot::extract

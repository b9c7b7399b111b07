#include "lib/extract/flags.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lib/extract/flag_architectures.hpp"
#include "lib/extract/flag_rules.hpp"
#include "lib/extract/flag_words.hpp"

namespace cudahot::extract {
namespace {

// The names of the same options in NVRTC, where it has only one of nvcc's two.
std::string_view nvrtc_name(std::string_view name) {
  if (name == "Ofc") return "Ofast-compile";
  return name == "jtd" ? "jump-table-density" : name;
}

// NVRTC knows none of the GNU dialects, none of the working names, and nothing behind C++20.
std::string nvrtc_standard(std::string_view standard) {
  std::string name(standard);
  if (name.starts_with("gnu++")) name.replace(0, 3, "c");
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kNames{{{"c++0x", "c++11"},
                                                                                 {"c++1y", "c++14"},
                                                                                 {"c++1z", "c++17"},
                                                                                 {"c++2a", "c++20"},
                                                                                 {"c++2b", "c++20"},
                                                                                 {"c++23", "c++20"},
                                                                                 {"c++2c", "c++20"},
                                                                                 {"c++26", "c++20"},
                                                                                 {"c++98", "c++03"}}};
  for (const auto& [from, to] : kNames) {
    if (name == from) return std::string(to);
  }
  return name;
}

// Options of ptxas that only decide what it says.
bool is_ptxas_talk(std::string_view option) {
  constexpr std::array<std::string_view, 6> kExact{"-v",      "--verbose", "-w", "--disable-warnings",
                                                   "-Werror", "--Werror"};
  if (std::find(kExact.begin(), kExact.end(), option) != kExact.end()) return true;
  return option.starts_with("-warn-") || option.starts_with("--warn-") || option.starts_with("-suppress-") ||
         option.starts_with("--suppress-");
}

// Macros and folders, as the front ends spell them; empty for all others. Both have nvcc's names and GCC's.
std::string_view front_end_name(const FlagRule& rule) {
  switch (rule.action) {
    case FlagAction::define:
      return "-D";
    case FlagAction::undefine:
      return "-U";
    case FlagAction::include_folder:
      return "-I";
    case FlagAction::force_include:
      return "-include";
    case FlagAction::other_folder:
      if (rule.name == "iquote") return "-iquote";
      return rule.name == "idirafter" ? "-idirafter" : "-isystem";
    default:
      return {};
  }
}

bool is_macro(const FlagRule& rule) { return rule.action == FlagAction::define || rule.action == FlagAction::undefine; }

void append(std::vector<std::string>& list, std::initializer_list<std::string> more) {
  list.insert(list.end(), more.begin(), more.end());
}

class Planner {
 public:
  explicit Planner(bool for_clang) { plan_.for_clang = for_clang; }

  Status add(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word.size() < 2 || word.front() != '-') {
        plan_.stray.push_back(word);
        continue;
      }
      plan_.words.push_back(word);
      ReadFlag flag = read_flag(word, plan_.for_clang);
      if (flag.rule == nullptr) {
        plan_.ignored.push_back(word);
        continue;
      }
      const bool last = i + 1 == words.size();
      if (!flag.value && flag.rule->value == FlagValue::required && last) {
        return fail(ErrorCode::usage, fmt::format("the flag {} needs a value", word));
      }
      if (!flag.value && !last && takes_next_word(*flag.rule, words[i + 1])) {
        flag.value = words[++i];
        plan_.words.push_back(words[i]);
      }
      if (auto applied = apply(*flag.rule, word, flag.value); !applied) return applied;
    }
    return {};
  }

  FlagPlan take() {
    add_host_words();
    plan_.architectures = architectures_.take();
    return std::move(plan_);
  }

 private:
  Status apply(const FlagRule& rule, const std::string& word, const std::optional<std::string_view>& given) {
    const std::string value(given.value_or(""));
    switch (rule.action) {
      case FlagAction::ignore:
        plan_.ignored.push_back(given && word.ends_with(rule.name) ? fmt::format("{}={}", word, value) : word);
        return {};
      case FlagAction::define:
      case FlagAction::undefine:
        for (const std::string& each : items(value)) both(std::string(front_end_name(rule)) + each);
        return {};
      case FlagAction::include_folder:
      case FlagAction::other_folder:
      case FlagAction::force_include:
        for (const std::string& each : items(value)) append(plan_.clang, {std::string(front_end_name(rule)), each});
        return {};
      case FlagAction::standard:
        plan_.clang.push_back("-std=" + value);
        set_nvrtc("std", nvrtc_standard(value));
        return {};
      case FlagAction::architecture:
        return architectures_.set(value);
      case FlagAction::further_architecture:
        return architectures_.add(value);
      case FlagAction::without_architecture:
        return architectures_.remove(value);
      case FlagAction::architecture_code:
        return architectures_.set_code(value);
      case FlagAction::generate_code:
        return architectures_.add_generate_code(value);
      case FlagAction::relocatable:
        if (value != "false") plan_.clang.emplace_back("-fgpu-rdc");
        return {};
      default:
        apply_to_code(rule, word, value);
        return {};
    }
  }

  // What decides the code that is made of the text.
  void apply_to_code(const FlagRule& rule, const std::string& word, const std::string& value) {
    switch (rule.action) {
      case FlagAction::fast_math:
        append(plan_.clang, {"-fgpu-approx-transcendentals", "-D__USE_FAST_MATH__=1"});
        plan_.nvrtc.emplace_back("--use_fast_math");
        return;
      case FlagAction::line_info:
        plan_.nvrtc.emplace_back("--generate-line-info");
        plan_.paths_in_output = true;
        return;
      case FlagAction::device_debug:
        plan_.clang.emplace_back("-D__CUDACC_DEBUG__");
        plan_.nvrtc.emplace_back("--device-debug");
        plan_.paths_in_output = true;
        return;
      case FlagAction::extended_lambda:  // nothing but nvcc's macros: both compilers take such code
        both("-D__CUDACC_EXTENDED_LAMBDA__");
        return;
      case FlagAction::relaxed_constexpr:
        both("-D__CUDACC_RELAXED_CONSTEXPR__");
        return;
      case FlagAction::nvrtc_value:
        set_nvrtc(nvrtc_name(rule.name), value);
        return;
      case FlagAction::nvrtc_flag:
        plan_.nvrtc.push_back(fmt::format("--{}", rule.name));
        return;
      case FlagAction::ptxas:
        add_ptxas(value);
        return;
      case FlagAction::host_compiler:
        for (const std::string& piece : split_list(value)) {
          for (std::string& each : split_shell_words(piece)) host_words_.push_back(std::move(each));
        }
        return;
      case FlagAction::clang_flush_denormals:
        set_nvrtc("ftz", rule.name.starts_with("fno-") ? "false" : "true");
        return;
      case FlagAction::clang_contraction:
        set_nvrtc("fmad", value == "off" ? "false" : "true");
        return;
      default:
        plan_.ignored.push_back(word);
    }
  }

  // Lists are nvcc's: to Clang a comma is part of the value.
  std::vector<std::string> items(const std::string& value) const {
    return plan_.for_clang ? std::vector<std::string>{value} : split_list(value);
  }

  void both(const std::string& flag) {
    plan_.clang.push_back(flag);
    plan_.nvrtc.push_back(flag);
  }

  // NVRTC warns of an option that is given twice; as with nvcc the last counts.
  void set_nvrtc(std::string_view name, std::string_view value) {
    const std::string start = fmt::format("--{}=", name);
    std::erase_if(plan_.nvrtc, [&](const std::string& option) { return option.starts_with(start); });
    plan_.nvrtc.push_back(start + std::string(value));
  }

  // NVRTC takes one option of ptxas at a time, with its value attached.
  void add_ptxas(std::string_view value) {
    std::vector<std::string> options;
    for (const std::string& piece : split_list(value)) {
      for (std::string& each : split_shell_words(piece)) {
        if (each.starts_with('-') || options.empty()) options.push_back(std::move(each));
        else options.back() += "=" + each;
      }
    }
    for (const std::string& option : options) {
      if (is_ptxas_talk(option)) plan_.ignored.push_back("-Xptxas=" + option);
      else plan_.nvrtc.push_back("--ptxas-options=" + option);
    }
  }

  // nvcc preprocesses device code with the host compiler's options, before its own.
  void add_host_words() {
    std::vector<std::string> clang;
    std::vector<std::string> nvrtc;
    for (std::size_t i = 0; i < host_words_.size(); ++i) {
      const std::string& word = host_words_[i];
      const ReadFlag flag = word.size() > 1 && word.front() == '-' ? read_flag(word, true) : ReadFlag{};
      const std::string name(flag.rule != nullptr ? front_end_name(*flag.rule) : "");
      const bool has_value = flag.value || i + 1 < host_words_.size();
      if (name.empty() || !has_value) {
        plan_.ignored.push_back("-Xcompiler=" + word);
        continue;
      }
      const std::string value(flag.value ? *flag.value : host_words_[++i]);
      if (is_macro(*flag.rule)) {
        for (auto* list : {&clang, &nvrtc}) list->push_back(name + value);
      } else {
        append(clang, {name, value});
      }
    }
    plan_.clang.insert(plan_.clang.begin(), clang.begin(), clang.end());
    plan_.nvrtc.insert(plan_.nvrtc.begin(), nvrtc.begin(), nvrtc.end());
  }

  FlagPlan plan_;
  FlagArchitectures architectures_;
  std::vector<std::string> host_words_;
};

bool are_for_clang(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_clang_flag(words[i], i + 1 < words.size() ? words[i + 1] : std::string_view())) return true;
  }
  return false;
}

}  // namespace

Result<FlagPlan> plan_flags(const std::vector<std::string>& flags, const std::filesystem::path& working_directory,
                            const NvccVariables& variables) {
  auto expanded = expand_flag_files(flags, working_directory);
  if (!expanded) return fail(std::move(expanded.error()));
  const bool any_variable = !variables.before.empty() || !variables.after.empty();
  if (any_variable && !are_for_clang(expanded->words)) {
    std::vector<std::string> all = variables.before;
    all.insert(all.end(), flags.begin(), flags.end());
    all.insert(all.end(), variables.after.begin(), variables.after.end());
    expanded = expand_flag_files(all, working_directory);
    if (!expanded) return fail(std::move(expanded.error()));
  }
  Planner planner(are_for_clang(expanded->words));
  if (auto added = planner.add(expanded->words); !added) return fail(std::move(added.error()));
  FlagPlan plan = planner.take();
  plan.files = std::move(expanded->files);
  return plan;
}

}  // namespace cudahot::extract

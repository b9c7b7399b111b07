#include "lib/extract/flags.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "lib/base/files.hpp"

namespace cudahot::extract {
namespace {

enum class Action {
  ignore,
  define,
  undefine,
  include_folder,
  system_folder,
  force_include,
  standard,
  architecture,
  generate_code,
  relocatable,
  fast_math,
  line_info,
  device_debug,
  nvrtc_value,  // --NAME=VALUE
  nvrtc_flag,   // --NAME
  host_compiler,
};

struct Rule {
  std::string_view name;  // without leading dashes
  bool takes_value;
  Action action;
};

// nvcc takes both -NAME and --NAME, and NAME=VALUE as well as NAME VALUE.
constexpr std::array kRules{
    Rule{"D", true, Action::define},
    Rule{"define-macro", true, Action::define},
    Rule{"U", true, Action::undefine},
    Rule{"undefine-macro", true, Action::undefine},
    Rule{"I", true, Action::include_folder},
    Rule{"include-path", true, Action::include_folder},
    Rule{"isystem", true, Action::system_folder},
    Rule{"system-include", true, Action::system_folder},
    Rule{"include", true, Action::force_include},
    Rule{"pre-include", true, Action::force_include},
    Rule{"std", true, Action::standard},
    Rule{"arch", true, Action::architecture},
    Rule{"gpu-architecture", true, Action::architecture},
    Rule{"cuda-gpu-arch", true, Action::architecture},
    Rule{"offload-arch", true, Action::architecture},
    Rule{"gencode", true, Action::generate_code},
    Rule{"generate-code", true, Action::generate_code},
    Rule{"rdc", true, Action::relocatable},
    Rule{"relocatable-device-code", true, Action::relocatable},
    Rule{"dc", false, Action::relocatable},
    Rule{"device-c", false, Action::relocatable},
    Rule{"dlto", false, Action::relocatable},
    Rule{"fgpu-rdc", false, Action::relocatable},
    Rule{"use_fast_math", false, Action::fast_math},
    Rule{"lineinfo", false, Action::line_info},
    Rule{"generate-line-info", false, Action::line_info},
    Rule{"G", false, Action::device_debug},
    Rule{"device-debug", false, Action::device_debug},
    Rule{"ftz", true, Action::nvrtc_value},
    Rule{"prec-div", true, Action::nvrtc_value},
    Rule{"prec-sqrt", true, Action::nvrtc_value},
    Rule{"fmad", true, Action::nvrtc_value},
    Rule{"maxrregcount", true, Action::nvrtc_value},
    Rule{"extra-device-vectorization", false, Action::nvrtc_flag},
    Rule{"restrict", false, Action::nvrtc_flag},
    Rule{"Xcompiler", true, Action::host_compiler},
    Rule{"compiler-options", true, Action::host_compiler},
    // Known, and of no consequence for device code.
    Rule{"code", true, Action::ignore},
    Rule{"gpu-code", true, Action::ignore},
    Rule{"o", true, Action::ignore},
    Rule{"output-file", true, Action::ignore},
    Rule{"odir", true, Action::ignore},
    Rule{"output-directory", true, Action::ignore},
    Rule{"MF", true, Action::ignore},
    Rule{"MT", true, Action::ignore},
    Rule{"MQ", true, Action::ignore},
    Rule{"ccbin", true, Action::ignore},
    Rule{"compiler-bindir", true, Action::ignore},
    Rule{"diag-suppress", true, Action::ignore},
    Rule{"diag-warn", true, Action::ignore},
    Rule{"diag-error", true, Action::ignore},
    Rule{"Xptxas", true, Action::ignore},
    Rule{"ptxas-options", true, Action::ignore},
    Rule{"Xnvlink", true, Action::ignore},
    Rule{"nvlink-options", true, Action::ignore},
    Rule{"Xlinker", true, Action::ignore},
    Rule{"linker-options", true, Action::ignore},
    Rule{"Xarchive", true, Action::ignore},
    Rule{"Xfatbin", true, Action::ignore},
    Rule{"fatbin-options", true, Action::ignore},
    Rule{"Xcudafe", true, Action::ignore},
    Rule{"Xclang", true, Action::ignore},
    Rule{"cuda-path", true, Action::ignore},
    Rule{"threads", true, Action::ignore},
    Rule{"t", true, Action::ignore},
    Rule{"split-compile", true, Action::ignore},
    Rule{"x", true, Action::ignore},
    Rule{"cudart", true, Action::ignore},
    Rule{"cudadevrt", true, Action::ignore},
    Rule{"default-stream", true, Action::ignore},
    Rule{"Werror", true, Action::ignore},
    Rule{"L", true, Action::ignore},
    Rule{"library-path", true, Action::ignore},
    Rule{"l", true, Action::ignore},
    Rule{"library", true, Action::ignore},
    Rule{"machine", true, Action::ignore},
    Rule{"objdir-as-tempdir", false, Action::ignore},
};

// Spelled with the value joined to the name, as in -Ifolder.
constexpr std::array<std::string_view, 8> kJoined{"-isystem", "-include", "-I", "-D", "-U", "-L", "-l", "-std"};

std::string_view without_dashes(std::string_view flag) {
  flag.remove_prefix(1);
  if (!flag.empty() && flag.front() == '-') flag.remove_prefix(1);
  return flag;
}

const Rule* find_rule(std::string_view name) {
  const auto* const rule = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& r) { return r.name == name; });
  return rule == kRules.end() ? nullptr : rule;
}

struct Flag {
  const Rule* rule = nullptr;  // none: not known
  std::string_view spelling;
  std::optional<std::string_view> value;  // attached to the flag
};

Flag read_flag(std::string_view text) {
  const std::string_view bare = without_dashes(text);
  if (const Rule* rule = find_rule(bare)) return {rule, text, std::nullopt};
  const std::size_t equals = bare.find('=');
  if (equals != std::string_view::npos) {
    const Rule* rule = find_rule(bare.substr(0, equals));
    const bool joined_define = text.size() > 2 && text[1] != '-' && (text[1] == 'D' || text[1] == 'I');
    if (rule != nullptr && !joined_define) return {rule, text, bare.substr(equals + 1)};
  }
  for (const std::string_view prefix : kJoined) {
    if (text.size() > prefix.size() && text.substr(0, prefix.size()) == prefix) {
      return {find_rule(prefix.substr(1)), text, text.substr(prefix.size())};
    }
  }
  return {nullptr, text, std::nullopt};
}

// Words of an options file: separated by white space, double quotes keep it.
std::vector<std::string> split_options(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  bool any = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (c == '"') {
      quoted = !quoted;
      any = true;
    } else if (space && !quoted) {
      if (any) words.push_back(std::move(word));
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (any) words.push_back(std::move(word));
  return words;
}

class Planner {
 public:
  explicit Planner(const std::filesystem::path& working_directory) : folder_(working_directory) {}

  Status add(const std::vector<std::string>& flags, unsigned depth) {
    for (std::size_t i = 0; i < flags.size(); ++i) {
      const std::string& text = flags[i];
      if (text.size() < 2 || text.front() != '-') {
        // A source or object file of the command line.
        plan_.ignored.push_back(text);
        continue;
      }
      if (auto done = add_options_file(flags, i, depth); !done) return fail(std::move(done.error()));
      else if (*done) continue;
      Flag flag = read_flag(text);
      if (flag.rule == nullptr) {
        plan_.ignored.push_back(text);
        continue;
      }
      if (flag.rule->takes_value && !flag.value) {
        if (i + 1 == flags.size()) return fail(ErrorCode::usage, fmt::format("the flag {} needs a value", text));
        flag.value = flags[++i];
      }
      if (auto applied = apply(flag); !applied) return applied;
    }
    return {};
  }

  FlagPlan take() { return std::move(plan_); }

 private:
  // Whether flags[i] named an options file; i then stands on its last word.
  Result<bool> add_options_file(const std::vector<std::string>& flags, std::size_t& i, unsigned depth) {
    const std::string_view bare = without_dashes(flags[i]);
    std::string name;
    for (const std::string_view option : {"options-file", "optf"}) {
      if (bare == option && i + 1 < flags.size()) name = flags[++i];
      else if (bare.size() > option.size() && bare.substr(0, option.size()) == option && bare[option.size()] == '=') {
        name = bare.substr(option.size() + 1);
      }
      if (!name.empty()) break;
    }
    if (name.empty()) return false;
    constexpr unsigned kDeepest = 16;
    if (depth == kDeepest) return fail(ErrorCode::usage, fmt::format("options file {} includes itself", name));
    const auto content = base::read_file(folder_ / name);
    if (!content) {
      return fail(ErrorCode::usage, fmt::format("cannot read options file {}: {}", name, content.error().message));
    }
    if (auto added = add(split_options(*content), depth + 1); !added) return fail(std::move(added.error()));
    return true;
  }

  Status apply(const Flag& flag) {
    const std::string value(flag.value.value_or(""));
    switch (flag.rule->action) {
      case Action::ignore:
        plan_.ignored.push_back(flag.rule->takes_value ? fmt::format("-{}={}", flag.rule->name, value)
                                                       : std::string(flag.spelling));
        return {};
      case Action::define:
        both("-D" + value);
        return {};
      case Action::undefine:
        both("-U" + value);
        return {};
      case Action::include_folder:
        for_clang({"-I", value});
        return {};
      case Action::system_folder:
        for_clang({"-isystem", value});
        return {};
      case Action::force_include:
        for_clang({"-include", value});
        return {};
      case Action::standard:
        plan_.clang.push_back("-std=" + value);
        plan_.nvrtc.push_back("--std=" + value);
        return {};
      case Action::architecture:
        return add_architecture(value);
      case Action::generate_code:
        return add_generate_code(value);
      case Action::relocatable:
        if (value != "false") plan_.clang.emplace_back("-fgpu-rdc");
        return {};
      case Action::fast_math:
        for_clang({"-fgpu-approx-transcendentals", "-D__USE_FAST_MATH__=1"});
        plan_.nvrtc.emplace_back("--use_fast_math");
        return {};
      case Action::line_info:
        plan_.nvrtc.emplace_back("--generate-line-info");
        plan_.paths_in_output = true;
        return {};
      case Action::device_debug:
        plan_.nvrtc.emplace_back("--device-debug");
        plan_.paths_in_output = true;
        return {};
      case Action::nvrtc_value:
        plan_.nvrtc.push_back(fmt::format("--{}={}", flag.rule->name, value));
        return {};
      case Action::nvrtc_flag:
        plan_.nvrtc.push_back(fmt::format("--{}", flag.rule->name));
        return {};
      case Action::host_compiler:
        add_host_compiler(value);
        return {};
    }
    return {};
  }

  void both(const std::string& flag) {
    plan_.clang.push_back(flag);
    plan_.nvrtc.push_back(flag);
  }

  void for_clang(std::initializer_list<std::string> flags) {
    plan_.clang.insert(plan_.clang.end(), flags.begin(), flags.end());
  }

  Status add_architecture(const std::string& value) {
    // What the machine has is not known here; the caller's own list decides.
    if (value == "native" || value == "all" || value == "all-major") {
      plan_.ignored.push_back("-arch=" + value);
      return {};
    }
    const auto list = region::parse_sm_arch_list(value);
    if (!list) return fail(list.error());
    for (const region::SmArch& arch : *list) {
      auto& known = plan_.architectures;
      if (std::find(known.begin(), known.end(), arch) == known.end()) known.push_back(arch);
    }
    return {};
  }

  // arch=compute_90,code=[sm_90,compute_90]
  Status add_generate_code(std::string_view value) {
    constexpr std::string_view kArch = "arch=";
    const std::size_t at = value.find(kArch);
    if (at == std::string_view::npos) {
      return fail(ErrorCode::usage, fmt::format("-gencode {}: expected arch=compute_NN", value));
    }
    const std::string_view rest = value.substr(at + kArch.size());
    return add_architecture(std::string(rest.substr(0, rest.find(','))));
  }

  // nvcc preprocesses device code with the host compiler's options.
  void add_host_compiler(std::string_view list) {
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(','), list.size());
      const std::string_view option = list.substr(0, comma);
      list.remove_prefix(std::min(comma + 1, list.size()));
      const std::string_view start = option.substr(0, 2);
      if (start == "-D" || start == "-U") both(std::string(option));
      else if (start == "-I") for_clang({std::string(option)});
      else if (!option.empty()) plan_.ignored.push_back(fmt::format("-Xcompiler={}", option));
    }
  }

  std::filesystem::path folder_;
  FlagPlan plan_;
};

}  // namespace

Result<FlagPlan> plan_flags(const std::vector<std::string>& flags, const std::filesystem::path& working_directory) {
  Planner planner(working_directory);
  if (auto added = planner.add(flags, 0); !added) return fail(std::move(added.error()));
  return planner.take();
}

}  // namespace cudahot::extract

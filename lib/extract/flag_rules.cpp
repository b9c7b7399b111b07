#include "lib/extract/flag_rules.hpp"

#include <algorithm>
#include <array>

namespace cudahot::extract {
namespace {

using enum FlagAction;
constexpr FlagValue kNone = FlagValue::none;
constexpr FlagValue kValue = FlagValue::required;
constexpr FlagValue kMaybe = FlagValue::recognised;

constexpr std::array kRules{
    FlagRule{"D", kValue, define},
    FlagRule{"define-macro", kValue, define},
    FlagRule{"U", kValue, undefine},
    FlagRule{"undefine-macro", kValue, undefine},
    FlagRule{"I", kValue, include_folder},
    FlagRule{"include-path", kValue, include_folder},
    FlagRule{"isystem", kValue, other_folder},
    FlagRule{"system-include", kValue, other_folder},
    FlagRule{"iquote", kValue, other_folder},
    FlagRule{"idirafter", kValue, other_folder},
    FlagRule{"include", kValue, force_include},
    FlagRule{"pre-include", kValue, force_include},
    FlagRule{"std", kValue, standard},
    FlagRule{"arch", kValue, architecture},
    FlagRule{"gpu-architecture", kValue, architecture},
    FlagRule{"cuda-gpu-arch", kValue, further_architecture},
    FlagRule{"offload-arch", kValue, further_architecture},
    FlagRule{"no-cuda-gpu-arch", kValue, without_architecture},
    FlagRule{"no-offload-arch", kValue, without_architecture},
    FlagRule{"code", kValue, architecture_code},
    FlagRule{"gpu-code", kValue, architecture_code},
    FlagRule{"gencode", kValue, generate_code},
    FlagRule{"generate-code", kValue, generate_code},
    FlagRule{"rdc", kValue, relocatable},
    FlagRule{"relocatable-device-code", kValue, relocatable},
    FlagRule{"dc", kNone, relocatable},
    FlagRule{"device-c", kNone, relocatable},
    FlagRule{"dw", kNone, relocatable},
    FlagRule{"device-w", kNone, relocatable},
    FlagRule{"dlto", kNone, relocatable},
    FlagRule{"dlink-time-opt", kNone, relocatable},
    FlagRule{"fgpu-rdc", kNone, relocatable},
    FlagRule{"fcuda-rdc", kNone, relocatable},
    FlagRule{"use_fast_math", kNone, fast_math},
    FlagRule{"lineinfo", kNone, line_info},
    FlagRule{"generate-line-info", kNone, line_info},
    FlagRule{"G", kNone, device_debug},
    FlagRule{"device-debug", kNone, device_debug},
    FlagRule{"extended-lambda", kNone, extended_lambda},
    FlagRule{"expt-extended-lambda", kNone, extended_lambda},
    FlagRule{"expt-relaxed-constexpr", kNone, relaxed_constexpr},
    FlagRule{"ftz", kValue, nvrtc_value},
    FlagRule{"prec-div", kValue, nvrtc_value},
    FlagRule{"prec-sqrt", kValue, nvrtc_value},
    FlagRule{"fmad", kValue, nvrtc_value},
    FlagRule{"maxrregcount", kValue, nvrtc_value},
    FlagRule{"dopt", kValue, nvrtc_value},
    FlagRule{"Ofast-compile", kValue, nvrtc_value},
    FlagRule{"Ofc", kValue, nvrtc_value},
    FlagRule{"jump-table-density", kValue, nvrtc_value},
    FlagRule{"jtd", kValue, nvrtc_value},
    FlagRule{"device-stack-protector", kValue, nvrtc_value},
    FlagRule{"extra-device-vectorization", kNone, nvrtc_flag},
    FlagRule{"restrict", kNone, nvrtc_flag},
    FlagRule{"Xptxas", kValue, ptxas},
    FlagRule{"ptxas-options", kValue, ptxas},
    FlagRule{"Xcuda-ptxas", kValue, ptxas},
    FlagRule{"Xcompiler", kValue, host_compiler},
    FlagRule{"compiler-options", kValue, host_compiler},
    // Known, and of no consequence for device code.
    FlagRule{"o", kValue, ignore},
    FlagRule{"output-file", kValue, ignore},
    FlagRule{"odir", kValue, ignore},
    FlagRule{"output-directory", kValue, ignore},
    FlagRule{"MF", kValue, ignore},
    FlagRule{"dependency-output", kValue, ignore},
    FlagRule{"MT", kValue, ignore},
    FlagRule{"dependency-target-name", kValue, ignore},
    FlagRule{"MQ", kValue, ignore},
    FlagRule{"MJ", kValue, ignore},
    FlagRule{"ccbin", kValue, ignore},
    FlagRule{"compiler-bindir", kValue, ignore},
    FlagRule{"arbin", kValue, ignore},
    FlagRule{"archiver-binary", kValue, ignore},
    FlagRule{"ldir", kValue, ignore},
    FlagRule{"libdevice-directory", kValue, ignore},
    FlagRule{"target-dir", kValue, ignore},
    FlagRule{"target-directory", kValue, ignore},
    FlagRule{"diag-suppress", kValue, ignore},
    FlagRule{"diag-warn", kValue, ignore},
    FlagRule{"diag-error", kValue, ignore},
    FlagRule{"Xnvlink", kValue, ignore},
    FlagRule{"nvlink-options", kValue, ignore},
    FlagRule{"Xlinker", kValue, ignore},
    FlagRule{"linker-options", kValue, ignore},
    FlagRule{"Xarchive", kValue, ignore},
    FlagRule{"archive-options", kValue, ignore},
    FlagRule{"Xfatbin", kValue, ignore},
    FlagRule{"fatbin-options", kValue, ignore},
    FlagRule{"Xcudafe", kValue, ignore},
    FlagRule{"threads", kValue, ignore},
    FlagRule{"t", kValue, ignore},
    FlagRule{"split-compile", kValue, ignore},
    FlagRule{"split-compile-extended", kValue, ignore},
    FlagRule{"x", kValue, ignore},
    FlagRule{"cudart", kValue, ignore},
    FlagRule{"cudadevrt", kValue, ignore},
    FlagRule{"default-stream", kValue, ignore},
    FlagRule{"Werror", kMaybe, ignore},
    FlagRule{"O", kMaybe, ignore},
    FlagRule{"optimize", kMaybe, ignore},
    FlagRule{"m", kMaybe, ignore},
    FlagRule{"machine", kValue, ignore},
    FlagRule{"L", kValue, ignore},
    FlagRule{"library-path", kValue, ignore},
    FlagRule{"l", kValue, ignore},
    FlagRule{"library", kValue, ignore},
    FlagRule{"opt-info", kValue, ignore},
    FlagRule{"optimization-info", kValue, ignore},
    FlagRule{"ftemplate-backtrace-limit", kValue, ignore},
    FlagRule{"ftemplate-depth", kValue, ignore},
    FlagRule{"static-global-template-stub", kValue, ignore},
    FlagRule{"device-entity-has-hidden-visibility", kValue, ignore},
    FlagRule{"fdevice-time-trace", kValue, ignore},
    FlagRule{"keep-dir", kValue, ignore},
    FlagRule{"run-args", kValue, ignore},
    FlagRule{"idp", kValue, ignore},
    FlagRule{"input-drive-prefix", kValue, ignore},
    FlagRule{"ddp", kValue, ignore},
    FlagRule{"dependency-drive-prefix", kValue, ignore},
    FlagRule{"dp", kValue, ignore},
    FlagRule{"drive-prefix", kValue, ignore},
    FlagRule{"e", kValue, ignore},
    FlagRule{"entries", kValue, ignore},
    FlagRule{"hls", kValue, ignore},
    FlagRule{"host-linker-script", kValue, ignore},
    FlagRule{"brief-diag", kValue, ignore},
    FlagRule{"brief-diagnostics", kValue, ignore},
    FlagRule{"compress-mode", kValue, ignore},
    FlagRule{"frandom-seed", kValue, ignore},
    FlagRule{"sanitize", kValue, ignore},
};

// Clang's own; some are spelled like a flag of nvcc.
constexpr std::array kClangRules{
    FlagRule{"ffast-math", kNone, fast_math},
    FlagRule{"fgpu-flush-denormals-to-zero", kNone, clang_flush_denormals},
    FlagRule{"fcuda-flush-denormals-to-zero", kNone, clang_flush_denormals},
    FlagRule{"fno-gpu-flush-denormals-to-zero", kNone, clang_flush_denormals},
    FlagRule{"fno-cuda-flush-denormals-to-zero", kNone, clang_flush_denormals},
    FlagRule{"ffp-contract", kValue, clang_contraction},
    FlagRule{"cuda-path", kValue, ignore},
    FlagRule{"cuda-include-ptx", kValue, ignore},
    FlagRule{"no-cuda-include-ptx", kValue, ignore},
    FlagRule{"Xclang", kValue, ignore},
    FlagRule{"mllvm", kValue, ignore},
    FlagRule{"Xarch_host", kValue, ignore},
    FlagRule{"Xarch_device", kValue, ignore},
    FlagRule{"Xcuda-fatbinary", kValue, ignore},
    FlagRule{"Xpreprocessor", kValue, ignore},
    FlagRule{"Xassembler", kValue, ignore},
    FlagRule{"target", kValue, ignore},
    FlagRule{"resource-dir", kValue, ignore},
    FlagRule{"isysroot", kValue, ignore},
    FlagRule{"sysroot", kValue, ignore},
    FlagRule{"imacros", kValue, ignore},
    FlagRule{"G", kNone, ignore},
    FlagRule{"e", kValue, ignore},
};

// Spelled with the value joined to the name, as in -Ifolder.
constexpr std::array<std::string_view, 10> kJoined{"-isystem", "-include", "-iquote", "-idirafter", "-I",
                                                   "-D",       "-U",       "-L",      "-l",         "-O"};

std::string_view without_dashes(std::string_view word) {
  word.remove_prefix(1);
  if (!word.empty() && word.front() == '-') word.remove_prefix(1);
  return word;
}

const FlagRule* find_rule(std::string_view name, bool for_clang) {
  const auto is_it = [&](const FlagRule& rule) { return rule.name == name; };
  // Clang's own flags are known without it being sure that the words are for Clang, where nvcc has none of that name.
  const auto* const clang = std::find_if(kClangRules.begin(), kClangRules.end(), is_it);
  if (for_clang && clang != kClangRules.end()) return clang;
  const auto* const rule = std::find_if(kRules.begin(), kRules.end(), is_it);
  if (rule != kRules.end()) return rule;
  const bool harmless = clang != kClangRules.end() && clang->action == ignore;
  return harmless ? clang : nullptr;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

ReadFlag read_flag(std::string_view word, bool for_clang) {
  const std::string_view bare = without_dashes(word);
  if (const FlagRule* rule = find_rule(bare, for_clang)) return {rule, std::nullopt};
  const std::size_t equals = bare.find('=');
  if (equals != std::string_view::npos) {
    const FlagRule* rule = find_rule(bare.substr(0, equals), for_clang);
    const bool joined_define = word.size() > 2 && word[1] != '-' && (word[1] == 'D' || word[1] == 'I');
    if (rule != nullptr && !joined_define) return {rule, bare.substr(equals + 1)};
  }
  for (const std::string_view prefix : kJoined) {
    if (word.size() > prefix.size() && word.starts_with(prefix)) {
      return {find_rule(prefix.substr(1), for_clang), word.substr(prefix.size())};
    }
  }
  return {};
}

bool takes_next_word(const FlagRule& rule, std::string_view next) {
  if (rule.value != FlagValue::recognised) return rule.value == FlagValue::required;
  // nvcc wants a value where Clang has none.
  constexpr std::array<std::string_view, 7> kKinds{
      "all-warnings",           "cross-execution-space-call", "reorder",
      "default-stream-launch",  "missing-launch-bounds",      "ext-lambda-captures-this",
      "deprecated-declarations"};
  if (rule.name != "Werror") return is_number(next);
  return std::find(kKinds.begin(), kKinds.end(), next.substr(0, next.find(','))) != kKinds.end();
}

bool is_clang_flag(std::string_view word, std::string_view next) {
  constexpr std::array<std::string_view, 13> kPrefixes{"--cuda-gpu-arch",
                                                       "--offload-arch",
                                                       "--no-cuda-gpu-arch",
                                                       "--no-offload-arch",
                                                       "--cuda-path",
                                                       "--cuda-device",
                                                       "--cuda-host",
                                                       "--cuda-include-ptx",
                                                       "--no-cuda-include",
                                                       "-fgpu-",
                                                       "-fcuda-",
                                                       "-nogpu",
                                                       "-Xclang"};
  if (word == "-x" && next == "cuda") return true;
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view each) { return word.starts_with(each); });
}

}  // namespace cudahot::extract

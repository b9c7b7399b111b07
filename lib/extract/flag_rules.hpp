// What nvcc's and Clang's flags are called, whether a value follows, and what each means to an extraction.
#pragma once

#include <optional>
#include <string_view>

namespace cudahot::extract {

enum class FlagAction {
  ignore,
  define,
  undefine,
  include_folder,
  other_folder,  // -isystem, -iquote, -idirafter: under the rule's name
  force_include,
  standard,
  architecture,          // the last one counts
  further_architecture,  // Clang's, each counts
  without_architecture,
  architecture_code,  // -code, belongs to -arch
  generate_code,
  relocatable,
  fast_math,
  line_info,
  device_debug,
  extended_lambda,
  relaxed_constexpr,
  nvrtc_value,  // --NAME=VALUE, the last one counts
  nvrtc_flag,   // --NAME
  ptxas,
  host_compiler,
  clang_flush_denormals,
  clang_contraction,
};

enum class FlagValue {
  none,
  required,
  recognised,  // as a word of its own only when it looks like one
};

struct FlagRule {
  std::string_view name;  // without leading dashes
  FlagValue value;
  FlagAction action;
};

struct ReadFlag {
  const FlagRule* rule = nullptr;         // none: not known
  std::optional<std::string_view> value;  // attached to the flag
};

// A word that begins with '-'. nvcc takes both -NAME and --NAME, and NAME=VALUE as well as NAME VALUE. `for_clang`:
// whether words that both compilers know are to be read as Clang's.
ReadFlag read_flag(std::string_view word, bool for_clang);

// Whether `next` is the value of a flag that carries none itself.
bool takes_next_word(const FlagRule& rule, std::string_view next);

// Whether this is a flag of Clang's that nvcc does not have.
bool is_clang_flag(std::string_view word, std::string_view next);

}  // namespace cudahot::extract

// What cudahot refuses in a user's source: one table, from which messages and documentation are
// made. Ids are stable: a number is never given to another rule. CH001 to CH006, CH026 and
// CH028 are also reported by lib/region, which finds them without Clang, and CH025 by lib/cpu_device/code alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/pragma_lexer.hpp"

namespace cudahot::extract {

enum class Refusal : std::uint8_t {
  malformed_pragma,
  never_closed,
  end_without_begin,
  nested,
  duplicate_name,
  name_mismatch,
  from_macro,
  outside_function,
  different_files,
  inside_statement,
  different_blocks,
  splits_statement,
  in_host_function,
  in_lambda,
  used_after,
  goto_crosses,
  asm_goto,
  outer_case,
  jump_leaves,
  include_in_region,
  conditional_crosses,
  unavailable,
  no_kernel,
  not_instantiated,
  not_on_cpu_device,
  not_balanced,
  not_a_function,
  bad_instance,
  // Remarks: the source is taken.
  time_of_extraction,
  counter,
};

struct RefusalRule {
  Refusal refusal;
  std::string_view id;    // "CH012"
  std::string_view what;  // the rule, in general
  std::string_view hint;  // what to do
};

// In order of ids.
std::span<const RefusalRule> refusal_rules();
const RefusalRule& rule_of(Refusal refusal);

// A diagnostic for `text[range]` of `file` with the rule's id and hint, and a frame.
Diagnostic refuse(Refusal refusal, std::string_view text, std::string_view file, region::TextRange range,
                  std::string message);

// Where a compiler complains about a file, its statements are guesswork: refusals about where a
// region's edges stand go from that file, and the complaints count as errors.
void prefer_compiler_errors(std::vector<Diagnostic>& diagnostics);

}  // namespace cudahot::extract

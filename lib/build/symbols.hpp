// What a device link would get wrong, found before it in the symbol tables: nvJitLink reports neither duplicate
// definitions nor, with a clear message, what is missing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/cuda/cubin.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::build {

struct SymbolInput {
  std::string name;  // for messages: "the kernels", "the helpers", "the helper library"
  cuda::CubinInfo info;
};

struct SymbolProblem {
  enum class Kind { duplicate, unresolved };

  Kind kind = Kind::duplicate;
  std::string symbol;        // as in the symbol tables
  std::string first_input;   // duplicate: who defines it; unresolved: who needs it
  std::string second_input;  // duplicate: who defines it, too
};

// Strong definitions in more than one input, and strong references that none defines. Functions that the driver
// provides (printf, malloc, free, assert) are not missing. In order of the inputs.
std::vector<SymbolProblem> check_symbols(const std::vector<SymbolInput>& inputs);

// Names of variables that `a` and `b` both define for themselves: one variable of the source would have two storages.
std::vector<std::string> split_variables(const cuda::CubinInfo& a, const cuda::CubinInfo& b);

// The source name of a mangled symbol, with parameters; the symbol itself when it is not mangled.
std::string demangle(const std::string& symbol);

// Code link, with a diagnostic for each problem, at the line of the user's file where it can be found.
Error symbol_error(const std::vector<SymbolProblem>& problems, const region::Slice& slice);

}  // namespace cudahot::build

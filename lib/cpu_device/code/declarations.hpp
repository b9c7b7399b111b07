// What a slice's text declares at namespace scope that the host compiler does not report: device variables, launch
// bounds, shared arrays without a size, functions. Found with the raw scanner; what a macro declares is not seen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/region/pragma_lexer.hpp"

namespace cudahot::cpu_device {

// From the outermost in; an anonymous namespace is an empty name.
using NamespacePath = std::vector<std::string>;

struct DeviceVariable {
  enum class Space { global, constant, managed };

  NamespacePath scope;
  std::string name;  // as declared; with its class if it is a static member: "Scene::count"
  Space space = Space::global;
  bool internal = false;  // static, or const and not extern
};

struct LaunchBound {
  NamespacePath scope;
  std::string kernel;       // unqualified
  std::string max_threads;  // first argument, as written
};

// `extern __shared__ T a[], b[][4];`: one for each declarator.
struct DynamicShared {
  region::TextRange extern_word;
  region::TextRange shared_word;
  region::TextRange name;
  region::TextRange empty_brackets;  // '[' to after ']'
  std::size_t declarator_end = 0;    // the ',' or ';' behind it
  bool at_namespace_scope = false;
  NamespacePath scope;
};

// `__shared__ alignas(16) T x`: the words are in an order that only the GPU's compiler takes.
struct SharedAlignas {
  region::TextRange shared_word;
  region::TextRange alignas_clause;  // the word to after its ')'
};

// A function that is defined under a plain name at namespace scope, without conditional directives in its body.
struct Function {
  region::TextRange name;
  region::TextRange body;  // '{' to after its '}'
};

struct Declarations {
  std::vector<DeviceVariable> variables;  // defined, not constexpr
  std::vector<LaunchBound> launch_bounds;
  std::vector<DynamicShared> dynamic_shared;
  std::vector<SharedAlignas> shared_alignas;
  std::vector<region::TextRange> initialised_shared;  // names
  std::vector<Function> functions;                    // in order
};

Declarations find_declarations(std::string_view text);

// "scene::(anonymous)::tint" without the anonymous parts, for use in source: "::scene::tint".
std::string qualified(const NamespacePath& scope, std::string_view name);

// The Itanium mangling of a namespace-scope variable.
std::string mangle(const DeviceVariable& variable);

}  // namespace cudahot::cpu_device

#include "lib/build/symbols.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "lib/region/text_map.hpp"

namespace cudahot::build {
namespace {

using Binding = cuda::CubinSymbol::Binding;
using Kind = cuda::CubinSymbol::Kind;

constexpr std::array<std::string_view, 4> kFromDriver = {"vprintf", "malloc", "free", "__assertfail"};

bool is_code_or_data(const cuda::CubinSymbol& symbol) { return symbol.kind != Kind::other || !symbol.defined; }

Diagnostic diagnose(const SymbolProblem& problem, const region::Slice& slice) {
  const std::string name = demangle(problem.symbol);
  Diagnostic diagnostic;
  region::place_at_first_use(slice, name, diagnostic);
  if (problem.kind == SymbolProblem::Kind::duplicate) {
    diagnostic.text =
        fmt::format("'{}' is defined twice: in {} and in {}", name, problem.first_input, problem.second_input);
    diagnostic.hint = "rename one of them, or make it static";
  } else {
    diagnostic.text = fmt::format("'{}' is used by {}, but defined nowhere", name, problem.first_input);
    diagnostic.hint = "define it as a __device__ function in this file, or include the header that does";
  }
  return diagnostic;
}

}  // namespace

std::vector<SymbolProblem> check_symbols(const std::vector<SymbolInput>& inputs) {
  std::vector<SymbolProblem> problems;
  std::unordered_map<std::string_view, const SymbolInput*> definitions;
  std::unordered_set<std::string_view> weak_definitions;
  for (const SymbolInput& input : inputs) {
    for (const auto& symbol : input.info.symbols) {
      if (!symbol.defined || symbol.binding == Binding::local || !is_code_or_data(symbol)) continue;
      if (symbol.binding == Binding::weak) {
        weak_definitions.insert(symbol.name);
        continue;
      }
      const auto [place, inserted] = definitions.emplace(symbol.name, &input);
      if (!inserted) {
        problems.push_back({SymbolProblem::Kind::duplicate, symbol.name, place->second->name, input.name});
      }
    }
  }
  std::unordered_set<std::string_view> reported;
  for (const SymbolInput& input : inputs) {
    for (const auto& symbol : input.info.symbols) {
      if (symbol.defined || symbol.shared || symbol.binding != Binding::global) continue;
      if (definitions.contains(symbol.name) || weak_definitions.contains(symbol.name)) continue;
      if (std::ranges::find(kFromDriver, symbol.name) != kFromDriver.end()) continue;
      if (reported.insert(symbol.name).second) {
        problems.push_back({SymbolProblem::Kind::unresolved, symbol.name, input.name, {}});
      }
    }
  }
  return problems;
}

std::vector<std::string> split_variables(const cuda::CubinInfo& a, const cuda::CubinInfo& b) {
  const auto own_variable = [](const cuda::CubinSymbol& symbol) {
    return symbol.defined && symbol.kind == Kind::variable && symbol.binding != Binding::global &&
           !symbol.name.starts_with('$');
  };
  std::unordered_set<std::string_view> of_a;
  for (const auto& symbol : a.symbols) {
    if (own_variable(symbol)) of_a.insert(symbol.name);
  }
  std::vector<std::string> both;
  for (const auto& symbol : b.symbols) {
    if (own_variable(symbol) && of_a.contains(symbol.name)) both.push_back(symbol.name);
  }
  return both;
}

std::string demangle(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  // Names of types demangle too ("f" is float): only mangled functions and variables are meant.
  if (status != 0 || !symbol.starts_with("_Z")) return symbol;
  return name.get();
}

Error symbol_error(const std::vector<SymbolProblem>& problems, const region::Slice& slice) {
  Error error;
  error.code = ErrorCode::link;
  for (const SymbolProblem& problem : problems) error.diagnostics.push_back(diagnose(problem, slice));
  if (!error.diagnostics.empty()) {
    error.location = error.diagnostics.front().location;
    error.message = error.diagnostics.front().text + "; " + error.diagnostics.front().hint;
  }
  return error;
}

}  // namespace cudahot::build

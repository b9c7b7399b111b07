#include "lib/extract/function_regions.hpp"

#include <algorithm>

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <fmt/format.h>

#include "lib/region/code_frame.hpp"

namespace cudahot::extract {
namespace {

using clang::Decl;
using clang::FunctionDecl;
using llvm::dyn_cast;
using llvm::isa;

bool is_defined_here(const FunctionDecl& function) {
  return function.isThisDeclarationADefinition() || function.isDefaulted();
}

class Reader {
 public:
  Reader(AstSession& session, const UnitTable& table, const EdgePair& edges)
      : session_(session),
        table_(table),
        edges_(edges),
        body_{edges.begin.mark.line.end, edges.end.mark.line.begin},
        name_(edges.begin.mark.name) {}

  std::optional<WholeFunctions> run() {
    if (is_in_declaration(edges_.begin) || is_in_declaration(edges_.end)) return std::nullopt;
    const auto count = static_cast<UnitIndex>(session_.source.units.size());
    for (UnitIndex unit = 0; unit < count; ++unit) {
      const Unit& each = session_.source.units[unit];
      const bool inside = !each.parent && each.span.buffer == edges_.begin.buffer &&
                          each.span.range.begin >= body_.begin && each.span.range.end <= body_.end;
      if (inside && !read(unit)) return std::nullopt;
    }
    if (found_.units.empty()) {
      refuse_edge(session_.source, edges_.begin, Refusal::not_a_function,
                  fmt::format("region '{}' is outside of functions and holds none", name_));
      return std::nullopt;
    }
    return is_balanced() ? std::optional(std::move(found_)) : std::nullopt;
  }

 private:
  bool is_in_declaration(const Edge& edge) {
    for (const Unit& unit : session_.source.units) {
      const bool holds = !unit.parent && unit.span.buffer == edge.buffer && unit.span.range.begin < edge.offset() &&
                         edge.offset() < unit.span.range.end;
      if (!holds) continue;
      refuse_edge(session_.source, edge, Refusal::outside_function,
                  unit.record
                      ? fmt::format("region '{}' is inside class '{}' and not in one function of it", name_, unit.name)
                      : fmt::format("region '{}' neither is inside the body of one function nor holds whole functions: "
                                    "this edge is in '{}'",
                                    name_, unit.name));
      return true;
    }
    return false;
  }

  bool read(UnitIndex unit) {
    for (const Decl* declaration : table_.declarations(unit)) {
      if (isa<clang::LinkageSpecDecl>(declaration) || isa<clang::EmptyDecl>(declaration)) continue;
      const auto* const function = dyn_cast<FunctionDecl>(described(declaration));
      if (function == nullptr) {
        return refuse_unit(unit, Refusal::not_a_function,
                           fmt::format("region '{}' is outside of functions and holds '{}', which is no function",
                                       name_, session_.source.units[unit].name));
      }
      if (is_host_only(function)) {
        return refuse_unit(
            unit, Refusal::in_host_function,
            fmt::format("region '{}' holds '{}', which runs on the host", name_, qualified_name(*function)));
      }
      if (!is_defined_here(*function) || is_read(unit)) continue;
      found_.units.push_back(unit);
      found_.declared.push_back(
          {qualified_name(*function), function->getType().getAsString(session_.ast.getPrintingPolicy())});
    }
    return true;
  }

  bool is_read(UnitIndex unit) const { return !found_.units.empty() && found_.units.back() == unit; }

  bool refuse_unit(UnitIndex unit, Refusal refusal, std::string message) {
    const Span span = session_.source.units[unit].span;
    refuse_range(session_.source, span.buffer, span.range, refusal, std::move(message));
    return false;
  }

  // Both edges are in the same namespace.
  bool is_balanced() {
    const std::string_view text = session_.sources.text(edges_.begin.buffer);
    const SourceLocation start = region::locate(text, body_.begin, shown_file(session_.source, edges_.begin.buffer));
    auto balanced = region::check_balance(text.substr(body_.begin, body_.size()), start.file, start.line);
    if (balanced) return true;
    auto& diagnostics = session_.source.diagnostics;
    diagnostics.insert(diagnostics.end(), balanced.error().diagnostics.begin(), balanced.error().diagnostics.end());
    return false;
  }

  AstSession& session_;
  const UnitTable& table_;
  const EdgePair& edges_;
  const region::TextRange body_;
  const std::string& name_;
  WholeFunctions found_;
};

}  // namespace

std::optional<WholeFunctions> whole_functions(AstSession& session, const UnitTable& table, const EdgePair& edges) {
  return Reader(session, table, edges).run();
}

}  // namespace cudahot::extract

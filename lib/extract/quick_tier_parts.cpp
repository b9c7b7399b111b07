#include "lib/extract/quick_tier_parts.hpp"

#include <clang/AST/DeclCXX.h>

namespace cudahot::extract {
namespace {

using clang::FunctionDecl;
using clang::VarDecl;

// Not the work of a macro; attributes and types may be macros.
bool is_written_out(const clang::Decl& declaration) { return declaration.getLocation().isFileID(); }

void assign_function(AstSession& session, const FunctionDecl& function, Unit& unit) {
  const bool defined = function.doesThisDeclarationHaveABody();
  const bool templated = function.isDependentContext() || function.getDescribedFunctionTemplate() != nullptr;
  if (!defined || templated || function.isInlined() || !function.isExternallyVisible()) return;
  if (!function.hasAttr<clang::CUDADeviceAttr>()) return;
  const auto body = session.sources.place(function.getBody()->getBeginLoc());
  const bool deduced = function.getReturnType()->getContainedDeducedType() != nullptr;
  if (!body || deduced || !is_written_out(function) || function.getBody()->getBeginLoc().isMacroID()) {
    unit.part = Unit::Part::kernel;
    return;
  }
  unit.part = Unit::Part::helper;
  // A member is declared in its class and must not be declared again outside of it.
  unit.body_begin = llvm::isa<clang::CXXMethodDecl>(function) ? unit.span.range.begin : body->offset;
}

void assign_variable(const VarDecl& variable, Unit& unit) {
  const bool device = variable.hasAttr<clang::CUDADeviceAttr>() || variable.hasAttr<clang::CUDAConstantAttr>();
  if (!device || variable.isThisDeclarationADefinition() != VarDecl::Definition) return;
  if (variable.isTemplated()) return;
  const bool immutable = variable.isConstexpr() || variable.getType().isConstQualified();
  if (!variable.isExternallyVisible() && immutable) return;
  // Two copies of a variable that someone may write are two variables.
  Unit::Part part = Unit::Part::kernel;
  if (variable.isExternallyVisible() && !variable.isInline() && is_written_out(variable)) {
    part = Unit::Part::helper;
    if (variable.isOutOfLine()) unit.body_begin = unit.span.range.begin;
  }
  // Of several declarators, the most demanding decides.
  if (unit.part != Unit::Part::kernel) unit.part = part;
}

}  // namespace

void assign_quick_tier_part(AstSession& session, const clang::Decl* declaration, Unit& unit) {
  if (const auto* function = llvm::dyn_cast<FunctionDecl>(declaration)) assign_function(session, *function, unit);
  if (const auto* variable = llvm::dyn_cast<VarDecl>(declaration)) assign_variable(*variable, unit);
}

}  // namespace cudahot::extract

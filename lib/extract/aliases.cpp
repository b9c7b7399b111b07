#include "lib/extract/aliases.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace cudahot::extract {
namespace {

using clang::Expr;
using llvm::dyn_cast;

// The variables that an expression is, or is a part of.
void find_roots(const Expr* expression, std::vector<const clang::VarDecl*>& roots) {
  expression = expression->IgnoreParenImpCasts();
  if (const auto* reference = dyn_cast<clang::DeclRefExpr>(expression)) {
    if (const auto* variable = dyn_cast<clang::VarDecl>(reference->getDecl())) roots.push_back(variable);
    if (const auto* binding = dyn_cast<clang::BindingDecl>(reference->getDecl())) {
      if (const auto* whole = dyn_cast<clang::VarDecl>(binding->getDecomposedDecl())) roots.push_back(whole);
    }
  } else if (const auto* member = dyn_cast<clang::MemberExpr>(expression)) {
    if (!member->isArrow()) find_roots(member->getBase(), roots);
  } else if (const auto* element = dyn_cast<clang::ArraySubscriptExpr>(expression)) {
    // Not of what a pointer points to.
    const Expr* const base = element->getBase()->IgnoreParens();
    const auto* const decay = dyn_cast<clang::ImplicitCastExpr>(base);
    const bool array = decay != nullptr && decay->getCastKind() == clang::CK_ArrayToPointerDecay;
    if (array || base->getType()->isArrayType() || base->isTypeDependent()) find_roots(base, roots);
  } else if (const auto* choice = dyn_cast<clang::AbstractConditionalOperator>(expression)) {
    find_roots(choice->getTrueExpr(), roots);
    find_roots(choice->getFalseExpr(), roots);
  } else if (const auto* common = dyn_cast<clang::OpaqueValueExpr>(expression)) {
    if (common->getSourceExpr() != nullptr) find_roots(common->getSourceExpr(), roots);
  } else if (const auto* step = dyn_cast<clang::UnaryOperator>(expression)) {
    if (step->isIncrementDecrementOp() && step->isPrefix()) find_roots(step->getSubExpr(), roots);
  } else if (const auto* cast = dyn_cast<clang::ExplicitCastExpr>(expression)) {
    find_roots(cast->getSubExpr(), roots);
  } else if (const auto* operation = dyn_cast<clang::BinaryOperator>(expression)) {
    if (operation->isAssignmentOp()) find_roots(operation->getLHS(), roots);
    else if (operation->isCommaOp()) find_roots(operation->getRHS(), roots);
  }
}

class EscapeVisitor : public clang::RecursiveASTVisitor<EscapeVisitor> {
 public:
  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }

  bool VisitUnaryOperator(clang::UnaryOperator* operation) {
    if (operation->getOpcode() == clang::UO_AddrOf) add(operation->getSubExpr());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (variable->getType()->isReferenceType() && variable->getInit() != nullptr) add(variable->getInit());
    return true;
  }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* element) {
    elements_.insert(element->getBase()->IgnoreParens());
    return true;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
    if (cast->getCastKind() == clang::CK_ArrayToPointerDecay && elements_.count(cast) == 0) add(cast->getSubExpr());
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
    for (const clang::LambdaCapture& capture : lambda->captures()) {
      if (!capture.capturesVariable() || capture.getCaptureKind() != clang::LCK_ByRef) continue;
      if (const auto* variable = dyn_cast<clang::VarDecl>(capture.getCapturedVar())) {
        found.push_back({variable, lambda->getBeginLoc()});
      }
    }
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    for (const Expr* argument : call->arguments()) add_reference(argument);
    if (const auto* member = dyn_cast<clang::CXXMemberCallExpr>(call)) {
      if (const Expr* object = member->getImplicitObjectArgument()) add_reference(object);
    }
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construction) {
    if (construction->getConstructor()->isCopyOrMoveConstructor()) return true;
    for (const Expr* argument : construction->arguments()) add_reference(argument);
    return true;
  }
  bool VisitInitListExpr(clang::InitListExpr* list) {
    for (const Expr* value : list->inits()) add_reference(value);
    return true;
  }
  bool VisitCXXParenListInitExpr(clang::CXXParenListInitExpr* list) {
    for (const Expr* value : list->getInitExprs()) add_reference(value);
    return true;
  }

  std::vector<Escape> found;

 private:
  void add_reference(const Expr* expression) {
    if (expression->isGLValue()) add(expression);
  }
  void add(const Expr* expression) {
    std::vector<const clang::VarDecl*> roots;
    find_roots(expression, roots);
    for (const clang::VarDecl* root : roots) found.push_back({root, expression->getBeginLoc()});
  }

  std::set<const Expr*> elements_;
};

class WriteVisitor : public clang::RecursiveASTVisitor<WriteVisitor> {
 public:
  bool shouldVisitImplicitCode() const { return true; }

  bool VisitCallExpr(clang::CallExpr*) { return note(); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construction) {
    return construction->getConstructor()->isTrivial() || note();
  }
  bool VisitCXXUnresolvedConstructExpr(clang::CXXUnresolvedConstructExpr*) { return note(); }
  bool VisitAsmStmt(clang::AsmStmt*) { return note(); }
  bool VisitBinaryOperator(clang::BinaryOperator* operation) {
    return !operation->isAssignmentOp() || is_named(operation->getLHS()) || note();
  }
  bool VisitUnaryOperator(clang::UnaryOperator* operation) {
    return !operation->isIncrementDecrementOp() || is_named(operation->getSubExpr()) || note();
  }

  bool found = false;

 private:
  // False ends the walk.
  bool note() {
    found = true;
    return false;
  }

  static bool is_named(const Expr* target) {
    std::vector<const clang::VarDecl*> roots;
    find_roots(target, roots);
    if (roots.empty()) return false;
    for (const clang::VarDecl* root : roots) {
      if (may_be_alias(root->getType())) return false;
    }
    return true;
  }
};

}  // namespace

std::vector<Escape> find_escapes(clang::Stmt* body) {
  EscapeVisitor visitor;
  visitor.TraverseStmt(body);
  return std::move(visitor.found);
}

bool may_write_unnamed(clang::Stmt* statement) {
  WriteVisitor visitor;
  visitor.TraverseStmt(statement);
  return visitor.found;
}

bool may_be_alias(clang::QualType type) {
  return type->isReferenceType() || type->isAnyPointerType() || type->isRecordType() || type->isDependentType();
}

}  // namespace cudahot::extract

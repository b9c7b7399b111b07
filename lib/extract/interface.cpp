#include <algorithm>
#include <set>

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Analysis/Analyses/ExprMutationAnalyzer.h>
#include <fmt/format.h>

#include "lib/extract/refusals.hpp"
#include "lib/extract/regions.hpp"

namespace cudahot::extract {
namespace {

using clang::Stmt;
using clang::VarDecl;
using llvm::dyn_cast;
using llvm::isa;

// What surrounds a statement within the text that is looked at.
struct Surroundings {
  bool can_break = false;     // a loop or switch to leave
  bool can_continue = false;  // a loop
  bool in_switch = false;     // which a case label belongs to
  bool in_lambda = false;
};

struct Jump {
  const Stmt* statement;
  Surroundings around;
};

// Everything of interest in some statements, in the order of the text.
struct Contents {
  std::vector<const clang::DeclRefExpr*> references;
  std::vector<const clang::Decl*> declared;
  std::vector<Jump> jumps;  // break, continue, case, default
  std::vector<const clang::GotoStmt*> gotos;
  std::vector<const Stmt*> wild_jumps;  // asm goto, goto to a computed address
  std::set<const clang::LabelDecl*> labels;
};

void collect(const Stmt* statement, Surroundings around, Contents& contents) {
  if (statement == nullptr) return;
  if (const auto* reference = dyn_cast<clang::DeclRefExpr>(statement)) contents.references.push_back(reference);
  if (const auto* declaration = dyn_cast<clang::DeclStmt>(statement)) {
    contents.declared.insert(contents.declared.end(), declaration->decl_begin(), declaration->decl_end());
  }
  const bool jump =
      isa<clang::BreakStmt>(statement) || isa<clang::ContinueStmt>(statement) || isa<clang::SwitchCase>(statement);
  if (jump) contents.jumps.push_back({statement, around});
  if (const auto* jump_to = dyn_cast<clang::GotoStmt>(statement)) contents.gotos.push_back(jump_to);
  if (const auto* label = dyn_cast<clang::LabelStmt>(statement)) contents.labels.insert(label->getDecl());
  const auto* const assembly = dyn_cast<clang::GCCAsmStmt>(statement);
  if (isa<clang::IndirectGotoStmt>(statement) || (assembly != nullptr && assembly->isAsmGoto())) {
    contents.wild_jumps.push_back(statement);
  }
  if (const auto* lambda = dyn_cast<clang::LambdaExpr>(statement)) {
    for (const Stmt* capture : lambda->capture_inits()) collect(capture, around, contents);
    collect(lambda->getBody(), {false, false, false, true}, contents);
    return;
  }
  if (isa<clang::ForStmt>(statement) || isa<clang::WhileStmt>(statement) || isa<clang::DoStmt>(statement) ||
      isa<clang::CXXForRangeStmt>(statement)) {
    around.can_break = around.can_continue = true;
  }
  if (isa<clang::SwitchStmt>(statement)) around.can_break = around.in_switch = true;
  for (const Stmt* child : statement->children()) collect(child, around, contents);
}

bool is_local_state(const VarDecl& variable) {
  return variable.hasLocalStorage() || variable.isStaticLocal() || variable.hasAttr<clang::CUDASharedAttr>();
}

class Analysis {
 public:
  Analysis(AstSession& session, const StatementRegion& region) : session_(session), region_(region) {
    for (const Stmt* statement : region.statements) collect(statement, {}, inside_);
    collect(region.function->getBody(), {}, whole_);
    inside_references_.insert(inside_.references.begin(), inside_.references.end());
  }

  void run() {
    fill_interface();
    check_names();
    check_jumps();
    check_gotos();
  }

 private:
  bool is_inside(const clang::DeclRefExpr* reference) const { return inside_references_.count(reference) != 0; }

  // In the text, or by the next turn of a loop around the region.
  bool is_after(clang::SourceLocation location) {
    if (region_.in_loop) return true;
    const auto place = session_.sources.place(location);
    return place && place->buffer == region_.found->body.buffer && place->offset >= region_.found->body.range.end;
  }

  void fill_interface() {
    std::set<const VarDecl*> done;
    for (const clang::DeclRefExpr* reference : inside_.references) {
      const auto* const variable = dyn_cast<VarDecl>(reference->getDecl());
      if (variable == nullptr || !is_local_state(*variable) || is_declared_inside(*variable)) continue;
      if (!done.insert(variable).second) continue;
      region_.found->in.push_back(describe(*variable));
      if (is_changed(*variable) && is_used_after(variable)) region_.found->out.push_back(describe(*variable));
    }
    for (const Stmt* statement : region_.statements) {
      const auto* const declaration = dyn_cast<clang::DeclStmt>(statement);
      if (declaration == nullptr) continue;
      for (const clang::Decl* each : declaration->decls()) {
        if (const auto* variable = dyn_cast<VarDecl>(each)) region_.found->declared.push_back(describe(*variable));
      }
    }
  }

  region::Variable describe(const VarDecl& variable) const {
    return {variable.getNameAsString(), variable.getType().getAsString(session_.ast.getPrintingPolicy())};
  }

  bool is_declared_inside(const VarDecl& variable) {
    const auto place = session_.sources.place(variable.getLocation());
    const Span& body = region_.found->body;
    return place && place->buffer == body.buffer && place->offset >= body.range.begin && place->offset < body.range.end;
  }

  bool is_changed(const VarDecl& variable) {
    // What it refers to may be changed through it, whatever the analysis of the name says.
    if (variable.getType()->isReferenceType()) return !variable.getType()->getPointeeType().isConstQualified();
    return std::any_of(region_.statements.begin(), region_.statements.end(), [&](const Stmt* statement) {
      return clang::ExprMutationAnalyzer(*statement, session_.ast).isMutated(&variable);
    });
  }

  bool is_used_after(const VarDecl* variable) {
    return std::any_of(whole_.references.begin(), whole_.references.end(), [&](const clang::DeclRefExpr* reference) {
      return reference->getDecl() == variable && !is_inside(reference) && is_after(reference->getLocation());
    });
  }

  void check_names() {
    std::set<const VarDecl*> refused;
    for (const clang::DeclRefExpr* reference : whole_.references) {
      const auto* const variable = dyn_cast<VarDecl>(reference->getDecl());
      if (variable == nullptr || is_inside(reference) || variable->getDeclContext()->isFileContext()) continue;
      if (!is_declared_inside(*variable) || !refused.insert(variable).second) continue;
      refuse_at(reference->getLocation(), variable->getName().size(), Refusal::used_after,
                fmt::format("'{}' is declared in region '{}' and used after it", variable->getNameAsString(),
                            region_.found->name));
    }
  }

  void check_jumps() {
    for (const Jump& jump : inside_.jumps) {
      if (jump.around.in_lambda) continue;
      if (isa<clang::SwitchCase>(jump.statement)) {
        if (jump.around.in_switch) continue;
        refuse_at(jump.statement->getBeginLoc(), 4, Refusal::outer_case,
                  fmt::format("this label belongs to a switch around region '{}'", region_.found->name));
        continue;
      }
      const bool is_break = isa<clang::BreakStmt>(jump.statement);
      if (is_break ? jump.around.can_break : jump.around.can_continue) continue;
      refuse_at(jump.statement->getBeginLoc(), is_break ? 5 : 8, Refusal::jump_leaves,
                fmt::format("this {} jumps out of region '{}'", is_break ? "break" : "continue", region_.found->name));
    }
  }

  void check_gotos() {
    for (const clang::GotoStmt* jump : whole_.gotos) {
      const bool from_inside = std::find(inside_.gotos.begin(), inside_.gotos.end(), jump) != inside_.gotos.end();
      const bool to_inside = inside_.labels.count(jump->getLabel()) != 0;
      if (from_inside == to_inside) continue;
      refuse_at(jump->getBeginLoc(), 4, Refusal::goto_crosses,
                fmt::format("this goto {} region '{}'", from_inside ? "leaves" : "enters", region_.found->name));
    }
    for (const Stmt* jump : inside_.wild_jumps) {
      const bool assembly = isa<clang::GCCAsmStmt>(jump);
      refuse_at(jump->getBeginLoc(), assembly ? 3 : 4, assembly ? Refusal::asm_goto : Refusal::goto_crosses,
                fmt::format("region '{}' holds {}", region_.found->name,
                            assembly ? "an asm goto" : "a goto to a computed address"));
    }
  }

  void refuse_at(clang::SourceLocation location, std::size_t length, Refusal refusal, std::string message) {
    const auto place = session_.sources.place(location);
    const Place at = place ? *place : Place{region_.found->body.buffer, region_.found->body.range.begin};
    session_.source.diagnostics.push_back(refuse(refusal, session_.sources.text(at.buffer),
                                                 shown_file(session_.source, at.buffer),
                                                 {at.offset, at.offset + length}, std::move(message)));
  }

  AstSession& session_;
  const StatementRegion& region_;
  Contents inside_;
  Contents whole_;
  std::set<const clang::DeclRefExpr*> inside_references_;
};

}  // namespace

void analyse_interface(AstSession& session, const StatementRegion& region) { Analysis(session, region).run(); }

}  // namespace cudahot::extract

#include <algorithm>
#include <set>

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Analysis/Analyses/ExprMutationAnalyzer.h>
#include <fmt/format.h>

#include "lib/extract/aliases.hpp"
#include "lib/extract/region_edges.hpp"
#include "lib/extract/regions.hpp"

namespace cudahot::extract {
namespace {

using clang::Stmt;
using clang::ValueDecl;
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

// The variable that a name stands for or is a part of, if that is a local one.
const VarDecl* local_behind(const ValueDecl* name) {
  const auto* const binding = dyn_cast<clang::BindingDecl>(name);
  const auto* const variable = dyn_cast_or_null<VarDecl>(binding != nullptr ? binding->getDecomposedDecl() : name);
  return variable != nullptr && is_local_state(*variable) ? variable : nullptr;
}

// Types that are named, and where.
class TypeUses : public clang::RecursiveASTVisitor<TypeUses> {
 public:
  bool VisitTypeLoc(clang::TypeLoc location) {
    const clang::Type* const type = location.getTypePtr();
    const clang::NamedDecl* name = nullptr;
    if (const auto* alias = dyn_cast<clang::TypedefType>(type)) name = alias->getDecl();
    else if (const auto* shadow = dyn_cast<clang::UsingType>(type)) name = shadow->getDecl();
    else if (isa<clang::TagType>(type)) name = type->getAsTagDecl();
    if (name != nullptr) found.emplace_back(location.getBeginLoc(), name);
    return true;
  }

  std::vector<std::pair<clang::SourceLocation, const clang::NamedDecl*>> found;
};

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
    find_aliases();
    std::set<const ValueDecl*> done;
    for (const clang::DeclRefExpr* reference : inside_.references) {
      const ValueDecl* const name = reference->getDecl();
      const VarDecl* const variable = local_behind(name);
      if (variable == nullptr || is_declared_inside(*name) || !done.insert(name).second) continue;
      region_.found->in.push_back(describe(*name));
      const bool changed = is_changed(*name) || (writes_unnamed_ && escaped_.count(variable) != 0);
      if (changed && may_be_used_after(*name, *variable)) region_.found->out.push_back(describe(*name));
    }
    if (writes_unnamed_) add_aliased(done);
    for (const Stmt* statement : region_.statements) {
      const auto* const declaration = dyn_cast<clang::DeclStmt>(statement);
      if (declaration == nullptr) continue;
      for (const clang::Decl* each : declaration->decls()) {
        if (const auto* parts = dyn_cast<clang::DecompositionDecl>(each)) {
          for (const clang::BindingDecl* part : parts->bindings()) region_.found->declared.push_back(describe(*part));
        } else if (const auto* variable = dyn_cast<VarDecl>(each)) {
          region_.found->declared.push_back(describe(*variable));
        }
      }
    }
  }

  // Locals that the region need not name to change them.
  void find_aliases() {
    for (const Escape& escape : find_escapes(region_.function->getBody())) {
      const bool before_the_end = region_.in_loop || !is_after(escape.place);
      if (before_the_end && !escape.variable->getType().isConstQualified()) escaped_.insert(escape.variable);
    }
    writes_unnamed_ = std::any_of(region_.statements.begin(), region_.statements.end(), [](const Stmt* statement) {
      return may_write_unnamed(const_cast<Stmt*>(statement));
    });
    alias_used_after_ =
        std::any_of(whole_.references.begin(), whole_.references.end(), [&](const clang::DeclRefExpr* reference) {
          const VarDecl* const variable = local_behind(reference->getDecl());
          return variable != nullptr && may_be_alias(variable->getType()) && !is_inside(reference) &&
                 is_after(reference->getLocation());
        });
  }

  void add_aliased(std::set<const ValueDecl*>& done) {
    for (const clang::DeclRefExpr* reference : whole_.references) {
      const ValueDecl* const name = reference->getDecl();
      const VarDecl* const variable = local_behind(name);
      if (variable == nullptr || escaped_.count(variable) == 0 || is_declared_inside(*name)) continue;
      if (!may_be_used_after(*name, *variable) || !done.insert(name).second) continue;
      region_.found->in.push_back(describe(*name));
      region_.found->out.push_back(describe(*name));
    }
  }

  region::Variable describe(const ValueDecl& name) const {
    return {name.getNameAsString(), name.getType().getAsString(session_.ast.getPrintingPolicy())};
  }

  bool is_in_region(clang::SourceLocation location) {
    const auto place = session_.sources.place(location);
    const Span& body = region_.found->body;
    return place && place->buffer == body.buffer && place->offset >= body.range.begin && place->offset < body.range.end;
  }

  bool is_declared_inside(const clang::NamedDecl& name) { return is_in_region(name.getLocation()); }

  bool is_changed(const ValueDecl& name) {
    // What it refers to may be changed through it, whatever the analysis of the name says.
    if (name.getType()->isReferenceType()) return !name.getType()->getPointeeType().isConstQualified();
    // The analysis knows no parts of a variable that is taken apart.
    if (isa<clang::BindingDecl>(name)) return !name.getType().isConstQualified();
    return std::any_of(region_.statements.begin(), region_.statements.end(), [&](const Stmt* statement) {
      return clang::ExprMutationAnalyzer(*statement, session_.ast).isMutated(&name);
    });
  }

  bool may_be_used_after(const ValueDecl& name, const VarDecl& variable) {
    if (alias_used_after_ && escaped_.count(&variable) != 0) return true;
    return std::any_of(whole_.references.begin(), whole_.references.end(), [&](const clang::DeclRefExpr* reference) {
      return reference->getDecl() == &name && !is_inside(reference) && is_after(reference->getLocation());
    });
  }

  void check_names() {
    std::set<const clang::NamedDecl*> refused;
    const auto check = [&](clang::SourceLocation at, const clang::NamedDecl* name) {
      if (is_in_region(at) || !is_declared_inside(*name) || !refused.insert(name).second) return;
      refuse_at(at, name->getName().size(), Refusal::used_after,
                fmt::format("'{}' is declared in region '{}' and used after it", name->getNameAsString(),
                            region_.found->name));
    };
    for (const clang::DeclRefExpr* reference : whole_.references) {
      if (is_inside(reference)) continue;
      const clang::NamedDecl* const found = reference->getFoundDecl();
      for (const clang::NamedDecl* name : {static_cast<const clang::NamedDecl*>(reference->getDecl()), found}) {
        if (name->getDeclName().isIdentifier()) check(reference->getLocation(), name);
      }
    }
    TypeUses types;
    types.TraverseStmt(region_.function->getBody());
    for (const auto& [location, name] : types.found) {
      if (name->getDeclName().isIdentifier() && !name->getName().empty()) check(location, name);
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
    for (const Stmt* jump : whole_.wild_jumps) {
      const auto* const assembly = dyn_cast<clang::GCCAsmStmt>(jump);
      if (assembly == nullptr || inside_.wild_jumps.end() != std::ranges::find(inside_.wild_jumps, jump)) continue;
      const bool enters = std::ranges::any_of(assembly->labels(), [&](const clang::AddrLabelExpr* label) {
        return inside_.labels.count(label->getLabel()) != 0;
      });
      if (!enters) continue;
      refuse_at(jump->getBeginLoc(), 3, Refusal::asm_goto,
                fmt::format("this asm goto enters region '{}'", region_.found->name));
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
    refuse_range(session_.source, at.buffer, {at.offset, at.offset + length}, refusal, std::move(message));
  }

  AstSession& session_;
  const StatementRegion& region_;
  Contents inside_;
  Contents whole_;
  std::set<const clang::DeclRefExpr*> inside_references_;
  std::set<const VarDecl*> escaped_;
  bool writes_unnamed_ = false;
  bool alias_used_after_ = false;
};

}  // namespace

void analyse_interface(AstSession& session, const StatementRegion& region) { Analysis(session, region).run(); }

}  // namespace cudahot::extract

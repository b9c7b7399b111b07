#include "lib/extract/references.hpp"

#include <algorithm>

#include <clang/AST/RecursiveASTVisitor.h>

#include "lib/extract/availability.hpp"
#include "lib/extract/device_runtime.hpp"

namespace cudahot::extract {
namespace {

using clang::Decl;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

struct References {
  std::vector<const Decl*> all;
  std::vector<std::vector<const Decl*>> candidates;  // of an overload set, one is enough
  std::vector<const Decl*> unevaluated;              // those of both that are named in unevaluated operands
  bool launches = false;                             // a kernel
};

class Visitor : public clang::RecursiveASTVisitor<Visitor> {
 public:
  Visitor(const UnitTable& table, std::optional<UnitIndex> unit, bool instances, References& found)
      : table_(table), unit_(unit), instances_(instances), found_(found) {}

  bool shouldVisitTemplateInstantiations() const { return instances_; }
  bool shouldVisitImplicitCode() const { return true; }

  // Members are units of their own.
  bool TraverseDecl(Decl* declaration) {
    if (declaration != nullptr && unit_) {
      const auto owner = table_.unit(declaration);
      if (owner && *owner != *unit_) return true;
    }
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr* expression) {
    return in_unevaluated([&] { return RecursiveASTVisitor::TraverseUnaryExprOrTypeTraitExpr(expression); });
  }
  bool TraverseCXXNoexceptExpr(clang::CXXNoexceptExpr* expression) {
    return in_unevaluated([&] { return RecursiveASTVisitor::TraverseCXXNoexceptExpr(expression); });
  }
  bool TraverseDecltypeTypeLoc(clang::DecltypeTypeLoc type, bool qualifier = true) {
    return in_unevaluated([&] { return RecursiveASTVisitor::TraverseDecltypeTypeLoc(type, qualifier); });
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* expression) {
    add(expression->getDecl());
    if (unevaluated_ != 0) found_.unevaluated.push_back(expression->getDecl());
    if (expression->getFoundDecl() != expression->getDecl()) add(expression->getFoundDecl());
    return true;
  }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr*) {
    found_.launches = true;
    return true;
  }
  bool TraverseConstructorInitializer(clang::CXXCtorInitializer* initializer) {
    if (initializer->isWritten() && initializer->isMemberInitializer()) add(initializer->getMember());
    return RecursiveASTVisitor::TraverseConstructorInitializer(initializer);
  }
  bool VisitMemberExpr(clang::MemberExpr* expression) { return add(expression->getMemberDecl()); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* expression) { return add(expression->getConstructor()); }
  bool VisitCXXNewExpr(clang::CXXNewExpr* expression) { return add(expression->getOperatorNew()); }
  bool VisitOverloadExpr(clang::OverloadExpr* expression) {
    // One that is built in will do, or one that is found by the operands' types.
    const bool of_unknown_types = expression->getName().getNameKind() == clang::DeclarationName::CXXOperatorName;
    if (of_unknown_types && !instances_) return true;
    std::vector<const Decl*> candidates;
    for (const clang::NamedDecl* each : expression->decls()) candidates.push_back(each->getUnderlyingDecl());
    if (unevaluated_ != 0) {
      found_.unevaluated.insert(found_.unevaluated.end(), candidates.begin(), candidates.end());
    }
    if (!candidates.empty()) found_.candidates.push_back(std::move(candidates));
    return true;
  }
  bool VisitUsingDecl(clang::UsingDecl* declaration) {
    std::vector<const Decl*> candidates;
    for (const auto* shadow : declaration->shadows()) candidates.push_back(shadow->getTargetDecl());
    if (!candidates.empty()) found_.candidates.push_back(std::move(candidates));
    return true;
  }
  bool VisitUsingDirectiveDecl(clang::UsingDirectiveDecl* declaration) {
    return add(declaration->getNominatedNamespace());
  }
  bool VisitNamespaceAliasDecl(clang::NamespaceAliasDecl* declaration) { return add(declaration->getNamespace()); }
  bool VisitConceptSpecializationExpr(clang::ConceptSpecializationExpr* expression) {
    return add(expression->getNamedConcept());
  }
  bool VisitClassTemplateSpecializationDecl(clang::ClassTemplateSpecializationDecl* declaration) {
    return add(declaration->getSpecializedTemplate());
  }
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (function->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization) {
      add(function->getPrimaryTemplate());
    }
    return true;
  }

  // A pointer or reference to a class needs no more than its name.
  bool TraversePointerTypeLoc(clang::PointerTypeLoc type, bool qualifier = true) {
    return needs_only_name(type.getPointeeLoc()) || RecursiveASTVisitor::TraversePointerTypeLoc(type, qualifier);
  }
  bool TraverseLValueReferenceTypeLoc(clang::LValueReferenceTypeLoc type, bool qualifier = true) {
    return needs_only_name(type.getPointeeLoc()) ||
           RecursiveASTVisitor::TraverseLValueReferenceTypeLoc(type, qualifier);
  }

  bool VisitTypeLoc(clang::TypeLoc location) {
    const clang::Type* const type = location.getTypePtr();
    switch (type->getTypeClass()) {
      case clang::Type::Record:
      case clang::Type::Enum:
      case clang::Type::InjectedClassName:
        return add(type->getAsTagDecl());
      case clang::Type::Typedef:
        return add(cast<clang::TypedefType>(type)->getDecl());
      case clang::Type::Using:
        return add(cast<clang::UsingType>(type)->getDecl()->getTargetDecl());
      case clang::Type::TemplateSpecialization:
        return add(cast<clang::TemplateSpecializationType>(type)->getTemplateName().getAsTemplateDecl());
      case clang::Type::DeducedTemplateSpecialization:
        return add(cast<clang::DeducedTemplateSpecializationType>(type)->getTemplateName().getAsTemplateDecl());
      default:
        return true;
    }
  }

 private:
  template <class Traverse>
  bool in_unevaluated(Traverse traverse) {
    ++unevaluated_;
    const bool more = traverse();
    --unevaluated_;
    return more;
  }

  bool add(const Decl* declaration) {
    if (declaration != nullptr) found_.all.push_back(declaration);
    return true;
  }

  bool needs_only_name(clang::TypeLoc pointee) {
    pointee = pointee.getUnqualifiedLoc();
    if (pointee.getTypeLocClass() != clang::TypeLoc::Record) return false;
    const auto* const record = pointee.getType()->getAsCXXRecordDecl();
    if (record == nullptr || record->getDescribedClassTemplate() != nullptr ||
        isa<clang::ClassTemplateSpecializationDecl>(record)) {
      return false;
    }
    const Decl* const definition = record->getDefinition() != nullptr ? record->getDefinition() : record;
    const auto unit = table_.unit(definition);
    return unit.has_value();
  }

  const UnitTable& table_;
  std::optional<UnitIndex> unit_;
  bool instances_;
  References& found_;
  unsigned unevaluated_ = 0;  // operands around
};

// The declaration in the source that an instance was made from.
const Decl* pattern_of(const Decl* declaration) {
  if (const auto* function = dyn_cast<clang::FunctionDecl>(declaration)) {
    if (const auto* pattern = function->getTemplateInstantiationPattern()) return pattern;
    if (const auto* pattern = function->getPrimaryTemplate()) return pattern->getTemplatedDecl();
  } else if (const auto* record = dyn_cast<clang::CXXRecordDecl>(declaration)) {
    if (const auto* pattern = record->getTemplateInstantiationPattern()) return pattern;
  } else if (const auto* variable = dyn_cast<clang::VarDecl>(declaration)) {
    if (const auto* pattern = variable->getTemplateInstantiationPattern()) return pattern;
  } else if (const auto* enumeration = dyn_cast<clang::EnumDecl>(declaration)) {
    if (const auto* pattern = enumeration->getTemplateInstantiationPattern()) return pattern;
  } else if (const auto* shadow = dyn_cast<clang::UsingShadowDecl>(declaration)) {
    return pattern_of(shadow->getTargetDecl());
  }
  return declaration;
}

bool is_local(const Decl* declaration) {
  if (isa<clang::ParmVarDecl>(declaration) || declaration->isTemplateParameter()) return true;
  const auto* const variable = dyn_cast<clang::VarDecl>(declaration);
  return variable != nullptr && variable->isLocalVarDecl();
}

class Resolver {
 public:
  Resolver(AstSession& session, const UnitTable& table)
      : session_(session), table_(table), written_(session.source.units.size()) {}

  void collect(UnitIndex index) {
    for (const Decl* declaration : table_.declarations(index)) {
      Visitor(table_, index, false, written_[index]).TraverseDecl(const_cast<Decl*>(declaration));
    }
    for (const Decl* declaration : written_[index].unevaluated) {
      for (const UnitIndex unit : table_.units_of(pattern_of(declaration))) {
        if (is_never_defined(unit)) at(unit).host_only = false;
      }
    }
  }

  // After all are collected.
  void resolve(UnitIndex index) {
    const References& written = written_[index];
    References with_instances;
    for (const Decl* declaration : table_.declarations(index)) {
      Visitor(table_, index, true, with_instances).TraverseDecl(const_cast<Decl*>(declaration));
    }
    for (const Decl* declaration : written.all) need(index, pattern_of(declaration));
    for (const auto& candidates : written.candidates) need_one_of(index, candidates);
    for (const Decl* declaration : with_instances.all) reach(index, pattern_of(declaration));
    for (const auto& candidates : with_instances.candidates) {
      for (const Decl* declaration : candidates) reach(index, pattern_of(declaration));
    }
    resolve_signature(index);
    Unit& unit = at(index);
    // A member goes with its class, and a class with a data member that nothing can stand for.
    if (unit.parent) add(unit.needs, *unit.parent, index);
    if (unit.parent && unit.data_member && unit.stand_in.empty()) add(at(*unit.parent).needs, index, *unit.parent);
    note_helper_library(index, written);
    note_device_runtime(at(index), written);
  }

 private:
  Unit& at(UnitIndex index) { return session_.source.units[index]; }

  // Only what it would return counts: `sizeof(test(x))`, `decltype(test(x))`.
  bool is_never_defined(UnitIndex index) const {
    const auto& declarations = table_.declarations(index);
    return std::all_of(declarations.begin(), declarations.end(), [](const Decl* declaration) {
      const auto* const function = dyn_cast<clang::FunctionDecl>(described(declaration));
      return function != nullptr && !function->isDefined();
    });
  }

  // Of some host-only members the declaration may stay.
  void resolve_signature(UnitIndex index) {
    if (!at(index).special || !at(index).host_only || !at(index).parent) return;
    References written;
    for (const Decl* declaration : table_.declarations(index)) {
      const auto* const function = dyn_cast<clang::FunctionDecl>(described(declaration));
      if (function == nullptr) continue;
      for (const clang::ParmVarDecl* parameter : function->parameters()) {
        if (const auto* type = parameter->getTypeSourceInfo()) {
          Visitor(table_, index, false, written).TraverseTypeLoc(type->getTypeLoc());
        }
      }
      if (const auto type = function->getFunctionTypeLoc()) {
        Visitor(table_, index, false, written).TraverseTypeLoc(type.getReturnLoc());
      }
    }
    for (const Decl* each : written.all) {
      const Decl* const pattern = pattern_of(each);
      const std::set<UnitIndex> units = table_.units_of(pattern);
      for (const UnitIndex unit : units) add(at(index).signature_needs, unit, index);
      if (units.empty() && !is_local(pattern) && !why_unavailable(session_, pattern).empty()) {
        at(index).signature_unavailable = true;
      }
    }
  }

  static void add(std::vector<UnitIndex>& list, UnitIndex unit, UnitIndex self) {
    if (unit != self && std::find(list.begin(), list.end(), unit) == list.end()) list.push_back(unit);
  }

  void need(UnitIndex index, const Decl* declaration) {
    const std::set<UnitIndex> units = table_.units_of(declaration);
    for (const UnitIndex unit : units) {
      if (!at(unit).for_host_type) add(at(index).needs, unit, index);
    }
    if (!units.empty() || is_local(declaration) || !at(index).unavailable.empty() || at(index).host_only) return;
    std::string reason = why_unavailable(session_, declaration);
    if (!reason.empty()) at(index).unavailable = std::move(reason);
  }

  void need_one_of(UnitIndex index, const std::vector<const Decl*>& candidates) {
    std::vector<UnitIndex> units;
    std::string reason;
    for (const Decl* candidate : candidates) {
      const Decl* const pattern = pattern_of(candidate);
      const std::set<UnitIndex> found = table_.units_of(pattern);
      if (found.empty()) {
        reason = at(index).host_only ? std::string() : why_unavailable(session_, pattern);
        if (reason.empty()) return;
      }
      units.insert(units.end(), found.begin(), found.end());
    }
    if (!units.empty()) at(index).needs_one_of.push_back(std::move(units));
    else if (at(index).unavailable.empty()) at(index).unavailable = std::move(reason);
  }

  void reach(UnitIndex index, const Decl* declaration) {
    for (const UnitIndex unit : table_.units_of(declaration)) add(at(index).reaches, unit, index);
  }

  void note_helper_library(UnitIndex index, const References& references) {
    const auto in_library = [&](const Decl* declaration) {
      const auto place = session_.sources.place(declaration->getLocation());
      return place && is_helper_header(place->buffer);
    };
    if (at(index).host_only || is_helper_header(at(index).span.buffer)) return;
    const auto is_library_function = [&](const Decl* declaration) {
      return isa<clang::FunctionDecl>(described(declaration)) && in_library(declaration);
    };
    bool uses = std::any_of(references.all.begin(), references.all.end(), is_library_function);
    for (const auto& candidates : references.candidates) {
      uses = uses || std::any_of(candidates.begin(), candidates.end(), is_library_function);
    }
    session_.source.uses_helper_library = session_.source.uses_helper_library || uses;
  }

  void note_device_runtime(Unit& unit, const References& references) {
    if (unit.host_only) return;
    const auto note = [&](const Decl* declaration) {
      unit.device_runtime = std::max(unit.device_runtime, device_runtime_of(session_, declaration));
    };
    for (const Decl* declaration : references.all) note(declaration);
    for (const auto& candidates : references.candidates) {
      for (const Decl* declaration : candidates) note(declaration);
    }
    if (references.launches) unit.device_runtime = DeviceRuntime::library;
  }

  bool is_helper_header(BufferIndex buffer) const {
    constexpr std::string_view kHeader = "cudahot/device.cuh";
    const std::string& path = session_.source.files[session_.source.buffers[buffer].file].path;
    return path.size() > kHeader.size() && path.compare(path.size() - kHeader.size(), kHeader.size(), kHeader) == 0;
  }

  AstSession& session_;
  const UnitTable& table_;
  std::vector<References> written_;  // in each unit
};

}  // namespace

void collect_references(AstSession& session, const UnitTable& table) {
  Resolver resolver(session, table);
  const auto count = static_cast<UnitIndex>(session.source.units.size());
  for (UnitIndex index = 0; index < count; ++index) resolver.collect(index);
  for (UnitIndex index = 0; index < count; ++index) resolver.resolve(index);
}

}  // namespace cudahot::extract

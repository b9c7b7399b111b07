#include "lib/extract/units.hpp"

#include <algorithm>
#include <tuple>

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>

#include "lib/extract/availability.hpp"
#include "lib/extract/code_text.hpp"
#include "lib/extract/quick_tier_parts.hpp"

namespace cudahot::extract {

using clang::Decl;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

bool runs_on_device(const Decl* declaration) {
  return declaration->hasAttr<clang::CUDADeviceAttr>() || declaration->hasAttr<clang::CUDAGlobalAttr>();
}

bool is_host_only(const Decl* declaration) {
  if (const auto* function = dyn_cast<clang::FunctionDecl>(declaration)) {
    return !runs_on_device(function) && !function->isConstexpr() && !function->isDefaulted() && !function->isDeleted();
  }
  if (const auto* variable = dyn_cast<clang::VarDecl>(declaration)) {
    const bool device = variable->hasAttr<clang::CUDADeviceAttr>() || variable->hasAttr<clang::CUDAConstantAttr>() ||
                        variable->hasAttr<clang::CUDASharedAttr>();
    return !device && !variable->isConstexpr() && !variable->getType().isConstQualified();
  }
  return isa<clang::FileScopeAsmDecl>(declaration);
}

const Decl* described(const Decl* declaration) {
  if (const auto* friend_declaration = dyn_cast<clang::FriendDecl>(declaration)) {
    if (friend_declaration->getFriendDecl() != nullptr) declaration = friend_declaration->getFriendDecl();
  }
  if (const auto* pattern = dyn_cast<clang::TemplateDecl>(declaration)) {
    if (pattern->getTemplatedDecl() != nullptr) declaration = pattern->getTemplatedDecl();
  }
  return declaration;
}

std::string qualified_name(const clang::NamedDecl& declaration) {
  clang::PrintingPolicy policy = declaration.getASTContext().getPrintingPolicy();
  policy.SuppressUnwrittenScope = true;
  std::string name;
  llvm::raw_string_ostream out(name);
  declaration.printQualifiedName(out, policy);
  return name;
}

std::optional<UnitIndex> UnitTable::unit(const Decl* declaration) const {
  const auto found = units_.find(declaration);
  if (found == units_.end()) return std::nullopt;
  return found->second;
}

std::optional<UnitIndex> UnitTable::enclosing_unit(const Decl* declaration) const {
  while (declaration != nullptr) {
    if (const auto found = unit(declaration)) return found;
    const clang::DeclContext* const context = declaration->getLexicalDeclContext();
    if (context == nullptr || context->isTranslationUnit() || context->isNamespace()) return std::nullopt;
    declaration = cast<Decl>(context);
  }
  return std::nullopt;
}

std::set<UnitIndex> UnitTable::units_of(const Decl* declaration) const {
  std::set<UnitIndex> found;
  const auto add_all = [&](const Decl* of) {
    for (const Decl* each : of->redecls()) {
      if (const auto index = enclosing_unit(each)) found.insert(*index);
    }
  };
  const auto add_one = [&](const Decl* of) {
    if (const auto index = enclosing_unit(of)) found.insert(*index);
  };
  add_all(declaration);
  if (const auto* pattern = dyn_cast<clang::TemplateDecl>(declaration)) {
    if (pattern->getTemplatedDecl() != nullptr) add_all(pattern->getTemplatedDecl());
  }
  if (const auto* function = dyn_cast<clang::FunctionDecl>(declaration)) {
    if (function->getDescribedFunctionTemplate() != nullptr) add_all(function->getDescribedFunctionTemplate());
  }
  if (const auto* record = dyn_cast<clang::CXXRecordDecl>(declaration)) {
    if (record->getDescribedClassTemplate() != nullptr) add_all(record->getDescribedClassTemplate());
  }
  if (const auto* pattern = dyn_cast<clang::ClassTemplateDecl>(declaration)) {
    for (const auto* special : pattern->specializations()) {
      if (special->isExplicitSpecialization()) add_one(special);
    }
    llvm::SmallVector<clang::ClassTemplatePartialSpecializationDecl*, 4> partial;
    const_cast<clang::ClassTemplateDecl*>(pattern)->getPartialSpecializations(partial);
    for (const auto* special : partial) add_one(special);
  }
  if (const auto* pattern = dyn_cast<clang::FunctionTemplateDecl>(declaration)) {
    for (const auto* special : pattern->specializations()) {
      if (special->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization) add_one(special);
    }
  }
  return found;
}

void UnitTable::add(UnitIndex unit, const Decl* declaration) {
  if (unit >= declarations_.size()) declarations_.resize(unit + 1);
  if (std::find(declarations_[unit].begin(), declarations_[unit].end(), declaration) == declarations_[unit].end()) {
    declarations_[unit].push_back(declaration);
  }
  units_.emplace(declaration, unit);
  if (described(declaration) != declaration && !isa<clang::FriendDecl>(declaration)) {
    units_.emplace(described(declaration), unit);
  }
  if (const auto* enumeration = dyn_cast<clang::EnumDecl>(declaration)) {
    for (const auto* constant : enumeration->enumerators()) units_.emplace(constant, unit);
  }
}

namespace {

class Collector {
 public:
  explicit Collector(AstSession& session) : session_(session) {}

  UnitTable collect() {
    visit(session_.ast.getTranslationUnitDecl(), std::nullopt);
    add_explicit_instantiations();
    return std::move(table_);
  }

 private:
  Unit& at(UnitIndex index) { return session_.source.units[index]; }

  const std::string& code(BufferIndex buffer) {
    if (buffer >= code_.size()) code_.resize(buffer + 1);
    if (code_[buffer].empty()) code_[buffer] = only_code(session_.sources.text(buffer));
    return code_[buffer];
  }

  void visit(const clang::DeclContext* context, std::optional<UnitIndex> parent) {
    for (const Decl* declaration : context->decls()) {
      if (declaration->isImplicit() || declaration->getLexicalDeclContext() != context) continue;
      if (!session_.sources.in_user_file(declaration->getBeginLoc())) continue;
      if (const auto* space = dyn_cast<clang::NamespaceDecl>(declaration)) {
        visit(space, parent);
        continue;
      }
      const auto* linkage = dyn_cast<clang::LinkageSpecDecl>(declaration);
      if (linkage != nullptr && linkage->hasBraces()) {
        visit(linkage, parent);
        continue;
      }
      if (!parent || is_member_unit(declaration)) add(declaration, parent);
    }
  }

  static bool is_member_unit(const Decl* declaration) {
    if (const auto* record = dyn_cast<clang::CXXRecordDecl>(declaration)) {
      return !record->isAnonymousStructOrUnion() && !record->isEmbeddedInDeclarator();
    }
    const Decl* const inner = described(declaration);
    return isa<clang::FunctionDecl>(inner) || isa<clang::VarDecl>(inner) ||
           isa<clang::ClassTemplateDecl>(declaration) || isa<clang::TypedefNameDecl>(declaration) ||
           isa<clang::UsingDecl>(declaration) || is_foreign_field(declaration);
  }

  // A data member that the device may lack the type of. Declarators that share a declaration stay together.
  static bool is_foreign_field(const Decl* declaration) {
    const auto* const field = dyn_cast<clang::FieldDecl>(declaration);
    if (field == nullptr || field->isInvalidDecl() || field->isBitField() || field->getName().empty()) {
      return false;
    }
    const clang::QualType type = field->getType();
    if (type->isDependentType() || type->isScalarType() || type->isReferenceType()) return false;
    return std::none_of(field->getParent()->field_begin(), field->getParent()->field_end(), [&](const auto* other) {
      return other != field && other->getBeginLoc() == field->getBeginLoc();
    });
  }

  void add(const Decl* declaration, std::optional<UnitIndex> parent) {
    const auto span = whole_span(declaration);
    if (!span) return;
    UnitIndex index = find_group(*span, parent);
    const bool first = index == session_.source.units.size();
    if (parent && index == *parent) {
      // Of a class that a macro makes whole: there is no text of its own.
      table_.add(index, declaration);
      return;
    }
    if (first) {
      Unit unit;
      unit.span = *span;
      unit.parent = parent;
      unit.name = name_of(declaration);
      unit.host_only = true;  // until one of its declarations is not
      session_.source.units.push_back(std::move(unit));
      groups_.emplace(std::make_tuple(parent, span->buffer, span->range.begin), index);
    }
    at(index).span.range.end = std::max(at(index).span.range.end, span->range.end);
    table_.add(index, declaration);
    const Decl* inner = described(declaration);
    if (const auto* linkage = dyn_cast<clang::LinkageSpecDecl>(declaration)) {
      for (const Decl* each : linkage->decls()) {
        table_.add(index, each);
        inner = described(each);
        at(index).name = name_of(each);
      }
    }
    if (isa<clang::FriendDecl>(declaration) && isa<clang::FunctionDecl>(inner)) table_.add(index, inner);
    describe(index, inner);
    const auto* record = dyn_cast<clang::CXXRecordDecl>(inner);
    if (record != nullptr && record->isThisDeclarationADefinition() && !is_instance(*record)) visit(record, index);
  }

  // `template class Grid<float>;`: its members are those of the template.
  static bool is_instance(const clang::CXXRecordDecl& record) {
    const auto* const specialization = dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
    return specialization != nullptr && !specialization->isExplicitSpecialization() &&
           !isa<clang::ClassTemplatePartialSpecializationDecl>(specialization);
  }

  // Declarators of one declaration, and declarations from one macro, are one unit.
  UnitIndex find_group(const Span& span, std::optional<UnitIndex> parent) {
    if (parent && at(*parent).span.buffer == span.buffer && at(*parent).span.range.begin == span.range.begin) {
      return *parent;
    }
    const auto group = groups_.find({parent, span.buffer, span.range.begin});
    return group == groups_.end() ? static_cast<UnitIndex>(session_.source.units.size()) : group->second;
  }

  static std::string name_of(const Decl* declaration) {
    if (const auto* named = dyn_cast<clang::NamedDecl>(declaration)) return qualified_name(*named);
    return declaration->getDeclKindName();
  }

  // Of the same size and alignment, so that all members stay where they are. It takes the place of the text; empty
  // where there is no room for it.
  std::string stand_in_for(const clang::FieldDecl& field, const Span& span) const {
    if (field.hasAttr<clang::NoUniqueAddressAttr>() || field.hasAttr<clang::PackedAttr>()) return {};
    const clang::QualType type = field.getType();
    const clang::TypeInfo layout = session_.ast.getTypeInfo(type);
    // The member's own alignment does not change its size.
    const unsigned own = field.getMaxAlignment();
    std::string stand_in = own > layout.Align ? fmt::format("alignas({})", own / 8) : "";
    stand_in += fmt::format("{}<{},{}>{};", type.isCXX98PODType(session_.ast) ? kOpaquePlain : kOpaque,
                            layout.Width / 8, layout.Align / 8, field.getName().str());
    const std::string_view text = session_.sources.text(span.buffer);
    const std::string_view place = text.substr(span.range.begin, stand_in.size());
    if (stand_in.size() > span.range.size() || place.find('\n') != std::string_view::npos) stand_in.clear();
    return stand_in;
  }

  // Constructors and destructors; member functions that are only declared, for `using Base::size` and the like.
  static bool keeps_declaration(const Decl* inner) {
    if (isa<clang::CXXConstructorDecl>(inner) || isa<clang::CXXDestructorDecl>(inner)) return true;
    const auto* const method = dyn_cast<clang::CXXMethodDecl>(inner);
    return method != nullptr && !method->isVirtual() && !method->isThisDeclarationADefinition();
  }

  void describe(UnitIndex index, const Decl* inner) {
    Unit& unit = at(index);
    unit.host_only = unit.host_only && is_host_only(inner);
    unit.kernel = unit.kernel || inner->hasAttr<clang::CUDAGlobalAttr>();
    if (const auto* record = dyn_cast<clang::CXXRecordDecl>(inner)) {
      unit.record = true;
      const bool plain = record->getDescribedClassTemplate() == nullptr &&
                         !isa<clang::ClassTemplateSpecializationDecl>(record) && !record->getName().empty();
      if (plain && !unit.parent) {
        unit.stand_in = (record->getKindName() + " " + record->getName() + ";").str();
      }
    }
    if (const auto* field = dyn_cast<clang::FieldDecl>(inner)) {
      unit.data_member = true;
      unit.stand_in = stand_in_for(*field, unit.span);
    }
    unit.for_host_type = specialises_for_host_type(session_, inner);
    unit.special = unit.parent && !inner->getBeginLoc().isMacroID() && keeps_declaration(inner);
    if (unit.special) {
      const auto* const function = cast<clang::FunctionDecl>(inner);
      const auto close = session_.sources.place(function->getFunctionTypeLoc().getRParenLoc());
      const bool body = function->doesThisDeclarationHaveABody() || function->hasSkippedBody();
      if (close && body && close->buffer == unit.span.buffer) unit.signature_end = close->offset + 1;
    }
    if (!unit.parent) assign_quick_tier_part(session_, inner, unit);
  }

  // From its template header, attributes and specifiers to its body or ';'.
  std::optional<Span> whole_span(const Decl* declaration) {
    auto span = session_.sources.span(declaration->getSourceRange(), session_.language());
    if (!span) return std::nullopt;
    const auto widen = [&](clang::SourceLocation location) {
      const auto place = session_.sources.place(location);
      if (place && place->buffer == span->buffer) span->range.begin = std::min(span->range.begin, place->offset);
    };
    const Decl* inner = described(declaration);
    if (const auto* linkage = dyn_cast<clang::LinkageSpecDecl>(declaration)) {  // without braces: of one declaration
      if (!linkage->decls_empty()) inner = described(*linkage->decls_begin());
    }
    for (const Decl* each : {declaration, inner}) {
      for (const clang::Attr* attribute : each->attrs()) {
        if (!attribute->isImplicit() && !attribute->isInherited()) widen(attribute->getLocation());
      }
    }
    // Members of templates that are defined outside have one template header more than they own.
    if (const auto* declarator = dyn_cast<clang::DeclaratorDecl>(inner)) widen(declarator->getOuterLocStart());
    if (const auto* tag = dyn_cast<clang::TagDecl>(inner)) widen(tag->getOuterLocStart());

    // Its body or ';' is of the same macro.
    const clang::SourceLocation last = declaration->getEndLoc();
    const bool more_in_macro = last.isMacroID() && !clang::Lexer::isAtEndOfMacroExpansion(
                                                       last, session_.sources.manager(), session_.language());
    if (more_in_macro) return span;

    const std::string& text = code(span->buffer);
    const auto* const function = dyn_cast<clang::FunctionDecl>(inner);
    if (function != nullptr && function->doesThisDeclarationHaveABody()) return span;
    if (function != nullptr && function->hasSkippedBody() && function->isThisDeclarationADefinition()) {
      span->range.end = function_end(text, span->range.end);
      return span;
    }
    if (span->range.end > 0 && text[span->range.end - 1] == ';') return span;
    std::size_t end = declaration_end(text, span->range.end);
    // Clang may end `Grid grid(size());` within its parentheses.
    const auto* const variable = dyn_cast<clang::VarDecl>(inner);
    const bool called = variable != nullptr && variable->getInitStyle() == clang::VarDecl::CallInit;
    if (called && end < text.size() && text[end] == ')') end = declaration_end(text, end + 1);
    if (end > 0 && end <= text.size() && text[end - 1] == ';') span->range.end = end;
    return span;
  }

  // `template void f<int>(int);` leaves no declaration of its own in the AST.
  void add_explicit_instantiations() {
    std::set<std::pair<BufferIndex, std::size_t>> seen;
    const std::size_t count = session_.source.units.size();
    for (UnitIndex index = 0; index < count; ++index) {
      const std::vector<const Decl*> declarations = table_.declarations(index);
      for (const Decl* declaration : declarations) {
        const auto* const pattern = dyn_cast<clang::FunctionTemplateDecl>(declaration);
        if (pattern == nullptr) continue;
        for (const auto* instance : pattern->specializations()) {
          const auto kind = instance->getTemplateSpecializationKind();
          if (kind != clang::TSK_ExplicitInstantiationDefinition &&
              kind != clang::TSK_ExplicitInstantiationDeclaration) {
            continue;
          }
          const auto name = session_.sources.place(instance->getPointOfInstantiation());
          if (!name) continue;
          const std::string& text = code(name->buffer);
          const std::size_t begin = text.rfind("template", name->offset);
          if (begin == std::string::npos || !seen.emplace(name->buffer, begin).second) continue;
          Unit unit;
          unit.name = "instance of " + at(index).name;
          unit.span = {name->buffer, {begin, declaration_end(text, name->offset)}};
          // It goes with its template, and is no use of it.
          unit.needs_one_of.push_back({index});
          table_.add(static_cast<UnitIndex>(session_.source.units.size()), instance);
          session_.source.units.push_back(std::move(unit));
        }
      }
    }
  }

  AstSession& session_;
  UnitTable table_;
  std::map<std::tuple<std::optional<UnitIndex>, BufferIndex, std::size_t>, UnitIndex> groups_;
  std::vector<std::string> code_;
};

void link_redeclarations(AstSession& session, const UnitTable& table) {
  for (UnitIndex index = 0; index < session.source.units.size(); ++index) {
    for (const Decl* declaration : table.declarations(index)) {
      const auto* const function = dyn_cast<clang::FunctionDecl>(described(declaration));
      if (function == nullptr) continue;
      for (const Decl* other : function->redecls()) {
        const auto unit = table.unit(other);
        if (unit && *unit != index) session.source.units[index].redeclarations.push_back(*unit);
      }
    }
  }
}

}  // namespace

UnitTable collect_units(AstSession& session) {
  UnitTable table = Collector(session).collect();
  link_redeclarations(session, table);
  return table;
}

}  // namespace cudahot::extract

#include "lib/extract/kernels.hpp"

#include <algorithm>
#include <memory>

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/RecordLayout.h>
#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>

namespace cudahot::extract {
namespace {

using clang::FunctionDecl;

class Finder {
 public:
  Finder(AstSession& session, const UnitTable& table)
      : session_(session), table_(table), mangler_(session.ast.createMangleContext()) {}

  void run() {
    const auto count = static_cast<UnitIndex>(session_.source.units.size());
    for (UnitIndex unit = 0; unit < count; ++unit) {
      for (const clang::Decl* declaration : table_.declarations(unit)) visit(unit, declaration);
    }
  }

 private:
  void visit(UnitIndex unit, const clang::Decl* declaration) {
    const auto* const function = llvm::dyn_cast<FunctionDecl>(described(declaration));
    if (function == nullptr || !function->hasAttr<clang::CUDAGlobalAttr>()) return;
    if (!function->doesThisDeclarationHaveABody()) return;
    const auto* const pattern = function->getDescribedFunctionTemplate();
    if (pattern == nullptr) {
      if (!function->isDependentContext()) add(unit, *function, *function);
      return;
    }
    bool any = false;
    bool any_unnamed = false;
    for (const FunctionDecl* instance : pattern->specializations()) {
      // An explicit specialisation has a text, and a unit, of its own.
      if (instance->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization) continue;
      if (has_unnamed_argument(*instance)) {
        any_unnamed = true;
        continue;
      }
      add(unit, *instance, *function);
      any = true;
    }
    const auto place = session_.sources.place(function->getLocation());
    if (any || !place) return;
    session_.source.uninstantiated.push_back({unit, function->getQualifiedNameAsString(), any_unnamed, *place});
  }

  // No name expression can ask for the instance that takes a lambda.
  static bool has_unnamed_argument(const FunctionDecl& instance) {
    const auto* const arguments = instance.getTemplateSpecializationArgs();
    return arguments != nullptr && std::ranges::any_of(arguments->asArray(), is_unnamed);
  }

  static bool is_unnamed(const clang::TemplateArgument& argument) {
    if (argument.getKind() == clang::TemplateArgument::Pack) {
      return std::ranges::any_of(argument.pack_elements(), is_unnamed);
    }
    if (argument.getKind() != clang::TemplateArgument::Type) return false;
    const auto* const tag = argument.getAsType()->getAsTagDecl();
    if (tag == nullptr) return false;
    // `typedef struct {} Pair;` has a name.
    if (tag->getIdentifier() == nullptr) return tag->getTypedefNameForAnonDecl() == nullptr;
    const auto* const instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(tag);
    return instance != nullptr && std::ranges::any_of(instance->getTemplateArgs().asArray(), is_unnamed);
  }

  void add(UnitIndex unit, const FunctionDecl& function, const FunctionDecl& written) {
    const auto place = session_.sources.place(written.getLocation());
    if (!place) return;
    FoundKernel kernel;
    kernel.unit = unit;
    kernel.place = *place;
    kernel.name = qualified_name(function);
    if (!function.isExternC()) kernel.name_expression = kernel.name;
    kernel.mangled_name = mangle(function);
    kernel.parameters = parameters(function);
    session_.source.kernels.push_back(std::move(kernel));
  }

  // With template arguments, without unnamed and inline namespaces.
  std::string qualified_name(const FunctionDecl& function) const {
    clang::PrintingPolicy policy = session_.ast.getPrintingPolicy();
    policy.SuppressUnwrittenScope = true;
    policy.FullyQualifiedName = true;
    std::string name;
    llvm::raw_string_ostream out(name);
    function.getNameForDiagnostic(out, policy, /*Qualified=*/true);
    return name;
  }

  std::string mangle(const FunctionDecl& function) {
    if (!mangler_->shouldMangleDeclName(&function)) return function.getNameAsString();
    std::string name;
    llvm::raw_string_ostream out(name);
    mangler_->mangleName(clang::GlobalDecl(&function, clang::KernelReferenceKind::Kernel), out);
    return name;
  }

  // The parameter block lays parameters out in order, each at its alignment.
  std::vector<region::KernelParameter> parameters(const FunctionDecl& function) const {
    std::vector<region::KernelParameter> list;
    std::uint64_t offset = 0;
    for (const clang::ParmVarDecl* parameter : function.parameters()) {
      const clang::QualType type = parameter->getType();
      if (type->isDependentType() || type->isIncompleteType()) return {};
      const auto size = static_cast<std::uint64_t>(session_.ast.getTypeSizeInChars(type).getQuantity());
      const auto align = static_cast<std::uint64_t>(session_.ast.getTypeAlignInChars(type).getQuantity());
      offset = (offset + align - 1) / align * align;
      list.push_back({parameter->getNameAsString(), type.getAsString(session_.ast.getPrintingPolicy()),
                      static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(offset), canonical(type)});
      offset += size;
    }
    return list;
  }

  // KernelParameter::canonical.
  std::string canonical(clang::QualType type) const {
    type = type.getCanonicalType().getUnqualifiedType();
    if (type->isAnyPointerType()) return "pointer";
    if (const auto* array = session_.ast.getAsConstantArrayType(type)) {
      return fmt::format("{}[{}]", canonical(array->getElementType()), array->getSize().getZExtValue());
    }
    clang::PrintingPolicy policy = session_.ast.getPrintingPolicy();
    policy.AnonymousTagLocations = false;  // a class without a name stays the same when lines move
    const std::string name = type.getAsString(policy);
    const auto* const record = type->getAsCXXRecordDecl();
    // Classes of the toolkit do not change under a program.
    const bool open = record != nullptr && session_.sources.in_user_file(record->getLocation());
    return open ? fmt::format("{} {{{}}}", name, fmt::join(members(*record), "; ")) : name;
  }

  // "4: float width", each with its byte.
  std::vector<std::string> members(const clang::CXXRecordDecl& record) const {
    const clang::ASTRecordLayout& layout = session_.ast.getASTRecordLayout(&record);
    std::vector<std::string> list;
    for (const clang::CXXBaseSpecifier& base : record.bases()) {
      const auto* const of = base.getType()->getAsCXXRecordDecl();
      if (base.isVirtual() || of->isEmpty()) continue;
      list.push_back(fmt::format("{}: {}", layout.getBaseClassOffset(of).getQuantity(), canonical(base.getType())));
    }
    for (const clang::FieldDecl* field : record.fields()) {
      const std::uint64_t bit = layout.getFieldOffset(field->getFieldIndex());
      std::string member = fmt::format("{}: {} {}", bit / 8, canonical(field->getType()), field->getName().str());
      if (field->isBitField()) member += fmt::format(" : {}", field->getBitWidthValue());
      list.push_back(std::move(member));
    }
    return list;
  }

  AstSession& session_;
  const UnitTable& table_;
  std::unique_ptr<clang::MangleContext> mangler_;
};

}  // namespace

void find_kernels(AstSession& session, const UnitTable& table) { Finder(session, table).run(); }

}  // namespace cudahot::extract

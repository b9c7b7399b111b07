#include "lib/extract/availability.hpp"

#include <algorithm>

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <fmt/format.h>

#include "lib/extract/std_names.hpp"

namespace cudahot::extract {
namespace {

using clang::Decl;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;

std::string name_of(const Decl* declaration) {
  const auto* const named = dyn_cast<clang::NamedDecl>(declaration);
  return named != nullptr ? named->getQualifiedNameAsString() : declaration->getDeclKindName();
}

bool has_written_device_attribute(const clang::FunctionDecl& function) {
  for (const clang::FunctionDecl* each : function.redecls()) {
    const auto* const attribute = each->getAttr<clang::CUDADeviceAttr>();
    if (attribute != nullptr && !attribute->isImplicit()) return true;
  }
  return false;
}

// In the toolkit's own headers.
std::string why_unavailable_in_toolkit(const Decl* declaration, const std::string& path) {
  const auto* const function = dyn_cast<clang::FunctionDecl>(declaration);
  const bool host_api = function != nullptr && !runs_on_device(function) && !function->isConstexpr() &&
                        !llvm::isa<clang::CXXMethodDecl>(function);
  if (host_api) return fmt::format("'{}' is a function of the host API", name_of(declaration));
  if (path.find("/thrust/") != std::string::npos) {
    return fmt::format("'{}' belongs to Thrust, which the run-time compiler cannot read", name_of(declaration));
  }
  return {};
}

std::string why_unavailable_namespace(AstSession& session, const clang::NamespaceDecl* space) {
  if (space->isStdNamespace()) {
    session.source.std_headers.emplace("utility");  // any: it opens the namespace
    return {};
  }
  for (const clang::NamespaceDecl* each : space->redecls()) {
    const auto file = session.sources.file_of(each->getLocation());
    if (file && session.source.files[*file].owner != FileOwner::host) return {};
  }
  return fmt::format("namespace '{}' comes from a host header", name_of(space));
}

// float2, uint4: structures that every device compiler has.
bool is_vector_type(AstSession& session, clang::QualType type) {
  const auto* const record = type->getAsCXXRecordDecl();
  if (record == nullptr) return false;
  const auto file = session.sources.file_of(record->getLocation());
  return file && session.source.files[*file].path.ends_with("/vector_types.h");
}

// int8_t, uintptr_t, intmax_t and the like, uint_fast16_t and int_least32_t.
bool is_of_stdint(const std::string& name) {
  if (std_header_of("std::" + name) == "cstdint") return true;
  const std::string_view rest = std::string_view(name).substr(name.starts_with('u') ? 1 : 0);
  return rest.starts_with("int_fast") || rest.starts_with("int_least");
}

// An alias of a built-in or vector type is declared anew in the device view.
bool note_typedef(AstSession& session, const Decl* declaration) {
  const auto* const alias = dyn_cast<clang::TypedefNameDecl>(declaration);
  if (alias == nullptr || !alias->getDeclContext()->getRedeclContext()->isTranslationUnit()) return false;
  const clang::QualType type = alias->getUnderlyingType().getCanonicalType();
  if (!type->isBuiltinType() && !is_vector_type(session, type)) return false;
  const std::string name = alias->getNameAsString();
  if (name == "size_t" || name == "ptrdiff_t" || name == "clock_t") return true;
  if (is_of_stdint(name)) {
    // The toolkit's own headers may declare it, and with another type than the host's.
    session.source.std_headers.emplace("cstdint");
    return true;
  }
  HostTypedef found{name, type.getAsString(session.ast.getPrintingPolicy())};
  auto& known = session.source.host_typedefs;
  if (std::find(known.begin(), known.end(), found) == known.end()) known.push_back(std::move(found));
  return true;
}

bool has_host_type(AstSession& session, llvm::ArrayRef<clang::TemplateArgument> arguments);

// What `typename` and alias templates compute from a type is not looked into: it may well be one that the device has.
bool is_host_type(AstSession& session, clang::QualType type) {
  type = type.getCanonicalType();
  while (!type->getPointeeType().isNull()) type = type->getPointeeType();
  if (const auto* array = type->getAsArrayTypeUnsafe()) return is_host_type(session, array->getElementType());
  if (const auto* record = type->getAsCXXRecordDecl()) {
    const auto* const instance = dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
    return !why_unavailable(session, record).empty() ||
           (instance != nullptr && has_host_type(session, instance->getTemplateArgs().asArray()));
  }
  const auto* const written = type->getAs<clang::TemplateSpecializationType>();
  if (written == nullptr) return false;
  const auto* const pattern =
      dyn_cast_or_null<clang::ClassTemplateDecl>(written->getTemplateName().getAsTemplateDecl());
  return pattern != nullptr &&
         (!why_unavailable(session, pattern).empty() || has_host_type(session, written->template_arguments()));
}

bool has_host_type(AstSession& session, llvm::ArrayRef<clang::TemplateArgument> arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const clang::TemplateArgument& argument) {
    switch (argument.getKind()) {
      case clang::TemplateArgument::Type:
        return is_host_type(session, argument.getAsType());
      case clang::TemplateArgument::Template: {
        const auto* const pattern = argument.getAsTemplate().getAsTemplateDecl();
        return pattern != nullptr && !why_unavailable(session, pattern).empty();
      }
      case clang::TemplateArgument::Pack:
        return has_host_type(session, argument.getPackAsArray());
      default:
        return false;
    }
  });
}

}  // namespace

bool specialises_for_host_type(AstSession& session, const Decl* declaration) {
  if (const auto* record = dyn_cast<clang::ClassTemplateSpecializationDecl>(declaration)) {
    return has_host_type(session, record->getTemplateArgs().asArray());
  }
  const auto* const function = dyn_cast<clang::FunctionDecl>(declaration);
  if (function == nullptr || function->getTemplateSpecializationKind() != clang::TSK_ExplicitSpecialization)
    return false;
  const auto* const arguments = function->getTemplateSpecializationArgs();
  return arguments != nullptr && has_host_type(session, arguments->asArray());
}

std::string why_unavailable(AstSession& session, const Decl* declaration) {
  if (const auto* space = dyn_cast<clang::NamespaceDecl>(declaration)) return why_unavailable_namespace(session, space);
  const auto file = session.sources.file_of(declaration->getLocation());
  if (!file) return {};
  const SourceFile& record = session.source.files[*file];
  if (record.owner == FileOwner::user) return {};
  const std::string name = name_of(declaration);
  // Also where Clang's own wrappers declare it.
  if (const std::string_view header = std_header_of(name); !header.empty() && record.owner != FileOwner::toolkit) {
    session.source.std_headers.emplace(header);
    return {};
  }
  if (record.owner == FileOwner::compiler) return {};
  const auto* const function = dyn_cast<clang::FunctionDecl>(declaration);
  if (function != nullptr && function->getBuiltinID() != 0) return {};
  if (record.owner == FileOwner::toolkit) {
    // Such headers are not for devices, but numbers and vectors are the same there.
    if (is_host_library_header(record.path) && note_typedef(session, declaration)) return {};
    return why_unavailable_in_toolkit(declaration, record.path);
  }
  if (function != nullptr && has_written_device_attribute(*function)) return {};
  if (note_typedef(session, declaration)) return {};
  // A C function that the device has under the same name.
  if (function != nullptr && std_header_of("std::" + name) == "cmath") return {};
  return fmt::format("'{}' comes from the host header {}", name, record.path);
}

}  // namespace cudahot::extract

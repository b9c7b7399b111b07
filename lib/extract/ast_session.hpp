// What the stages that read the AST share.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>

#include "lib/extract/source_map.hpp"

namespace cudahot::extract {

struct AstSession {
  clang::ASTContext& ast;
  SourceMap& sources;
  ParsedSource& source;

  const clang::LangOptions& language() const { return ast.getLangOpts(); }
};

// __global__ or __device__ (also what Clang makes so by itself, as constexpr functions).
bool runs_on_device(const clang::Decl* declaration);

// A function or variable that only host code can use.
bool is_host_only(const clang::Decl* declaration);

// "scene::shade", without unnamed and inline namespaces.
std::string qualified_name(const clang::NamedDecl& declaration);

// A template's pattern, a friend's function; else the declaration itself.
const clang::Decl* described(const clang::Decl* declaration);

}  // namespace cudahot::extract

// Which locals of a function may be changed or read under another name.
#pragma once

#include <set>
#include <vector>

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

namespace cudahot::extract {

// Locals whose address is taken, or that a reference, an array's pointer, a closure or a callee may hold on to, and
// where: each place in the order of the text.
struct Escape {
  const clang::VarDecl* variable = nullptr;
  clang::SourceLocation place;
};
std::vector<Escape> find_escapes(clang::Stmt* body);

// Whether the statement may write to what it does not name: through a pointer or reference, in a call, in assembly.
bool may_write_unnamed(clang::Stmt* statement);

// Whether a variable of this type may lead to another one.
bool may_be_alias(clang::QualType type);

}  // namespace cudahot::extract

#include "lib/extract/clang_diagnostics.hpp"

#include <algorithm>

#include <clang/Basic/DiagnosticSema.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>

#include "lib/extract/ast_session.hpp"
#include "lib/region/code_frame.hpp"

namespace cudahot::extract {
namespace {

enum class Surroundings { declarations, device_function, host_function };

// Clang checks some uses of host code when the whole file is read, and stands nowhere then.
bool is_late_check(const clang::CompilerInstance& compiler, const clang::Diagnostic& info) {
  if (compiler.getPreprocessor().getCurrentFileLexer() != nullptr || info.getLocation().isInvalid()) return false;
  const clang::SourceManager& manager = info.getSourceManager();
  const auto [file, offset] = manager.getDecomposedLoc(manager.getFileLoc(info.getLocation()));
  return offset < manager.getBufferData(file).size();  // not about the end of the file itself
}

Surroundings surroundings(const clang::CompilerInstance& compiler, const clang::Diagnostic& info) {
  if (!compiler.hasSema()) return Surroundings::declarations;
  Surroundings found = is_late_check(compiler, info) ? Surroundings::device_function : Surroundings::declarations;
  for (const clang::DeclContext* at = compiler.getSema().CurContext; at != nullptr; at = at->getParent()) {
    const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(at);
    if (function == nullptr) continue;
    if (is_host_only(function)) return Surroundings::host_function;
    found = Surroundings::device_function;
  }
  return found;
}

Severity severity(clang::DiagnosticsEngine::Level level) {
  return level == clang::DiagnosticsEngine::Note ? Severity::note : Severity::error;
}

// Bytes from `location` to the end of what Clang underlines there: a range that begins at it, else its token.
std::size_t marked_length(clang::SourceLocation location, const clang::Diagnostic& info) {
  const clang::SourceManager& manager = info.getSourceManager();
  const auto [file, offset] = manager.getDecomposedLoc(location);
  std::size_t length = clang::Lexer::MeasureTokenLength(location, manager, clang::LangOptions());
  for (const clang::CharSourceRange& range : info.getRanges()) {
    if (range.isInvalid() || manager.getFileLoc(range.getBegin()) != location) continue;
    const clang::SourceLocation last = manager.getFileLoc(range.getEnd());
    const auto [end_file, end] = manager.getDecomposedLoc(last);
    const std::size_t token =
        range.isTokenRange() ? clang::Lexer::MeasureTokenLength(last, manager, clang::LangOptions()) : 0;
    if (end_file == file && end + token > offset) length = std::max(length, end + token - offset);
  }
  return length;
}

void place(Diagnostic& diagnostic, const clang::Diagnostic& info) {
  if (info.getLocation().isInvalid() || !info.hasSourceManager()) return;
  const clang::SourceManager& manager = info.getSourceManager();
  const clang::SourceLocation location = manager.getFileLoc(info.getLocation());
  const auto [file, offset] = manager.getDecomposedLoc(location);
  const clang::PresumedLoc named = manager.getPresumedLoc(location);
  const llvm::StringRef text = manager.getBufferData(file);
  const std::string_view view(text.data(), text.size());
  if (named.isValid()) diagnostic.location = {named.getFilename(), named.getLine(), named.getColumn()};
  diagnostic.frame = region::code_frame(view, offset, marked_length(location, info));
}

}  // namespace

void DiagnosticCollector::HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) {
  using clang::DiagnosticsEngine;
  if (level == DiagnosticsEngine::Note) {
    if (dropped_last_) return;
  } else if (level < DiagnosticsEngine::Error) {
    // Warnings are the business of the user's own compiler.
    dropped_last_ = true;
    return;
  } else {
    // cuda::barrier in shared memory: NVIDIA's compilers accept its constructor.
    dropped_last_ = info.getID() == clang::diag::err_shared_var_init;
    if (dropped_last_) return;
  }

  Diagnostic diagnostic;
  diagnostic.severity = severity(level);
  llvm::SmallString<128> text;
  info.FormatDiagnostic(text);
  diagnostic.text = std::string(text);
  place(diagnostic, info);
  if (info.getID() == clang::diag::err_cuda_device_kernel_launch_require_rdc) {
    // What else it means for the code is not in the AST.
    diagnostic.text = "a kernel launch in device code needs relocatable device code";
    diagnostic.hint = "pass -rdc=true among the flags behind --, as to nvcc";
    has_errors_ = true;
  } else if (level == DiagnosticsEngine::Error) {
    switch (surroundings(compiler_, info)) {
      case Surroundings::host_function:
        dropped_last_ = true;
        return;
      case Surroundings::device_function:
        // The device compiler has the last word on device code.
        diagnostic.severity = Severity::warning;
        break;
      case Surroundings::declarations:
        has_errors_ = true;
        break;
    }
  }
  if (level == DiagnosticsEngine::Fatal) has_errors_ = has_fatal_error_ = true;
  diagnostics_.push_back(std::move(diagnostic));
}

}  // namespace cudahot::extract

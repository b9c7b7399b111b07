// Turns Clang's diagnostics into ours, without those that the device compiler would not give.
#pragma once

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>

#include "cudahot/result.hpp"

namespace cudahot::extract {

class DiagnosticCollector : public clang::DiagnosticConsumer {
 public:
  DiagnosticCollector(const clang::CompilerInstance& compiler, std::vector<Diagnostic>& diagnostics)
      : compiler_(compiler), diagnostics_(diagnostics) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override;

  // Errors outside of function bodies: the declarations cannot be trusted.
  bool has_errors() const { return has_errors_; }
  bool has_fatal_error() const { return has_fatal_error_; }

 private:
  const clang::CompilerInstance& compiler_;
  std::vector<Diagnostic>& diagnostics_;
  bool dropped_last_ = false;
  bool has_errors_ = false;
  bool has_fatal_error_ = false;
};

}  // namespace cudahot::extract

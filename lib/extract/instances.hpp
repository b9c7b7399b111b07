// `#pragma cudahot instantiate(shade<float>, shade<double>)`: each name becomes a hidden variable that holds its
// address, which makes Clang read the name and instantiate the kernel.
#pragma once

#include <vector>

#include <clang/Lex/Preprocessor.h>

#include "lib/extract/ast_session.hpp"

namespace cudahot::extract {

// Called on the tokens that stand between the parentheses. `pragma` is the place of the '#'.
void request_instances(clang::Preprocessor& preprocessor, const Place& pragma, const std::vector<clang::Token>& tokens,
                       RecordedSource& recorded);

// After parsing, before anything else looks at the declarations: hides the variables from it, and refuses names that
// Clang cannot make sense of or that are no kernels.
void check_instances(AstSession& session);

}  // namespace cudahot::extract

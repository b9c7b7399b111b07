// First stage: what the preprocessor meets in user files becomes RecordedSource.
#pragma once

#include <clang/Lex/Preprocessor.h>

#include "lib/extract/source_map.hpp"

namespace cudahot::extract {

// Hooks a recorder into the preprocessor before it starts. All arguments outlive the parse.
void record_into(clang::Preprocessor& preprocessor, SourceMap& sources, ParsedSource& source);

// Definitions of the host macros that user text uses, and of those that they use in turn.
// After the parse.
void collect_host_macros(clang::Preprocessor& preprocessor, SourceMap& sources, ParsedSource& source);

}  // namespace cudahot::extract

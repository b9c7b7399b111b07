// What the device compiler has of the declarations that are not the user's.
#pragma once

#include <string>

#include "lib/extract/ast_session.hpp"

namespace cudahot::extract {

// Empty: NVRTC knows it, reads it from a header that stays, or the device view declares it
// (which is noted in session.source). Else why it cannot be had.
std::string why_unavailable(AstSession& session, const clang::Decl* declaration);

// Whether a template is specialised here for a type of a host header: device code cannot name that type, and thus not
// tell whether the specialisation is there.
bool specialises_for_host_type(AstSession& session, const clang::Decl* declaration);

}  // namespace cudahot::extract

// Which declarations are those of CUDA's device runtime.
#pragma once

#include "lib/extract/ast_session.hpp"

namespace cudahot::extract {

// What a use of `declaration` in device code asks of the device runtime.
DeviceRuntime device_runtime_of(AstSession& session, const clang::Decl* declaration);

}  // namespace cudahot::extract

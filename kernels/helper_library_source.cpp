#include "kernels/helper_library_source.hpp"

namespace cudahot::kernels {
namespace {

// Defines kHelperLibrary and kHeaders; written by embed_sources.cmake.
#include "embedded_sources.inc"

}  // namespace

const SourceFile& helper_library_source() { return kHelperLibrary; }

std::span<const SourceFile> headers() { return kHeaders; }

}  // namespace cudahot::kernels

// The manifest: a slice as a JSON document. Grammar in docs/manifest.md; version below.
#pragma once

#include <string>
#include <string_view>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::region {

inline constexpr int kManifestVersion = 4;

// Where a document has the slice's files and lookups: in itself, or in a FileList kept beside it.
enum class ManifestFiles { inside, beside };

// The document, text included, keys in a fixed order: equal slices give equal documents.
std::string to_manifest(const Slice& slice, ManifestFiles files = ManifestFiles::inside);

// `file_list`: what was kept beside the document; empty where it has them itself. Errors: damaged (not JSON, a field
// missing or of the wrong type, ranges outside the text, a version above kManifestVersion), naming the field.
Result<Slice> from_manifest(std::string_view document, std::string_view file_list = {});

}  // namespace cudahot::region

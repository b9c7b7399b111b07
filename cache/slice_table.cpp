#include "cache/slice_table.hpp"

#include <fmt/format.h>

#include "cache/compression.hpp"
#include "cache/seal.hpp"
#include "lib/region/file_list.hpp"
#include "lib/region/manifest.hpp"

namespace cudahot::cache {
namespace {

constexpr std::string_view kReplaceSlice =
    "INSERT INTO slice (source, toolkit_version, nvrtc, nvjitlink, helper_library, seal, manifest, files) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (source) DO UPDATE SET toolkit_version = excluded.toolkit_version, nvrtc = excluded.nvrtc, "
    "nvjitlink = excluded.nvjitlink, helper_library = excluded.helper_library, seal = excluded.seal, "
    "manifest = excluded.manifest, files = excluded.files";
constexpr std::string_view kSelectSlices =
    "SELECT source, toolkit_version, nvrtc, nvjitlink, helper_library, seal, manifest, files, id FROM slice "
    "ORDER BY id";
constexpr std::string_view kSelectRow =
    "SELECT source, toolkit_version, nvrtc, nvjitlink, helper_library, seal, manifest, files, id FROM slice "
    "WHERE id = ?";
constexpr std::string_view kSelectSource =
    "SELECT source, toolkit_version, nvrtc, nvjitlink, helper_library, seal, manifest, files, id FROM slice "
    "WHERE source = ?";
constexpr std::string_view kDeleteRow = "DELETE FROM slice WHERE id = ?";

// Positions in kSelectSlices and kSelectRow.
enum Column : int { kSource, kToolkitVersion, kNvrtc, kNvjitlink, kHelperLibrary, kSeal, kManifest, kFiles, kId };

// `manifest` and `files` are compressed.
base::Digest seal(std::string_view source, const base::ToolkitIdentity& toolkit, std::string_view helper_library,
                  std::string_view manifest, std::string_view files) {
  Seal seal;
  seal.add(source).add(toolkit.version).add(toolkit.nvrtc).add(toolkit.nvjitlink).add(helper_library).add(manifest);
  if (!files.empty()) seal.add(files);  // schema 1 had none
  return seal.finish();
}

Result<Store::StoredSlice> read_slice(const Statement& row) {
  Store::StoredSlice stored;
  stored.toolkit = {std::string(row.text(kToolkitVersion)), std::string(row.text(kNvrtc)),
                    std::string(row.text(kNvjitlink))};
  const auto helper_library = digest_from_bytes(row.blob(kHelperLibrary));
  const auto stored_seal = digest_from_bytes(row.blob(kSeal));
  const auto seal_now =
      seal(row.text(kSource), stored.toolkit, row.blob(kHelperLibrary), row.blob(kManifest), row.blob(kFiles));
  if (!helper_library || !stored_seal || *stored_seal != seal_now) {
    return fail(ErrorCode::damaged, "its content does not match its digest");
  }
  stored.helper_library = *helper_library;
  const auto document = decompress(row.blob(kManifest));
  if (!document) return fail(document.error());
  Result<std::string> files;
  if (!row.blob(kFiles).empty()) files = decompress(row.blob(kFiles));
  if (!files) return fail(files.error());
  auto slice = region::from_manifest(*document, *files);
  if (!slice) return fail(slice.error());
  stored.slice = std::move(*slice);
  return stored;
}

// Of a statement that is bound.
Result<std::optional<Store::StoredSlice>> read_one(Statement& select) {
  const auto row = select.step();
  if (!row) return fail(row.error());
  if (!*row) return std::nullopt;
  auto slice = read_slice(select);
  if (!slice) return fail(slice.error());
  return std::move(*slice);
}

}  // namespace

Status SliceTable::put(const Store::StoredSlice& slice) {
  if (slice.slice.files.empty()) return fail(ErrorCode::usage, "a slice without a main file cannot be stored");
  const std::string& source = slice.slice.files.front().path;
  const std::string helper_library = to_bytes(slice.helper_library);
  const auto manifest = compress(region::to_manifest(slice.slice, region::ManifestFiles::beside));
  if (!manifest) return fail(manifest.error());
  const auto files = compress(region::to_file_list(slice.slice));
  if (!files) return fail(files.error());
  const std::string seal_bytes = to_bytes(seal(source, slice.toolkit, helper_library, *manifest, *files));
  auto replace = statements_->use(kReplaceSlice);
  if (!replace) return fail(replace.error());
  return (*replace)
      ->bind_text(1, source)
      .bind_text(2, slice.toolkit.version)
      .bind_text(3, slice.toolkit.nvrtc)
      .bind_text(4, slice.toolkit.nvjitlink)
      .bind_blob(5, helper_library)
      .bind_blob(6, seal_bytes)
      .bind_blob(7, *manifest)
      .bind_blob(8, *files)
      .run();
}

Result<SliceTable::Content> SliceTable::read_all() {
  auto select = statements_->use(kSelectSlices);
  if (!select) return fail(select.error());
  Content content;
  for (;;) {
    const auto row = (*select)->step();
    if (!row) return fail(row.error());
    if (!*row) return content;
    auto slice = read_slice(**select);
    if (slice) {
      content.slices.push_back(std::move(*slice));
    } else {
      content.problems.push_back({fmt::format("slice {}", (*select)->text(kSource)), slice.error().message});
      content.damaged_rows.push_back((*select)->integer(kId));
    }
  }
}

Result<std::optional<Store::StoredSlice>> SliceTable::slice_in_row(std::int64_t id) {
  auto select = statements_->use(kSelectRow);
  if (!select) return fail(select.error());
  return read_one((*select)->bind(1, id));
}

Result<std::optional<Store::StoredSlice>> SliceTable::slice_of(std::string_view source) {
  auto select = statements_->use(kSelectSource);
  if (!select) return fail(select.error());
  return read_one((*select)->bind_text(1, source));
}

Status SliceTable::remove_row(std::int64_t id) {
  auto remove = statements_->use(kDeleteRow);
  if (!remove) return fail(remove.error());
  return (*remove)->bind(1, id).run();
}

}  // namespace cudahot::cache

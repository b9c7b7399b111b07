// The start section: what stands behind the database in a bundle's file, so that a program starts without a look into
// the database: of each slice what a start needs, and the code. Grammar: docs/cache-format.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/artifact_table.hpp"
#include "cache/bundle_file.hpp"
#include "cache/slice_table.hpp"
#include "cache/store.hpp"
#include "cudahot/result.hpp"

namespace cudahot::cache {

// Collects the content of a section.
class StartSectionWriter {
 public:
  // Every slice with the code that is there for it. Errors: busy, environment, damaged (the database itself).
  static Result<StartSectionWriter> of(SliceTable& slices, ArtifactTable& artifacts);

  // Of a slice whose code follows.
  void add(const Store::StoredSlice& slice);
  void add(const base::Digest& key, const Artifact& artifact);

  // What the database's header has to say for the section to belong to it: FileHeader::identity.
  std::uint32_t identity() const;
  // Appends it to the file of the database, which is closed. Errors: environment.
  Status append_to(const std::filesystem::path& file) const;

 private:
  std::string index() const;
  std::string records_;
  std::string slices_;
};

// Thread safe.
class StartSection {
 public:
  // nullopt: the file has none. Errors: environment, damaged (also: it is that of another database).
  static Result<std::optional<StartSection>> read(std::shared_ptr<const BundleFile> file);

  // In order of insertion. Their code has keys of this program's version of the preimage only. Errors: damaged.
  Result<std::vector<Store::ShippedSlice>> slices() const;

  // Without what is there for people. Errors: environment, damaged.
  Result<Artifact> artifact(const Store::ShippedCode& code) const;

  // Whether all of it can be read. Errors: as above.
  Status verify() const;

 private:
  StartSection(std::shared_ptr<const BundleFile> file, std::uint64_t begin, std::string index)
      : file_(std::move(file)), begin_(begin), index_(std::move(index)) {}

  std::shared_ptr<const BundleFile> file_;
  std::uint64_t begin_;  // of its records
  std::string index_;
};

}  // namespace cudahot::cache

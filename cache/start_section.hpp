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

#include "cache/store.hpp"
#include "cudahot/result.hpp"

namespace cudahot::cache {

// Collects the content of a section.
class StartSectionWriter {
 public:
  // Of a slice whose code follows.
  void add(const Store::StoredSlice& slice);
  void add(const base::Digest& key, const Artifact& artifact);

  // Appends it to the file, which is closed. Errors: environment.
  Status append_to(const std::filesystem::path& file) const;

 private:
  std::string records_;
  std::string index_;
};

// Read by offset, with a descriptor that is kept: what is done to the file meanwhile does not matter, but for writing
// to it, which is noticed. Thread safe.
class StartSection {
 public:
  // nullopt: the file has none. Errors: not_found, environment, damaged.
  static Result<std::optional<StartSection>> open(const std::filesystem::path& file);
  ~StartSection();
  StartSection(StartSection&& other) noexcept;
  StartSection& operator=(StartSection&& other) noexcept;

  // In order of insertion. Their code has keys of this program's version of the preimage only. Errors: damaged.
  Result<std::vector<Store::ShippedSlice>> slices() const;

  // Without what is there for people. Errors: environment, damaged.
  Result<Artifact> artifact(const Store::ShippedCode& code) const;

  // Whether every record can be read. Errors: as above.
  Status verify() const;

 private:
  StartSection(std::filesystem::path file, int descriptor) : file_(std::move(file)), descriptor_(descriptor) {}
  Result<std::string> read(std::uint64_t offset, std::uint64_t size) const;

  std::filesystem::path file_;
  int descriptor_;
  std::uint64_t begin_ = 0;  // of its records
  std::string index_;
};

}  // namespace cudahot::cache

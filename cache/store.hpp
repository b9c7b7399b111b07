// Store: one SQLite database of artifacts and slices: a bundle or the user cache.
// Tables and grammar: docs/cache-format.md; version in cache/schema.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/preimage.hpp"
#include "cudahot/result.hpp"
#include "lib/base/kernel_facts.hpp"
#include "lib/region/slice.hpp"
#include "lib/region/sm_arch.hpp"
#include "lib/region/tier.hpp"

namespace cudahot::cache {

enum class ArtifactKind { cubin, library_cubin, library_ltoir };

// What is stored under a key.
struct Artifact {
  ArtifactKind kind = ArtifactKind::cubin;
  region::SmArch arch;
  region::Tier tier = region::Tier::full;
  std::string name;                        // for people: kernel names joined by ", ", or "helper library"
  std::string regions;                     // for people: region names joined by ", "
  std::string source;                      // for people: path of the main file
  std::vector<base::KernelFacts> kernels;  // from the CUBIN
  std::vector<std::pair<std::string, std::string>> lowered_names;  // kernel's qualified name -> symbol
  std::string toolkit_version;                                     // "13.0.88"
  std::string blob;                                                // CUBIN or LTO-IR
};

struct EntrySummary {
  base::Digest key;
  ArtifactKind kind = ArtifactKind::cubin;
  region::SmArch arch;
  region::Tier tier = region::Tier::full;
  std::string name;
  std::string regions;
  std::string source;
  std::string toolkit_version;
  std::uint64_t blob_bytes = 0;
  std::uint32_t registers = 0;            // largest over its kernels
  std::uint32_t static_shared_bytes = 0;  // largest over its kernels
  std::int64_t created_unix = 0;          // seconds
  std::int64_t last_used_unix = 0;        // 0: never
  std::uint64_t hits = 0;
};

class Store {
 public:
  enum class Mode {
    read_only,  // opened immutable: a bundle
    read_write  // created, with its folder, on first insert if it does not exist; WAL
  };

  // Opening a read_write store that does not exist succeeds and writes nothing.
  // Errors: not_found (read_only, no such file), environment (permission, not a database, newer
  // schema, another program's database), damaged.
  static Result<Store> open(const std::filesystem::path& file, Mode mode);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  // nullopt: a miss; also when the preimage differs (collision) or the blob does not match its
  // digest (the row is then deleted where the store is writable). Counts a hit (written lazily,
  // read_write only). Errors: busy, environment, damaged (the database itself).
  Result<std::optional<Artifact>> find(const CacheKey& key);

  // Replaces an entry of the same key. One transaction. Errors: busy, environment, damaged.
  Status insert(const CacheKey& key, const Artifact& artifact);

  Result<std::vector<EntrySummary>> list();

  // Slices, by main file path: put replaces the slice of the same path. `toolkit` is what the
  // slice's CUBINs here were compiled with.
  struct StoredSlice {
    region::Slice slice;
    base::ToolkitIdentity toolkit;
    base::Digest helper_library;
  };
  Status put_slice(const StoredSlice& slice);
  Result<std::vector<StoredSlice>> slices();

  const std::filesystem::path& file() const;

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cudahot::cache

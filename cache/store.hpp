// Store: one SQLite database of artifacts and slices: a bundle or the user cache.
// Tables and grammar: docs/cache-format.md; version in cache/schema.hpp. Thread safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/bundle_file.hpp"
#include "cache/healing_mark.hpp"
#include "cache/mount.hpp"
#include "cache/patience.hpp"
#include "cache/preimage.hpp"
#include "cudahot/log.hpp"
#include "cudahot/result.hpp"
#include "lib/base/kernel_facts.hpp"
#include "lib/region/slice.hpp"
#include "lib/region/sm_arch.hpp"
#include "lib/region/tier.hpp"

namespace cudahot::cache {

enum class ArtifactKind { cubin, library_cubin, library_ltoir };
std::string_view to_string(ArtifactKind kind);  // "cubin", "library cubin", "library ltoir"
std::optional<ArtifactKind> parse_artifact_kind(std::string_view text);

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

  friend bool operator==(const Artifact&, const Artifact&) = default;
};

// One file that an artifact was made from.
struct SourceFile {
  std::string name;  // as the compiler was told it
  std::string path;  // where it was
  std::string role;  // of region::FileRecord, as manifests write it
  base::Digest content;

  friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

// Where an artifact came from: for people and for cleaning up, no part of a hit.
struct Provenance {
  std::int64_t build_us = 0;  // what compiling and linking took; 0: not known
  std::vector<SourceFile> files;

  friend bool operator==(const Provenance&, const Provenance&) = default;
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
  std::uint64_t stored_bytes = 0;         // what the entry takes in the file, without the tables' own overhead
  std::int64_t build_us = 0;              // microseconds; 0: not known
  std::uint32_t registers = 0;            // largest over its kernels
  std::uint32_t static_shared_bytes = 0;  // largest over its kernels
  std::int64_t created_unix = 0;          // seconds
  std::int64_t last_used_unix = 0;        // 0: never
  std::uint64_t hits = 0;
};

// Why a lookup of a source's kernels missed, most telling first: the first of them that applies is the reason.
enum class MissReason {
  first,         // nothing of this source was there
  architecture,  // only other architectures
  tier,          // only the other tier
  text,          // the device view, with its user headers
  options,
  toolkit,
  headers,  // device headers or the device runtime of the toolkit
  helpers,  // the helper library
  kernels,  // names of kernels
  version,  // preimages of another version
  damaged   // it was there and damaged
};
std::string_view to_string(MissReason reason);

// The last lookup that missed, for one source, architecture and tier.
struct Miss {
  std::string source;
  region::SmArch arch;
  region::Tier tier = region::Tier::full;
  CacheKey key;
  MissReason reason = MissReason::first;
  std::int64_t missed_unix = 0;  // seconds
};

// Sums over the life of a user cache; entries that are gone are counted on.
struct Totals {
  std::uint64_t hits = 0;
  std::uint64_t saved_us = 0;                                // build_us of each hit
  std::vector<std::pair<MissReason, std::uint64_t>> misses;  // those that occurred, in the order of the enumeration
};

class Store {
 public:
  enum class Mode {
    read_only,   // opened immutable: a bundle
    read_write,  // created, with its folder, on first insert if it does not exist; WAL
    inspect,     // a bundle or a live cache, for display: no entry is changed, nothing is left beside it
    // A new single-file database, one transaction long: it has content after finish(), and is
    // removed by the destructor without it. Give it a temporary name and rename it when finished.
    create_bundle
  };

  struct Settings {
    std::chrono::milliseconds wait = kLongWait;  // of what only reads, for other processes; writes take kLongWait
    MountProbe network_mount = cache::network_mount;
    std::shared_ptr<const BundleFile> bundle{};  // read_only: its content is read, whatever has its name by then
  };

  // Opening a read_write store that does not exist succeeds and writes nothing. A read_write
  // store that is write protected can be read. One that is damaged as a whole is as good as an empty one, until a write
  // starts it anew. On a network mount it works without a write-ahead log. `log` is told of each damaged row, of what
  // was started anew, and of a network mount, as warnings.
  // Errors: not_found (read_only, inspect: no such file), environment (permission, not a database,
  // newer schema, another program's database), damaged, usage (create_bundle: the file exists).
  static Result<Store> open(const std::filesystem::path& file, Mode mode, LogCallback log, const Settings& settings);
  static Result<Store> open(const std::filesystem::path& file, Mode mode, LogCallback log = {});
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  struct Entry {
    EntrySummary summary;
    Artifact artifact;
    std::vector<Field> preimage;
    Provenance provenance;
  };

  // nullopt: a miss; also when the preimage differs (collision) or the row does not match its
  // seal (it is then deleted where the store is writable). Counts a hit (written lazily,
  // read_write only). Errors: busy, environment, damaged (the database itself).
  Result<std::optional<Artifact>> find(const CacheKey& key);

  // Replaces an entry of the same key. One transaction. Errors: busy, environment, damaged, usage
  // (a store opened for reading).
  Status insert(const CacheKey& key, const Artifact& artifact, const Provenance& provenance = {});

  // Removes those that are there, in one transaction; gives how many. Errors: as insert.
  Result<std::size_t> remove(const std::vector<base::Digest>& keys);

  // Set when what find() met means that a user cache is damaged as a whole. report_damage() tells so to another store
  // of the same file, which starts it anew with its next write.
  std::optional<HealingMark> damage();
  void report_damage(const HealingMark& damage);

  // Whether find() met the entry damaged since this was last asked about it.
  bool was_damaged(const base::Digest& key);

  // Counts a lookup that missed, and keeps it as the last one of its source, architecture and tier. The reason, unless
  // it is known, and the time are found out here. Nothing for an artifact without a source. One transaction. Errors: as
  // insert.
  Status note_miss(const CacheKey& key, const Artifact& missed, std::optional<MissReason> reason = std::nullopt);
  // Both, in one transaction.
  Status insert_missed(const CacheKey& key, const Artifact& artifact, const Provenance& provenance,
                       std::optional<MissReason> reason = std::nullopt);

  // Of the main file at `source`, newest first. Errors: busy, environment, damaged.
  Result<std::vector<Miss>> misses(std::string_view source);
  Result<std::vector<std::string>> missed_sources();  // of which there are misses
  Result<Totals> totals();

  struct Size {
    std::uint64_t file_bytes = 0;  // with what belongs to it: the write-ahead log
    std::uint64_t free_bytes = 0;  // inside, to be used again or given back
  };
  Result<Size> size();

  // Gives free pages back to the file system, at most `most_bytes`; the rest is left for the next call. The file is
  // shorter when it returns, as far as nobody reads an older state of it. Errors: as insert.
  Status shrink(std::uint64_t most_bytes);

  // Copies an entry as it is, with its use, unless one of its key is there. Gives whether it was copied. Errors: as
  // insert.
  Result<bool> copy(const Entry& entry);

  // In order of insertion. Rows that cannot be read are left out: verify() names them.
  enum class Details { all, brief };  // brief leaves source, toolkit, stored bytes, build time and last use empty
  Result<std::vector<EntrySummary>> list(Details details = Details::all);

  // Slices, by main file path: put replaces the slice of the same path. `toolkit` is what the
  // slice's CUBINs here were compiled with.
  struct StoredSlice {
    region::Slice slice;
    base::ToolkitIdentity toolkit;
    base::Digest helper_library;
  };
  Status put_slice(const StoredSlice& slice);
  Result<std::vector<StoredSlice>> slices();  // damaged ones are left out and logged

  // The slice of this main file. Errors: busy, environment, damaged (also this row alone), not_found.
  Result<StoredSlice> stored_slice(std::string_view source);

  // What of a bundle's slice a start needs: its kernels run as they were built without a look at its text.
  struct ShippedCode {
    region::SmArch arch;
    region::Tier tier = region::Tier::full;
    base::Digest key;            // what cubin_key() gives for the slice, its toolkit and its helper library
    std::uint64_t position = 0;  // of its record in the start section
    std::uint64_t size = 0;      // bytes
    base::Digest content;        // of the record
  };
  struct ShippedSlice {
    region::SliceHead head;
    base::ToolkitIdentity toolkit;
    base::Digest helper_library;
    std::vector<ShippedCode> code;  // none of a bundle of an older version
    std::size_t bundle = 0;         // set by Layers: which of its bundles it came from
  };

  // create_bundle only: makes the content final, closes the file and appends what a start needs. Errors: environment,
  // usage.
  Status finish();

  // All of one entry, for display. Counts no hit. Errors: also damaged, when this row is.
  Result<std::optional<Entry>> entry(const base::Digest& key);

  // Keys whose hexadecimal form begins with `prefix` (lower case), in order.
  Result<std::vector<base::Digest>> keys_with_prefix(std::string_view prefix);

  // Everything that is wrong with the file, its entries and its slices; changes nothing.
  struct Problem {
    std::string subject;  // a key, "slice PATH", or "database"
    std::string text;
  };
  Result<std::vector<Problem>> verify();

  // What is wrong with the file itself, rows aside. Errors: busy, environment, damaged.
  Result<std::vector<std::string>> integrity_problems();

  // Removes the damaged entries and slices and what belongs to no entry, and tells what. What is wrong with the file
  // itself stays: salvage() saves what can be read of it. Errors: as insert.
  Result<std::vector<Problem>> remove_damaged();

  // Whether the file was made in one piece by a build, and is not to be written to. Errors: busy, environment, damaged.
  Result<bool> is_bundle();

  const std::filesystem::path& file() const;

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cudahot::cache

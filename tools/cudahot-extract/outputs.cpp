#include "tools/cudahot-extract/outputs.hpp"

#include <cerrno>
#include <cstring>
#include <set>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cache/store.hpp"
#include "lib/base/temporary_names.hpp"
#include "lib/build/helper_library.hpp"
#include "lib/region/manifest.hpp"
#include "tools/cudahot-extract/deferred_signals.hpp"
#include "tools/cudahot-extract/depfile.hpp"
#include "tools/cudahot-extract/requests.hpp"
#include "tools/cudahot-extract/staged_files.hpp"

namespace cudahot::extract_tool {
namespace {

namespace fs = std::filesystem;
using cache::Store;

struct Entry {
  cache::CacheKey key;
  std::shared_ptr<const cache::Artifact> artifact;
};

// Everything that goes into a database.
struct Content {
  std::vector<Store::StoredSlice> slices;
  std::vector<Entry> entries;
};

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

// Whether a file can be made where `file` is to be; makes one for a moment.
Status check_writable(const fs::path& file, std::string_view option) {
  std::error_code ignored;
  if (!fs::exists(folder_of(file), ignored)) {
    return fail(ErrorCode::environment, fmt::format("cannot write '{}' ({}): there is no folder '{}'; make it first",
                                                    file.string(), option, folder_of(file).string()));
  }
  const fs::path probe = base::temporary_name(file);
  const int fd = ::open(probe.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0) {
    return fail(ErrorCode::environment,
                fmt::format("cannot write '{}' ({}): {}", file.string(), option, std::strerror(errno)));
  }
  ::close(fd);
  ::unlink(probe.c_str());
  if (fs::is_directory(file, ignored)) {
    return fail(ErrorCode::environment, fmt::format("cannot write '{}' ({}): it is a folder", file.string(), option));
  }
  return {};
}

// Whether the cache that is there, if one is, can be written to. A damaged one is started anew.
Status check_cache(const fs::path& file) {
  auto store = Store::open(file, Store::Mode::inspect);
  if (!store) {
    const bool fine = store.error().code == ErrorCode::not_found || store.error().code == ErrorCode::damaged ||
                      store.error().code == ErrorCode::busy;
    return fine ? Status() : fail(std::move(store.error()));
  }
  if (const auto bundle = store->is_bundle(); !bundle || !*bundle) return {};
  return fail(
      ErrorCode::usage,
      fmt::format("'{}' (--cache) is a bundle, which is not changed: name another file, or make the bundle anew "
                  "with --bundle",
                  file.string()));
}

// The architecture whose compiler stands with the slice: the CPU device only where it is all there is.
region::SmArch recorded_architecture(const FileOutcome& file) {
  for (const CubinOutcome& cubin : file.cubins) {
    if (!region::is_cpu(cubin.arch)) return cubin.arch;
  }
  return file.cubins.empty() ? region::SmArch{} : file.cubins.front().arch;
}

Result<Content> gather(const Outcome& outcome, build::Builder& builder) {
  const base::Digest library = build::helper_library_digest();
  Content content;
  std::set<region::SmArch> architectures;
  for (const FileOutcome& file : outcome.files) {
    if (!file.report.slice) continue;
    const auto recorded = builder.toolchain().identity(recorded_architecture(file));
    if (!recorded) return fail(recorded.error());
    content.slices.push_back({*file.report.slice, *recorded, library});
    for (const CubinOutcome& cubin : file.cubins) {
      const auto identity = builder.toolchain().identity(cubin.arch);
      if (!identity) return fail(identity.error());
      architectures.insert(cubin.arch);
      auto key = cache::cubin_key(*file.report.slice, cubin.arch, cubin.tier, *identity, library);
      if (!cubin.built->keyed || key.digest != cubin.built->key) {
        return fail(ErrorCode::environment,
                    fmt::format("the CUDA toolkit was changed while '{}' was compiled: nothing was written; run this "
                                "again",
                                file.file.string()));
      }
      content.entries.push_back({std::move(key), cubin.built->artifact});
    }
  }
  for (const auto& arch : architectures) {
    if (region::is_cpu(arch)) continue;  // linked in
    for (const auto form : {build::HelperForm::cubin, build::HelperForm::ltoir}) {
      auto entry = build::helper_library(form, arch, builder.toolchain(), builder.layers());
      if (!entry) return fail(std::move(entry.error()));
      content.entries.push_back({std::move(entry->key), std::move(entry->artifact)});
    }
  }
  return content;
}

Status fill(Store& store, const Content& content) {
  for (const auto& slice : content.slices) {
    if (auto put = store.put_slice(slice); !put) return put;
  }
  for (const Entry& entry : content.entries) {
    if (auto inserted = store.insert(entry.key, *entry.artifact); !inserted) return inserted;
  }
  return {};
}

Status stage_bundle(const fs::path& file, const Content& content, StagedFiles& staged) {
  const auto temporary = staged.reserve(file);
  if (!temporary) return fail(temporary.error());
  auto store = Store::open(*temporary, Store::Mode::create_bundle);
  if (!store) return fail(std::move(store.error()));
  if (auto filled = fill(*store, content); !filled) return filled;
  return store->finish();
}

// The layers have inserted what was compiled, without a word where that failed; here it counts.
Status write_cache(const fs::path& file, const Content& content) {
  auto store = Store::open(file, Store::Mode::read_write);
  if (!store) return fail(std::move(store.error()));
  for (const Entry& entry : content.entries) {
    const auto present = store->find(entry.key);
    if (!present) return fail(present.error());
    if (*present) continue;
    if (auto inserted = store->insert(entry.key, *entry.artifact); !inserted) return inserted;
  }
  return {};
}

fs::path slice_file(const fs::path& folder, const FileOutcome& file, const char* ending) {
  return folder / (file.file.stem().string() + ending);
}

Status stage_slices(const fs::path& folder, const Outcome& outcome, StagedFiles& staged) {
  for (const FileOutcome& file : outcome.files) {
    if (!file.report.slice && !outcome.allows_no_region) continue;
    if (!file.report.slice) {
      if (auto none = staged.add(slice_file(folder, file, ".slice.json"), no_slice_document(file.file)); !none) {
        return none;
      }
      continue;
    }
    const region::Slice& slice = *file.report.slice;
    if (auto text = staged.add(slice_file(folder, file, ".slice.cu"), slice.text); !text) return text;
    if (auto manifest = staged.add(slice_file(folder, file, ".slice.json"), region::to_manifest(slice)); !manifest) {
      return manifest;
    }
  }
  return {};
}

Status stage_depfile(const Options& options, const Outcome& outcome, StagedFiles& staged) {
  std::vector<std::string> dependencies;
  for (const FileOutcome& file : outcome.files) {
    dependencies.insert(dependencies.end(), file.report.dependencies.begin(), file.report.dependencies.end());
  }
  fs::path target = *options.depfile;
  if (options.bundle) target = *options.bundle;
  else if (options.cache) target = *options.cache;
  else if (options.slice_folder) target = slice_file(*options.slice_folder, outcome.files.front(), ".slice.json");
  return staged.add(*options.depfile, depfile_text(target.string(), dependencies));
}

}  // namespace

bool is_old_bundle(const fs::path& file) { return Store::open(file, Store::Mode::read_only).has_value(); }

Status check_outputs(const Options& options) {
  const DeferredSignals deferred;  // no probe file is left
  std::error_code error;
  if (options.bundle) {
    if (auto writable = check_writable(*options.bundle, "--bundle"); !writable) return writable;
    if (fs::exists(*options.bundle, error) && !fs::is_regular_file(*options.bundle, error)) {
      return fail(ErrorCode::environment,
                  fmt::format("cannot write '{}' (--bundle): it is no regular file", options.bundle->string()));
    }
    const auto size = fs::file_size(*options.bundle, error);
    if (!error && size > 0) {
      const auto store = Store::open(*options.bundle, Store::Mode::read_only);
      if (!store && store.error().code != ErrorCode::damaged) {
        return fail(ErrorCode::environment, fmt::format("'{}' (--bundle) is not replaced: {}", options.bundle->string(),
                                                        store.error().message));
      }
    }
  }
  if (options.cache) {
    fs::create_directories(folder_of(*options.cache), error);
    if (auto writable = check_writable(*options.cache, "--cache"); !writable) return writable;
    if (auto usable = check_cache(*options.cache); !usable) return usable;
  }
  if (options.slice_folder) {
    fs::create_directories(*options.slice_folder, error);
    if (!fs::is_directory(*options.slice_folder, error)) {
      return fail(ErrorCode::environment,
                  fmt::format("cannot write to '{}' (--emit-slice): it is not a folder, and none could be made there",
                              options.slice_folder->string()));
    }
    if (auto writable = check_writable(*options.slice_folder / "probe", "--emit-slice"); !writable) return writable;
  }
  if (options.sarif) {
    if (auto writable = check_writable(*options.sarif, "--sarif"); !writable) return writable;
  }
  if (options.depfile) return check_writable(*options.depfile, "--depfile");
  return {};
}

Status write_outputs(const Options& options, const Outcome& outcome, build::Builder* builder) {
  Content content;
  if (builder != nullptr && (options.bundle || options.cache)) {
    builder->layers().flush();  // so that what is missing in the cache is what could not be written
    auto gathered = gather(outcome, *builder);
    if (!gathered) return fail(std::move(gathered.error()));
    content = std::move(*gathered);
  }
  const DeferredSignals deferred;
  StagedFiles staged;
  if (options.slice_folder) {
    if (auto added = stage_slices(*options.slice_folder, outcome, staged); !added) return added;
  }
  if (options.bundle) {
    if (auto added = stage_bundle(*options.bundle, content, staged); !added) return added;
  }
  if (options.depfile) {
    if (auto added = stage_depfile(options, outcome, staged); !added) return added;
  }
  if (options.cache) {
    if (auto written = write_cache(*options.cache, content); !written) return written;
  }
  return staged.publish();
}

}  // namespace cudahot::extract_tool

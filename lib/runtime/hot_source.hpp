// HotSource: one source file with hot kernels: its slots, what runs, and what is on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cache/store.hpp"
#include "cudahot/cudahot.hpp"
#include "lib/runtime/generation.hpp"
#include "lib/runtime/slot.hpp"
#include "lib/runtime/source_view.hpp"

namespace cudahot::runtime {

// New code on its way to be loaded.
struct PreparedCode {
  base::Digest fingerprint;  // of the files that it was made from
  region::Slice slice;
  build::BuiltCubin built;
  std::vector<std::string> regions;
  ReloadTimings timings;
};

// So many slices are kept that an edit outside of regions can be undone without Clang.
inline constexpr std::size_t kRecentSlices = 8;

// Guarded by HotSource::reload_mutex, which is held while compiling. Filled when edits are first followed.
struct EditState {
  SourceView view;
  std::deque<region::Slice> recent;  // that an edit may be spliced into, newest first; empty: edits are not followed
  std::optional<base::Digest> attempted;  // fingerprint of the files last taken up
  std::optional<Error> failure;           // of that attempt
  std::optional<PreparedCode> prepared;   // could not be loaded yet
  std::set<std::string> lost;             // files that could not be read any more, which has been told
};

// Written under both mutexes, so that either is enough to read it. state_mutex is held for
// moments only. `slots` is guarded by state_mutex alone.
struct RunningState {
  std::shared_ptr<const region::Slice> slice;                  // nullptr: edits are not followed
  std::unique_ptr<Generation> generation;                      // nullptr until the first bind
  std::map<std::string, std::shared_ptr<detail::Slot>> slots;  // by kernel
};

struct HotSource {
  explicit HotSource(cache::Store::ShippedSlice from_bundle) : shipped(std::move(from_bundle)) {}

  const std::string& path() const { return shipped.head.source; }
  // Those of `running`; under either mutex.
  const std::vector<region::Kernel>& running_kernels() const {
    return running.slice ? running.slice->kernels : shipped.head.kernels;
  }
  std::string bound_kernels() const {
    std::string names;
    for (const auto& [name, slot] : running.slots) names += (names.empty() ? "" : ", ") + name;
    return names;
  }

  const cache::Store::ShippedSlice shipped;
  region::SmArch arch;  // that its code is built for; set before the first generation

  std::mutex reload_mutex;  // taken before state_mutex
  EditState edit;
  std::mutex state_mutex;
  RunningState running;
};

}  // namespace cudahot::runtime

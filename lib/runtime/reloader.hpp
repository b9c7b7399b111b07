// Reloader: takes up the text of a source file: splice or extract, build, check, load, publish.
// Whatever fails, the generation that runs goes on running.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "cudahot/cudahot.hpp"
#include "lib/region/tier.hpp"
#include "lib/runtime/hot_source.hpp"
#include "lib/runtime/reporter.hpp"
#include "lib/runtime/suppliers.hpp"
#include "lib/runtime/swapper.hpp"

namespace cudahot::runtime {

using Clock = std::chrono::steady_clock;

// What the world outside a reload says to it.
struct ReloadRequest {
  Clock::time_point seen;            // when the change was noticed
  Clock::time_point stable;          // when its text had been read
  std::function<bool()> superseded;  // newer text is known: this one need not go live
  std::function<void()> watch;       // called when source.edit.view has gained files; may be empty
};

enum class ReloadOutcome {
  nothing,  // the files are what runs, or what already failed
  live,
  restored,
  failed,
  superseded,  // to be called again with the newer text
  deferred     // built, but loading has to wait: to be called again soon
};

struct ReloadResult {
  ReloadOutcome outcome = ReloadOutcome::nothing;
  Status status;  // of the text as it is: also outcome `nothing` may carry the failure from before
};

// The event of a context that died, over all sources that were launched from.
ReloadEvent death_event(const Context& context, const std::vector<HotSource*>& sources);

// Thread safe for different sources; callers hold source.reload_mutex.
class Reloader {
 public:
  Reloader(const Suppliers& suppliers, Swapper& swapper, Reporter& reporter, region::Tier tier);

  // Generation 0, from the slice as it is in the bundle. Errors: as build, driver, follow().
  Status start(HotSource& source);

  // Reads the slice, so that edits can be taken up. Does nothing the second time. Errors: as Suppliers::slice.
  Status follow(HotSource& source);

  // The files of source.edit.view.
  ReloadResult take_up(HotSource& source, const ReloadRequest& request);

  // A file of source.edit.view cannot be read any more: one event until it is back. Gives the reason.
  Status lose(HotSource& source, const FileChange& change);
  // It is back, with the content that it had.
  void find_again(HotSource& source);

 private:
  struct NewSlice {
    region::Slice slice;
    std::vector<std::string> regions;
    bool is_running = false;
    bool extracted = false;  // by Clang just now
  };

  Result<NewSlice> make_slice(HotSource& source, const ReloadRequest& request, ReloadTimings& timings);
  Result<NewSlice> extract(HotSource& source, const ReloadRequest& request, ReloadTimings& timings);
  Result<PreparedCode> prepare(HotSource& source, NewSlice made, ReloadTimings timings);
  ReloadResult swap(HotSource& source, PreparedCode code, const ReloadRequest& request);
  Status check(HotSource& source, const PreparedCode& code);
  void report(HotSource& source, ReloadEvent::Kind kind, Error error);
  ReloadResult settle(HotSource& source, region::Slice slice);
  ReloadResult refuse(HotSource& source, Error error, std::vector<std::string> regions, ReloadTimings timings,
                      Clock::time_point seen);

  const Suppliers& suppliers_;
  Swapper& swapper_;
  Reporter& reporter_;
  const region::Tier tier_;
};

}  // namespace cudahot::runtime

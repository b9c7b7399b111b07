// Builder: find or compile. The one way from a slice to a CUBIN.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/layers.hpp"
#include "cudahot/log.hpp"
#include "cudahot/result.hpp"
#include "lib/base/toolkit_identity.hpp"
#include "lib/build/compile.hpp"
#include "lib/build/toolchain.hpp"

namespace cudahot::build {

struct BuildTimings {  // milliseconds; 0 where the stage did not run
  double key = 0;
  double find = 0;
  double compile = 0;
  double link = 0;
  double store = 0;
};

struct BuiltCubin {
  std::shared_ptr<const cache::Artifact> artifact;  // kind cubin
  base::Digest key;
  bool compiled = false;  // false: a hit
  bool keyed = true;      // false: not what the key says was read, so that it must not be stored
  cache::Layers::Origin origin = cache::Layers::Origin::memory;  // of a hit
  std::vector<Diagnostic> warnings;                              // of a compile
  BuildTimings timings;
};

// Thread safe: concurrent calls for one key compile once.
class Builder {
 public:
  Builder(std::shared_ptr<cache::Layers> layers, std::shared_ptr<Toolchain> toolchain);
  ~Builder();

  // `built_with`: the identity that a bundle recorded for this slice. Its key is tried first, so
  // that a shipped bundle hits where there is no toolkit or another one. Errors: as compile and
  // link. A toolkit is looked for only when that first key misses, and NVRTC and nvJitLink are
  // loaded only on a miss. For the CPU device there is one tier, the full one, and no toolkit is
  // looked for.
  Result<BuiltCubin> find_or_build(const region::Slice& slice, const region::SmArch& arch, region::Tier tier,
                                   const base::ToolkitIdentity* built_with = nullptr);

  // The CUBIN that a bundle has of one of its slices as it is, without a look at the slice's text.
  std::optional<BuiltCubin> find_shipped(const cache::Store::ShippedSlice& shipped, const region::SmArch& arch,
                                         region::Tier tier);

  cache::Layers& layers();
  Toolchain& toolchain();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cudahot::build

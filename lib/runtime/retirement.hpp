// Retirement: generations that no slot points to any more, until they can be unloaded.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "lib/runtime/generation.hpp"

namespace cudahot::runtime {

// How much may wait to be unloaded: unloading costs a drain of the context, so it is done in
// batches, together with a load, which drains anyway.
struct RetirementLimits {
  std::size_t generations = 8;
  std::size_t bytes = std::size_t{32} << 20;
};

class RetiredGenerations {
 public:
  explicit RetiredGenerations(RetirementLimits limits) : limits_(limits) {}

  // `generation` must be unpublished already.
  void add(std::unique_ptr<Generation> generation);

  // When a limit is reached: all that no thread is launching from and no graph holds. Their
  // launches are all enqueued by now, so they may be destroyed: unloading waits for them.
  std::vector<std::unique_ptr<Generation>> take_due();
  std::vector<std::unique_ptr<Generation>> take_all() { return std::move(generations_); }

  std::size_t size() const { return generations_.size(); }

 private:
  std::size_t bytes() const;
  RetirementLimits limits_;
  std::vector<std::unique_ptr<Generation>> generations_;
};

}  // namespace cudahot::runtime

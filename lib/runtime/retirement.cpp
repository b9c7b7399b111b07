#include "lib/runtime/retirement.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace cudahot::runtime {

void RetiredGenerations::add(std::unique_ptr<Generation> generation) { generations_.push_back(std::move(generation)); }

std::size_t RetiredGenerations::bytes() const {
  return std::accumulate(generations_.begin(), generations_.end(), std::size_t{0},
                         [](std::size_t sum, const auto& generation) { return sum + generation->facts().bytes; });
}

std::vector<std::unique_ptr<Generation>> RetiredGenerations::take_due() {
  std::vector<std::unique_ptr<Generation>> due;
  if (generations_.size() < limits_.generations && bytes() < limits_.bytes) return due;
  const auto first_free = std::partition(generations_.begin(), generations_.end(),
                                         [](const auto& generation) { return generation->pinned(); });
  due.assign(std::make_move_iterator(first_free), std::make_move_iterator(generations_.end()));
  generations_.erase(first_free, generations_.end());
  return due;
}

}  // namespace cudahot::runtime

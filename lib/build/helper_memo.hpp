// HelperMemo: the compiled helpers of the last slices, by what they were compiled from.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "lib/base/digest.hpp"

namespace cudahot::build {

// Thread safe.
class HelperMemo {
 public:
  // nullptr when it is not known, or no longer.
  std::shared_ptr<const std::string> find(const base::Digest& source);
  void insert(const base::Digest& source, std::string blob);

 private:
  static constexpr std::size_t kMostEntries = 16;

  std::mutex mutex_;
  std::deque<std::pair<base::Digest, std::shared_ptr<const std::string>>> entries_;  // oldest first
};

}  // namespace cudahot::build

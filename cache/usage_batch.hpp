// Hits that are counted in memory and written together now and then.
#pragma once

#include <chrono>
#include <cstdint>
#include <unordered_map>

#include "lib/base/digest.hpp"

namespace cudahot::cache {

class UsageBatch {
 public:
  using Clock = std::chrono::steady_clock;

  struct Usage {
    std::int64_t hits = 0;
    std::int64_t last_used_unix = 0;
  };

  void count(const base::Digest& key, std::int64_t now_unix) {
    Usage& usage = usages_[key];
    ++usage.hits;
    usage.last_used_unix = now_unix;
    ++hits_;
  }

  bool empty() const { return usages_.empty(); }
  // Whether enough has come together to be worth a transaction beside an insert.
  bool due(Clock::time_point now) const { return !empty() && (hits_ >= kHits || now - last_written_ >= kInterval); }
  const std::unordered_map<base::Digest, Usage>& usages() const { return usages_; }

  void clear(Clock::time_point now) {
    usages_.clear();
    hits_ = 0;
    last_written_ = now;
  }

 private:
  static constexpr std::int64_t kHits = 256;
  static constexpr std::chrono::seconds kInterval{10};

  std::unordered_map<base::Digest, Usage> usages_;
  std::int64_t hits_ = 0;
  Clock::time_point last_written_ = Clock::now();
};

}  // namespace cudahot::cache

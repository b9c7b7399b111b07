// A bounded number of threads over a list of jobs.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace cudahot::extract_tool {

// Calls work(0) ... work(count - 1), each once, on at most `threads` threads; returns when all are done.
template <typename Work>
void for_each_index(std::size_t count, unsigned threads, Work&& work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> helpers;
  const std::size_t wanted = std::min<std::size_t>(count, threads);
  for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(run);
  run();
}

}  // namespace cudahot::extract_tool

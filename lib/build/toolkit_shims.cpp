#include "lib/build/toolkit_shims.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "lib/base/files.hpp"

namespace cudahot::build {
namespace {

constexpr std::array<std::string_view, 2> kWithOwnIntegers{"cuda_awbarrier_helpers.h", "cuda_pipeline_helpers.h"};

// CUDA 12.9 to 13.5 have one such block of lines in each of them.
bool declares_integer(std::string_view line) {
  const bool integer = line.ends_with(" uint32_t;") || line.ends_with(" uint64_t;") || line.ends_with(" uintptr_t;");
  return line.starts_with("typedef ") && integer;
}

// Line by line, so that messages keep their places.
std::string with_cstdint(std::string_view text) {
  std::string result;
  bool included = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (!declares_integer(line)) {
      result += line;
    } else if (!included) {
      result += "#include <cstdint>";
      included = true;
    }
    result += '\n';
  }
  return result;
}

constexpr std::array<std::string_view, 29> kCubForDevices{"block/block_adjacent_difference",
                                                          "block/block_discontinuity",
                                                          "block/block_exchange",
                                                          "block/block_histogram",
                                                          "block/block_load",
                                                          "block/block_merge_sort",
                                                          "block/block_radix_rank",
                                                          "block/block_radix_sort",
                                                          "block/block_reduce",
                                                          "block/block_run_length_decode",
                                                          "block/block_scan",
                                                          "block/block_shuffle",
                                                          "block/block_store",
                                                          "iterator/arg_index_input_iterator",
                                                          "iterator/cache_modified_input_iterator",
                                                          "iterator/cache_modified_output_iterator",
                                                          "thread/thread_load",
                                                          "thread/thread_operators",
                                                          "thread/thread_reduce",
                                                          "thread/thread_scan",
                                                          "thread/thread_search",
                                                          "thread/thread_sort",
                                                          "thread/thread_store",
                                                          "warp/warp_exchange",
                                                          "warp/warp_load",
                                                          "warp/warp_merge_sort",
                                                          "warp/warp_reduce",
                                                          "warp/warp_scan",
                                                          "warp/warp_store"};

std::string cub_for_devices() {
  std::string text = "#pragma once\n";
  for (const std::string_view header : kCubForDevices) {
    text += fmt::format("#if __has_include(<cub/{0}.cuh>)\n#include <cub/{0}.cuh>\n#endif\n", header);
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> toolkit_shims(const cuda::Toolkit& toolkit) {
  std::vector<std::pair<std::string, std::string>> shims{{"cub/cub.cuh", cub_for_devices()}};
  for (const std::string_view name : kWithOwnIntegers) {
    if (const auto text = base::read_file(toolkit.include / name)) shims.emplace_back(name, with_cstdint(*text));
  }
  return shims;
}

}  // namespace cudahot::build

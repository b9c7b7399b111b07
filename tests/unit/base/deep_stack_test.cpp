#include "lib/base/deep_stack.hpp"

#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace cudahot::base {
namespace {

std::size_t recurse(std::size_t depth) {
  volatile std::size_t frame[128] = {};
  frame[depth % 128] = 1;
  return depth == 0 ? 0 : frame[depth % 128] + recurse(depth - 1);
}

TEST(DeepStack, HoldsWhatTheCallersDoesNot) {
  std::size_t depth = 0;
  std::thread([&] { run_on_deep_stack([&] { depth = recurse(200'000); }); }).join();
  EXPECT_EQ(depth, 200'000u);
}

TEST(DeepStack, PassesExceptionsOn) {
  EXPECT_THROW(run_on_deep_stack([] { throw std::runtime_error("deep"); }), std::runtime_error);
}

}  // namespace
}  // namespace cudahot::base

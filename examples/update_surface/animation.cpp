#include "animation.hpp"

namespace sample {
namespace {

// An odd size on purpose: nothing in a reload may depend on a block being a multiple of a warp.
constexpr unsigned kBlock = 10;

constexpr unsigned blocks_for(unsigned threads) { return (threads + kBlock - 1) / kBlock; }

}  // namespace

cudahot::Status Animation::draw() {
  const cudahot::LaunchConfig config{.grid = {blocks_for(surface_.width()), blocks_for(surface_.height()), 1},
                                     .block = {kBlock, kBlock, 1},
                                     .stream = stream_.get()};
  auto launched = kernel_.launch(config, surface_.object(), surface_.width(), surface_.height(), time_);
  if (launched) ++launches_;
  return launched;
}

}  // namespace sample

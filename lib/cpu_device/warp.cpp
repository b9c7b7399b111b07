#include "lib/cpu_device/warp.hpp"

#include <utility>

namespace cudahot::cpu {

bool Warp::arrive(ThreadFiber& fiber, std::uint32_t mask, std::uint64_t value, std::uint64_t* all, FiberQueue& ready) {
  std::uint32_t index = 0;
  const std::uint32_t lane = fiber.thread.lane;
  const std::uint32_t bit = 1U << lane;
  while (index < open_count_ && open_[index].mask != mask) ++index;
  if (index == open_count_) {
    if (open_.size() == open_count_) open_.emplace_back();
    open_[index].mask = mask;
    open_[index].arrived = 0;
    ++open_count_;
  }
  Exchange& exchange = open_[index];
  exchange.arrived |= bit;
  exchange.values[lane] = value;
  exchange.fibers[lane] = &fiber;
  fiber.all = all;
  fiber.waits_for = mask;
  if (!complete(exchange)) return false;
  finish(index, &fiber, ready);
  return true;
}

void Warp::exit(std::uint32_t lane, FiberQueue& ready) {
  exited_ |= 1U << lane;
  for (std::uint32_t index = 0; index < open_count_;) {
    if (complete(open_[index])) finish(index, nullptr, ready);
    else ++index;
  }
}

void Warp::finish(std::uint32_t index, const ThreadFiber* running, FiberQueue& ready) {
  const Exchange& exchange = open_[index];
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if ((exchange.arrived >> lane & 1U) == 0) continue;
    ThreadFiber& fiber = *exchange.fibers[lane];
    if (fiber.all != nullptr) std::memcpy(fiber.all, exchange.values.data(), sizeof exchange.values);
    fiber.result = exchange.arrived;
    fiber.waits_for = 0;
    if (&fiber != running) ready.push(fiber);
  }
  --open_count_;
  if (index != open_count_) std::swap(open_[index], open_[open_count_]);
}

}  // namespace cudahot::cpu

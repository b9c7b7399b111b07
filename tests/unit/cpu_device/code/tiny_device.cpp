#include "tests/unit/cpu_device/code/tiny_device.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <ucontext.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace cudahot::test {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;

struct Fiber {
  enum class State { ready, at_barrier, in_exchange, done };

  ucontext_t context{};
  std::vector<char> stack = std::vector<char>(kStackBytes);
  CudahotCpuThread thread{};
  State state = State::ready;
  std::uint32_t predicate = 0;
  std::uint32_t count = 0;  // result of a barrier
  std::uint32_t mask = 0;
  std::uint64_t value = 0;
  std::uint32_t took_part = 0;  // result of an exchange
  std::uint64_t all[32] = {};
};

struct Block {
  std::vector<Fiber> fibers;
  Fiber* running = nullptr;
  ucontext_t scheduler{};
  std::vector<std::uint64_t> dynamic_shared;
  std::uint32_t dynamic_shared_bytes = 0;
  std::map<const void*, std::vector<std::uint64_t>> static_shared;
  CudahotCpuEntry entry = nullptr;
  void** arguments = nullptr;
  Outcome* outcome = nullptr;
};

Block* g_block = nullptr;

void leave(Fiber::State state) {
  Fiber& fiber = *g_block->running;
  fiber.state = state;
  swapcontext(&fiber.context, &g_block->scheduler);
}

void run_fiber() {
  g_block->entry(g_block->arguments);
  leave(Fiber::State::done);
}

std::uint32_t live_lanes(std::uint32_t warp) {
  std::uint32_t lanes = 0;
  for (const auto& fiber : g_block->fibers) {
    if (fiber.thread.warp == warp && fiber.state != Fiber::State::done) lanes |= 1U << fiber.thread.lane;
  }
  return lanes;
}

void release_barrier() {
  std::uint32_t count = 0;
  for (const auto& fiber : g_block->fibers) {
    if (fiber.state == Fiber::State::done) continue;
    if (fiber.state != Fiber::State::at_barrier) return;
    count += fiber.predicate != 0 ? 1 : 0;
  }
  for (auto& fiber : g_block->fibers) {
    if (fiber.state != Fiber::State::at_barrier) continue;
    fiber.count = count;
    fiber.state = Fiber::State::ready;
  }
}

void release_exchange(const Fiber& waiting) {
  const std::uint32_t needed = waiting.mask & live_lanes(waiting.thread.warp);
  std::vector<Fiber*> members;
  for (auto& fiber : g_block->fibers) {
    const bool member = fiber.thread.warp == waiting.thread.warp && ((needed >> fiber.thread.lane) & 1) != 0;
    if (!member) continue;
    if (fiber.state != Fiber::State::in_exchange || fiber.mask != waiting.mask) return;
    members.push_back(&fiber);
  }
  for (Fiber* to : members) {
    for (const Fiber* from : members) to->all[from->thread.lane] = from->value;
    to->took_part = needed;
  }
  for (Fiber* member : members) member->state = Fiber::State::ready;
}

void release_waiting() {
  release_barrier();
  for (const auto& fiber : g_block->fibers) {
    if (fiber.state == Fiber::State::in_exchange) release_exchange(fiber);
  }
}

void run_block() {
  for (;;) {
    bool ran = false;
    bool waiting = false;
    for (auto& fiber : g_block->fibers) {
      if (fiber.state != Fiber::State::ready) continue;
      g_block->running = &fiber;
      swapcontext(&g_block->scheduler, &fiber.context);
      if (!g_block->outcome->fault.empty()) return;
      ran = true;
      release_waiting();
    }
    for (const auto& fiber : g_block->fibers) waiting = waiting || fiber.state != Fiber::State::done;
    if (!waiting) return;
    if (!ran) {
      g_block->outcome->fault = "deadlock";
      return;
    }
  }
}

const CudahotCpuThread* current_thread() { return &g_block->running->thread; }

void* static_shared(const void* key, std::size_t bytes, std::size_t) {
  auto& memory = g_block->static_shared[key];
  if (memory.empty()) memory.resize(bytes / 8 + 1);
  return memory.data();
}

void* dynamic_shared() { return g_block->dynamic_shared.data(); }
std::uint32_t dynamic_shared_bytes() { return g_block->dynamic_shared_bytes; }

std::uint32_t barrier(std::uint32_t predicate) {
  g_block->running->predicate = predicate;
  leave(Fiber::State::at_barrier);
  return g_block->running->count;
}

std::uint32_t warp_exchange(std::uint32_t mask, std::uint64_t value, std::uint64_t* all) {
  Fiber& fiber = *g_block->running;
  fiber.mask = mask;
  fiber.value = value;
  leave(Fiber::State::in_exchange);
  std::copy_n(fiber.all, 32, all);
  return fiber.took_part;
}

std::uint32_t active_mask() { return live_lanes(g_block->running->thread.warp); }

void fault(std::int32_t, const char* message, const char* file, std::uint32_t line) {
  g_block->outcome->fault = fmt::format("{}:{}: {}", file, line, message);
  leave(Fiber::State::done);
}

unsigned char* byte_at(std::uint64_t object, int x, int y, std::uint32_t bytes, std::int32_t boundary) {
  auto& picture = *reinterpret_cast<Picture*>(object);
  const bool inside = x >= 0 && y >= 0 && x + static_cast<int>(bytes) <= picture.width_bytes && y < picture.height;
  if (!inside && boundary == 0) fault(CUDAHOT_CPU_FAULT_TRAP, "outside the surface", "surface", 0);
  if (!inside && boundary == 2) return nullptr;
  x = std::clamp(x, 0, picture.width_bytes - static_cast<int>(bytes));
  y = std::clamp(y, 0, picture.height - 1);
  return picture.bytes.data() + y * picture.width_bytes + x;
}

void surface_read_2d(std::uint64_t object, std::int32_t x, std::int32_t y, std::uint32_t bytes, std::int32_t boundary,
                     void* value) {
  const auto* from = byte_at(object, x, y, bytes, boundary);
  if (from != nullptr) std::memcpy(value, from, bytes);
  else std::memset(value, 0, bytes);
}

void surface_write_2d(std::uint64_t object, std::int32_t x, std::int32_t y, std::uint32_t bytes, std::int32_t boundary,
                      const void* value) {
  if (auto* to = byte_at(object, x, y, bytes, boundary)) std::memcpy(to, value, bytes);
}

float texel(const Picture& picture, float x, float y, int channel) {
  const int width = picture.width_bytes / (4 * picture.channels);
  const int column = std::clamp(static_cast<int>(std::floor(x)), 0, width - 1);
  const int row = std::clamp(static_cast<int>(std::floor(y)), 0, picture.height - 1);
  float value = 0;
  std::memcpy(&value, picture.bytes.data() + row * picture.width_bytes + (column * picture.channels + channel) * 4, 4);
  return value;
}

void texture_fetch_2d(std::uint64_t object, float x, float y, std::uint32_t components[4], std::int32_t* raw) {
  const auto& picture = *reinterpret_cast<const Picture*>(object);
  *raw = 0;
  for (int channel = 0; channel < picture.channels; ++channel) {
    float value = texel(picture, x, y, channel);
    if (picture.linear) {
      const float left = x - 0.5F;
      const float top = y - 0.5F;
      const float a = left - std::floor(left);
      const float b = top - std::floor(top);
      value = (1 - a) * (1 - b) * texel(picture, left, top, channel) +
              a * (1 - b) * texel(picture, left + 1, top, channel) +
              (1 - a) * b * texel(picture, left, top + 1, channel) + a * b * texel(picture, left + 1, top + 1, channel);
    }
    std::memcpy(&components[channel], &value, 4);
  }
}

void texture_fetch_1d_linear(std::uint64_t object, std::int32_t x, std::uint32_t components[4], std::int32_t* raw) {
  const auto& picture = *reinterpret_cast<const Picture*>(object);
  *raw = 1;
  std::memcpy(components, picture.bytes.data() + x * 4 * picture.channels,
              static_cast<std::size_t>(4 * picture.channels));
}

// Enough for tests: %d %u %f %s and literal text.
int print(const char* format, const std::uint64_t* arguments, std::uint32_t count) {
  std::uint32_t next = 0;
  for (const char* c = format; *c != '\0'; ++c) {
    if (*c != '%' || next >= count) {
      g_block->outcome->printed += *c;
      continue;
    }
    const std::uint64_t bits = arguments[next++];
    double number = 0;
    std::memcpy(&number, &bits, 8);
    switch (*++c) {
      case 'd':
        g_block->outcome->printed += std::to_string(static_cast<int>(bits));
        break;
      case 'f':
        g_block->outcome->printed += fmt::format("{:f}", number);
        break;
      case 's':
        g_block->outcome->printed += reinterpret_cast<const char*>(bits);
        break;
      default:
        g_block->outcome->printed += std::to_string(bits);
        break;
    }
  }
  return static_cast<int>(count);
}

void yield() { leave(Fiber::State::ready); }

std::uint64_t now() { return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()); }

const CudahotCpuServices kServices = {CUDAHOT_CPU_ABI_VERSION,
                                      current_thread,
                                      static_shared,
                                      dynamic_shared,
                                      dynamic_shared_bytes,
                                      barrier,
                                      warp_exchange,
                                      active_mask,
                                      surface_read_2d,
                                      surface_write_2d,
                                      texture_fetch_2d,
                                      texture_fetch_1d_linear,
                                      print,
                                      fault,
                                      now,
                                      now,
                                      yield};

void start_fibers(Block& block, const Launch& launch, const CudahotCpuDim3& block_index) {
  const auto [width, height, depth] = launch.block;
  block.fibers.resize(std::size_t{width} * height * depth);
  block.static_shared.clear();
  for (std::uint32_t i = 0; i < block.fibers.size(); ++i) {
    Fiber& fiber = block.fibers[i];
    fiber.thread = {
        {i % width, i / width % height, i / width / height}, block_index, launch.block, launch.grid, i, i % 32, i / 32};
    fiber.state = Fiber::State::ready;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = &block.scheduler;
    makecontext(&fiber.context, run_fiber, 0);
  }
}

}  // namespace

std::unique_ptr<TinyModule> TinyModule::load(std::string_view elf, std::string& problem) {
  const auto folder = base::TemporaryFolder::create("cudahot-test");
  if (!folder) {
    problem = folder.error().message;
    return nullptr;
  }
  const auto path = folder->path() / "module.so";
  if (auto written = base::write_file_atomically(path, elf); !written) {
    problem = written.error().message;
    return nullptr;
  }
  std::unique_ptr<TinyModule> result(new TinyModule);
  result->library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (result->library_ == nullptr) {
    problem = dlerror();
    return nullptr;
  }
  result->module_ = static_cast<const CudahotCpuModule*>(dlsym(result->library_, "cudahot_cpu_module"));
  if (result->module_ == nullptr || result->module_->abi_version != CUDAHOT_CPU_ABI_VERSION) {
    problem = "no module table";
    return nullptr;
  }
  *result->module_->services = &kServices;
  return result;
}

TinyModule::~TinyModule() {
  if (library_ != nullptr) dlclose(library_);
}

const CudahotCpuKernel* TinyModule::kernel(std::string_view name) const {
  for (std::uint32_t i = 0; i < module_->kernel_count; ++i) {
    if (module_->kernels[i].name == name) return &module_->kernels[i];
  }
  return nullptr;
}

const CudahotCpuVariable* TinyModule::variable(std::string_view name) const {
  for (std::uint32_t i = 0; i < module_->variable_count; ++i) {
    if (module_->variables[i].name == name) return &module_->variables[i];
  }
  return nullptr;
}

Outcome TinyModule::run(std::string_view name, const Launch& launch, void** arguments) {
  Outcome outcome;
  const CudahotCpuKernel* found = kernel(name);
  if (found == nullptr) {
    outcome.fault = "no kernel " + std::string(name);
    return outcome;
  }
  Block block;
  block.entry = found->entry;
  block.arguments = arguments;
  block.outcome = &outcome;
  block.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  block.dynamic_shared.resize(launch.dynamic_shared_bytes / 8 + 1);
  g_block = &block;
  const auto [width, height, depth] = launch.grid;
  for (std::uint32_t i = 0; i < width * height * depth && outcome.fault.empty(); ++i) {
    start_fibers(block, launch, {i % width, i / width % height, i / width / height});
    run_block();
  }
  g_block = nullptr;
  return outcome;
}

region::Slice make_slice(std::string text, const std::vector<std::string>& kernels) {
  region::Slice slice;
  slice.text = std::move(text);
  slice.uses_helper_library = slice.text.find("cudahot/device.cuh") != std::string::npos;
  region::FileRecord file;
  file.path = "/home/user/shade.cu";
  file.virtual_name = "shade.cu";
  file.role = region::FileRecord::Role::main;
  slice.files.push_back(file);
  for (const auto& name : kernels) {
    region::Kernel kernel;
    kernel.name = name;
    kernel.name_expression = name;
    slice.kernels.push_back(kernel);
  }
  return slice;
}

Result<cpu_device::CpuObject> compile(const region::Slice& slice) {
  static const auto compiler = cpu_device::find_cpu_compiler();
  if (!compiler) return tl::unexpected<Error>(compiler.error());
  return cpu_device::compile_for_cpu(slice, *compiler);
}

std::unique_ptr<TinyModule> build(const region::Slice& slice) {
  const auto object = compile(slice);
  if (!object) {
    std::string report = object.error().message;
    for (const auto& d : object.error().diagnostics) {
      report += fmt::format("\n{}:{}:{}: {}\n{}", d.location.file, d.location.line, d.location.column, d.text, d.frame);
    }
    ADD_FAILURE() << report;
    return nullptr;
  }
  std::string problem;
  auto module = TinyModule::load(object->blob, problem);
  if (!module) ADD_FAILURE() << problem;
  return module;
}

}  // namespace cudahot::test

// Code for the CPU device, written by hand against module_abi.h: what a compiler would make of
// small CUDA kernels.
#include <stdint.h>

#include "lib/cpu_device/module_abi.h"

static const CudahotCpuServices* device;

#define ARGUMENT(type, index) (*(type*)arguments[index])

static uint32_t global_x(void) {
  const CudahotCpuThread* at = device->current_thread();
  return at->block_index.x * at->block_size.x + at->thread_index.x;
}

// out[i] = value
static void fill(void** arguments) { ARGUMENT(int32_t*, 0)[global_x()] = ARGUMENT(int32_t, 1); }

// out[i] = out[i] * factor + offset
static void scale(void** arguments) {
  int32_t* out = ARGUMENT(int32_t*, 0);
  out[global_x()] = out[global_x()] * ARGUMENT(int32_t, 1) + ARGUMENT(int32_t, 2);
}

// What each thread sees of itself, 12 numbers a thread.
static void where(void** arguments) {
  const CudahotCpuThread* at = device->current_thread();
  const uint32_t block =
      at->block_index.x + at->grid_size.x * (at->block_index.y + at->grid_size.y * at->block_index.z);
  const uint32_t threads = at->block_size.x * at->block_size.y * at->block_size.z;
  uint32_t* out = ARGUMENT(uint32_t*, 0) + (block * threads + at->linear_thread) * 12;
  const uint32_t seen[12] = {at->thread_index.x, at->thread_index.y, at->thread_index.z, at->block_index.x,
                             at->block_index.y,  at->block_index.z,  at->lane,           at->warp,
                             at->block_size.y,   at->grid_size.x,    at->linear_thread,  1};
  for (int index = 0; index < 12; ++index) out[index] = seen[index];
}

typedef struct {
  unsigned long module, offset;
} SharedPlace;
__attribute__((visibility("hidden"))) void* __tls_get_addr(SharedPlace* place) {
  return (char*)device->static_shared() + place->offset;
}
static _Thread_local int32_t reversed[1024];

// Reverses the block's part through static shared memory.
static void reverse(void** arguments) {
  int32_t* data = ARGUMENT(int32_t*, 0);
  const CudahotCpuThread* at = device->current_thread();
  reversed[at->thread_index.x] = data[global_x()];
  device->barrier(0);
  data[global_x()] = reversed[at->block_size.x - 1 - at->thread_index.x];
}

// The same through dynamic shared memory; also tells how much there is.
static void reverse_dynamic(void** arguments) {
  int32_t* data = ARGUMENT(int32_t*, 0);
  const CudahotCpuThread* at = device->current_thread();
  int32_t* tile = device->dynamic_shared();
  tile[at->thread_index.x] = data[global_x()];
  device->barrier(0);
  data[global_x()] = tile[at->block_size.x - 1 - at->thread_index.x];
  *ARGUMENT(uint32_t*, 1) = device->dynamic_shared_bytes();
}

// Threads from `live` on exit at once; the others count, twice, those with an even index.
static void count_even(void** arguments) {
  const uint32_t x = device->current_thread()->thread_index.x;
  if (x >= ARGUMENT(uint32_t, 1)) return;
  const uint32_t first = device->barrier(x % 2 == 0);
  const uint32_t second = device->barrier(x % 2 == 1);
  ARGUMENT(uint32_t*, 0)[x] = first * 1000 + second;
}

// Sum over the warp by __shfl_down_sync.
static void warp_sum(void** arguments) {
  const CudahotCpuThread* at = device->current_thread();
  uint64_t all[32];
  uint64_t value = at->linear_thread;
  for (uint32_t step = 16; step != 0; step /= 2) {
    device->warp_exchange(0xffffffffU, value, all);
    value += at->lane + step < 32 ? all[at->lane + step] : value;
  }
  if (at->lane == 0) ARGUMENT(uint64_t*, 0)[at->warp] = value;
}

// Even and odd lanes meet apart from each other, then those of the first `live` that are left.
static void two_masks(void** arguments) {
  const CudahotCpuThread* at = device->current_thread();
  uint64_t all[32];
  const uint32_t mask = at->lane % 2 == 0 ? 0x55555555U : 0xaaaaaaaaU;
  const uint32_t met = device->warp_exchange(mask, at->lane, all);
  if (at->lane >= ARGUMENT(uint32_t, 1)) return;
  const uint32_t left = device->warp_exchange(0xffffffffU, at->lane, 0);
  uint32_t* out = ARGUMENT(uint32_t*, 0) + at->lane * 4;
  out[0] = met;
  out[1] = (uint32_t)all[(at->lane + 2) % 32];
  out[2] = left;
  out[3] = device->active_mask();
}

// Lane 0 waits for lane 1, which waits for lane 0 at the barrier.
static void deadlock(void** arguments) {
  (void)arguments;
  if (device->current_thread()->lane == 0) device->warp_exchange(3, 0, 0);
  else device->barrier(0);
}

static void outside_mask(void** arguments) {
  (void)arguments;
  device->warp_exchange(1, 0, 0);
}

static void raise_flag(void** arguments) { __atomic_store_n(ARGUMENT(uint32_t*, 0), 1, __ATOMIC_RELEASE); }

static void await_flag(void** arguments) {
  while (__atomic_load_n(ARGUMENT(uint32_t*, 0), __ATOMIC_ACQUIRE) == 0) device->yield();
}

// Thread 0 polls for what the last thread of its block writes.
static void poll_in_block(void** arguments) {
  const CudahotCpuThread* at = device->current_thread();
  if (at->thread_index.x == 0) await_flag(arguments);
  else if (at->thread_index.x == at->block_size.x - 1) raise_flag(arguments);
}

static void write_to(void** arguments) { *ARGUMENT(volatile int32_t*, 0) = 1; }

// Writes one element past the end of the dynamic shared memory.
static void shared_overflow(void** arguments) {
  (void)arguments;
  ((volatile int32_t*)device->dynamic_shared())[device->dynamic_shared_bytes() / 4] = 1;
}

// Writes the element that is as far from the first one as the launch says.
static void static_shared_overflow(void** arguments) { ((volatile int32_t*)reversed)[ARGUMENT(int32_t, 0)] = 1; }

static void divide(void** arguments) {
  volatile int32_t* out = ARGUMENT(volatile int32_t*, 0);
  *out = *out / ARGUMENT(int32_t, 1);
}

static int32_t deep(volatile int32_t* depth) {
  volatile char frame[512];
  frame[0] = (char)*depth;
  ++*depth;
  return deep(depth) + frame[0];
}
static void overflow_stack(void** arguments) {
  volatile int32_t depth = 0;
  *ARGUMENT(int32_t*, 0) = deep(&depth);
}

static void spin_forever(void** arguments) {
  (void)arguments;
  for (volatile int32_t wait = 1; wait;) {
  }
}
static void wait_forever(void** arguments) {
  (void)arguments;
  for (;;) device->barrier(0);
}

// Far more switches than one, between which time passes.
static void wait_often(void** arguments) {
  for (int32_t count = ARGUMENT(int32_t, 0); count > 0; --count) device->barrier(0);
}

static void trap(void** arguments) {
  (void)arguments;
  device->fault(CUDAHOT_CPU_FAULT_TRAP, 0, 0, 0);
}
static void invalid_instruction(void** arguments) {
  (void)arguments;
  __builtin_trap();
}
// Fails in one thread while the others wait at the barrier.
static void failing_assert(void** arguments) {
  if (global_x() == ARGUMENT(uint32_t, 0)) device->fault(CUDAHOT_CPU_FAULT_ASSERT, "x < limit", "shade.cu", 12);
  device->barrier(0);
}

static void write_surface(void** arguments) {
  const CudahotCpuThread* at = device->current_thread();
  const float pixel[4] = {(float)at->thread_index.x, (float)at->thread_index.y, 0.5F, 1};
  device->surface_write_2d(ARGUMENT(uint64_t, 0), (int32_t)at->thread_index.x * 16, (int32_t)at->thread_index.y, 16, 0,
                           pixel);
}
static void read_surface(void** arguments) {
  device->surface_read_2d(ARGUMENT(uint64_t, 0), ARGUMENT(int32_t, 1), ARGUMENT(int32_t, 2), 4, ARGUMENT(int32_t, 3),
                          ARGUMENT(float*, 4));
}

// out[5 * i ...] = the components at (points[2 * i], points[2 * i + 1]), and whether they are raw.
static void fetch(void** arguments) {
  const uint32_t index = global_x();
  const float* point = ARGUMENT(float*, 1) + 2 * index;
  uint32_t* out = ARGUMENT(uint32_t*, 2) + 5 * index;
  device->texture_fetch_2d(ARGUMENT(uint64_t, 0), point[0], point[1], out, (int32_t*)(out + 4));
}
static void fetch_linear(void** arguments) {
  uint32_t* out = ARGUMENT(uint32_t*, 2);
  device->texture_fetch_1d_linear(ARGUMENT(uint64_t, 0), ARGUMENT(int32_t, 1), out, (int32_t*)(out + 4));
}

static void say(void** arguments) {
  double number = 2.5;
  uint64_t values[4];
  values[0] = (uint64_t)(int64_t)-7;
  __builtin_memcpy(&values[1], &number, sizeof number);
  values[2] = (uint64_t)(uintptr_t)"text";
  values[3] = 0x1234567890U;
  *ARGUMENT(int32_t*, 0) = device->print("%d|%5.2f|%-6s|%llx|%%\n", values, 4);
}

typedef struct {
  char text[3];
} Small;
// Parameters of several sizes, as a GPU's compiler lays them out.
static void mixed(void** arguments) {
  double* out = ARGUMENT(double*, 3);
  out[0] = ARGUMENT(int8_t, 0);
  out[1] = ARGUMENT(double, 1);
  out[2] = ARGUMENT(Small, 2).text[2];
}

static int32_t counter = 5;
static int32_t table[4] = {10, 20, 30, 40};
static int32_t shared_with_host[2];
// out[0] = counter, then counter + 1 is kept; out[1] = table[2]
static void use_variables(void** arguments) {
  int32_t* out = ARGUMENT(int32_t*, 0);
  out[0] = counter++;
  out[1] = table[2];
  shared_with_host[1] = shared_with_host[0] + 1;
}

static void nothing(void** arguments) { (void)arguments; }

static const CudahotCpuParameter parameters_of_words[] = {{0, 8}, {8, 4}, {12, 4}};
static const CudahotCpuParameter parameters_of_two_pointers[] = {{0, 8}, {8, 8}};
static const CudahotCpuParameter parameters_of_read[] = {{0, 8}, {8, 4}, {12, 4}, {16, 4}, {24, 8}};
static const CudahotCpuParameter parameters_of_fetch[] = {{0, 8}, {8, 8}, {16, 8}};
static const CudahotCpuParameter parameters_of_fetch_linear[] = {{0, 8}, {8, 4}, {16, 8}};
static const CudahotCpuParameter parameters_of_mixed[] = {{0, 1}, {8, 8}, {16, 3}, {24, 8}};
static const CudahotCpuParameter parameter_of_four_bytes[] = {{0, 4}};

#define KERNEL(function, parameters, count) {#function, function, parameters, count, 0, 0}
static const CudahotCpuKernel kernels[] = {
    KERNEL(fill, parameters_of_words, 2),
    KERNEL(scale, parameters_of_words, 3),
    KERNEL(where, parameters_of_words, 1),
    {"reverse", reverse, parameters_of_words, 1, 1024, 4096},
    KERNEL(reverse_dynamic, parameters_of_two_pointers, 2),
    {"count_even", count_even, parameters_of_words, 2, 128, 0},
    KERNEL(warp_sum, parameters_of_words, 1),
    KERNEL(two_masks, parameters_of_words, 2),
    KERNEL(deadlock, 0, 0),
    KERNEL(outside_mask, 0, 0),
    KERNEL(raise_flag, parameters_of_words, 1),
    KERNEL(await_flag, parameters_of_words, 1),
    KERNEL(poll_in_block, parameters_of_words, 1),
    KERNEL(write_to, parameters_of_words, 1),
    KERNEL(shared_overflow, 0, 0),
    KERNEL(static_shared_overflow, parameter_of_four_bytes, 1),
    KERNEL(divide, parameters_of_words, 2),
    KERNEL(overflow_stack, parameters_of_words, 1),
    KERNEL(spin_forever, 0, 0),
    KERNEL(wait_forever, 0, 0),
    KERNEL(wait_often, parameter_of_four_bytes, 1),
    {"too_much_shared", nothing, 0, 0, 0, 64 * 1024},
    KERNEL(trap, 0, 0),
    KERNEL(invalid_instruction, 0, 0),
    KERNEL(failing_assert, parameter_of_four_bytes, 1),
    KERNEL(write_surface, parameters_of_words, 1),
    KERNEL(read_surface, parameters_of_read, 5),
    KERNEL(fetch, parameters_of_fetch, 3),
    KERNEL(fetch_linear, parameters_of_fetch_linear, 3),
    KERNEL(say, parameters_of_words, 1),
    KERNEL(mixed, parameters_of_mixed, 4),
    KERNEL(use_variables, parameters_of_words, 1),
    KERNEL(nothing, 0, 0),
};

static const CudahotCpuVariable variables[] = {
    {"counter", &counter, sizeof counter, CUDAHOT_CPU_GLOBAL},
    {"table", table, sizeof table, CUDAHOT_CPU_CONSTANT},
    {"shared_with_host", shared_with_host, sizeof shared_with_host, CUDAHOT_CPU_MANAGED},
};

const CudahotCpuModule cudahot_cpu_module = {
    CUDAHOT_CPU_ABI_VERSION,          &device,   kernels,
    sizeof kernels / sizeof *kernels, variables, sizeof variables / sizeof *variables,
};

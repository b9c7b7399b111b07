#include "lib/cpu_device/code/unsupported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "lib/cpu_device/code/unused.hpp"
#include "lib/region/code_frame.hpp"
#include "lib/region/raw_scanner.hpp"
#include "lib/region/text_map.hpp"

namespace cudahot::cpu_device {
namespace {

struct Feature {
  std::string_view name;  // whole word or included header; with '*' at the end: how it begins
  std::string_view what;
};

constexpr std::string_view kPtx = "inline PTX";
constexpr std::string_view kClusters = "thread block clusters";
constexpr std::string_view kNested = "launches from device code (dynamic parallelism)";
constexpr std::string_view kRuntime = "calls of the CUDA API from device code";
constexpr std::string_view kDependent = "programmatic dependent launches";
constexpr std::string_view kGrids = "groups of several grids";
constexpr std::string_view kTensor = "tensor core operations";
constexpr std::string_view kCoalesced = "coalesced groups";
constexpr std::string_view kCopies = "asynchronous copies";
constexpr std::string_view kTextures = "textures other than 2D and linear 1D at one level";
constexpr std::string_view kSurfaces = "surfaces other than 2D";
constexpr std::string_view kSimd = "SIMD-in-a-word intrinsics";
constexpr std::string_view kSpaces = "address space conversions";

constexpr Feature kWords[] = {
    {"asm", kPtx},
    {"__asm__", kPtx},
    {"__asm", kPtx},
    {"__cluster_dims__", kClusters},
    {"__cluster*", kClusters},
    {"cluster_group", kClusters},
    {"this_cluster", kClusters},
    {"__block_size__", kClusters},
    {"cudaLaunch*", kNested},
    {"cudaDeviceSynchronize", kNested},
    {"cudaGetParameterBuffer*", kNested},
    {"cudaMalloc", kRuntime},
    {"cudaFree", kRuntime},
    {"cudaMemcpyAsync", kRuntime},
    {"cudaMemcpy2DAsync", kRuntime},
    {"cudaMemcpy3DAsync", kRuntime},
    {"cudaMemsetAsync", kRuntime},
    {"cudaMemset2DAsync", kRuntime},
    {"cudaMemset3DAsync", kRuntime},
    {"cudaStreamCreateWithFlags", kRuntime},
    {"cudaStreamDestroy", kRuntime},
    {"cudaStreamWaitEvent", kRuntime},
    {"cudaEventCreateWithFlags", kRuntime},
    {"cudaEventRecord", kRuntime},
    {"cudaEventRecordWithFlags", kRuntime},
    {"cudaEventDestroy", kRuntime},
    {"cudaGetLastError", kRuntime},
    {"cudaPeekAtLastError", kRuntime},
    {"cudaGetErrorString", kRuntime},
    {"cudaGetErrorName", kRuntime},
    {"cudaGetDevice", kRuntime},
    {"cudaGetDeviceCount", kRuntime},
    {"cudaDeviceGetAttribute", kRuntime},
    {"cudaDeviceGetLimit", kRuntime},
    {"cudaDeviceGetCacheConfig", kRuntime},
    {"cudaFuncGetAttributes", kRuntime},
    {"cudaRuntimeGetVersion", kRuntime},
    {"cudaOccupancy*", kRuntime},
    {"cudaGraph*", kRuntime},
    {"cudaGetCurrentGraphExec", kRuntime},
    {"cudaGridDependencySynchronize", kDependent},
    {"cudaTriggerProgrammaticLaunchCompletion", kDependent},
    {"this_multi_grid", kGrids},
    {"multi_grid_group", kGrids},
    {"wmma", kTensor},
    {"nvcuda", kTensor},
    {"coalesced_threads", kCoalesced},
    {"coalesced_group", kCoalesced},
    {"memcpy_async", kCopies},
    {"__pipeline_*", kCopies},
    {"tex1D", kTextures},
    {"tex1DLod", kTextures},
    {"tex1DGrad", kTextures},
    {"tex1DLayered*", kTextures},
    {"tex2DLod", kTextures},
    {"tex2DGrad", kTextures},
    {"tex2DLayered*", kTextures},
    {"tex2Dgather", kTextures},
    {"tex3D*", kTextures},
    {"texCubemap*", kTextures},
    {"surf1D*", kSurfaces},
    {"surf2DLayered*", kSurfaces},
    {"surf3D*", kSurfaces},
    {"surfCubemap*", kSurfaces},
    {"__vabs*", kSimd},
    {"__vadd*", kSimd},
    {"__vavg*", kSimd},
    {"__vcmp*", kSimd},
    {"__vmax*", kSimd},
    {"__vmin*", kSimd},
    {"__vneg*", kSimd},
    {"__vsad*", kSimd},
    {"__vset*", kSimd},
    {"__vsub*", kSimd},
    {"__vhadd*", kSimd},
    {"__viaddm*", kSimd},
    {"__vim*", kSimd},
    {"__vib*", kSimd},
    {"__cvta_*", kSpaces},
    {"__isGlobal", kSpaces},
    {"__isShared", kSpaces},
    {"__isConstant", kSpaces},
    {"__isLocal", kSpaces},
};

constexpr Feature kHeaders[] = {
    {"cub/*", "CUB"},
    {"thrust/*", "Thrust"},
    {"cutlass/*", "CUTLASS"},
    {"cute/*", "CUTLASS"},
    {"mma.h", kTensor},
    {"cuda_fp8.h", "8-bit floating point"},
    {"cuda_fp6.h", "6-bit floating point"},
    {"cuda_fp4.h", "4-bit floating point"},
    {"cuda_pipeline*", kCopies},
    {"cuda_awbarrier*", kCopies},
    {"cooperative_groups/memcpy_async.h", kCopies},
    {"cuda/*", "libcu++ (cuda/ headers)"},
    {"curand*", "cuRAND's device code"},
};

bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.ends_with('*')) return text.starts_with(pattern.substr(0, pattern.size() - 1));
  return text == pattern;
}

template <std::size_t count>
std::optional<std::string_view> look_up(const Feature (&features)[count], std::string_view text) {
  for (const auto& feature : features) {
    if (matches(feature.name, text)) return feature.what;
  }
  return std::nullopt;
}

class Search {
 public:
  explicit Search(const region::Slice& slice)
      : slice_(slice), declarations_(find_declarations(slice.text)), unused_(find_unused(slice, declarations_)) {}

  Unsupported run() {
    scan(slice_.text, 0);
    for (const auto& name : declarations_.initialised_shared) refuse_initialiser(name);
    return std::move(found_);
  }

 private:
  void scan(std::string_view text, std::size_t base) {
    region::RawScanner scanner(text);
    std::size_t angles = 0;
    std::size_t last_angle = 0;
    while (const auto token = scanner.next()) {
      const std::string_view content = text.substr(token->range.begin, token->range.size());
      const std::size_t offset = base + token->range.begin;
      if (token->kind == region::RawToken::Kind::word) {
        if (const auto what = look_up(kWords, content)) add(*what, content, offset);
      } else if (token->kind == region::RawToken::Kind::directive) {
        take_directive(content, offset);
      }
      const bool adjacent = content == "<" && (angles == 0 || token->range.begin == last_angle + 1);
      angles = adjacent ? angles + 1 : content == "<" ? 1 : 0;
      last_angle = token->range.begin;
      if (angles == 3) add(kNested, "<<<", offset - 2);
    }
  }

  void take_directive(std::string_view directive, std::size_t offset) {
    const std::size_t word = directive.find_first_not_of(" \t", 1);
    if (word == std::string_view::npos) return;
    const std::string_view rest = directive.substr(word);
    if (rest.starts_with("include")) {
      const std::size_t open = rest.find_first_of("<\"");
      const std::size_t close = open == std::string_view::npos ? open : rest.find_first_of(">\"", open + 1);
      if (close == std::string_view::npos) return;
      const std::string_view header = rest.substr(open + 1, close - open - 1);
      if (const auto what = look_up(kHeaders, header)) add(*what, header, offset + word + open + 1);
    } else if (rest.starts_with("define")) {
      const std::size_t body = word + std::string_view("define").size();
      scan(directive.substr(body), offset + body);
      if (directive.find("extern") != std::string_view::npos &&
          directive.find("__shared__") != std::string_view::npos) {
        add("dynamic shared memory that a macro declares", "extern __shared__", offset + directive.find("extern"));
      }
    }
  }

  // Whether no kernel reaches the place. Its function's body is then left out.
  bool left_out(std::size_t offset) {
    const auto around = [&](const region::TextRange& body) { return body.begin <= offset && offset < body.end; };
    if (std::ranges::any_of(unused_.macros, around)) return true;
    const auto body = std::ranges::find_if(unused_.functions, around);
    if (body == unused_.functions.end()) return false;
    if (std::ranges::find(found_.unused, *body) == found_.unused.end()) found_.unused.push_back(*body);
    return true;
  }

  // No GPU has them either. Clang would not say so of what is a thread-local variable to it.
  void refuse_initialiser(const region::TextRange& name) {
    if (left_out(name.begin)) return;
    found_.refusals.push_back({Severity::error, "", region::location_at(slice_, name.begin),
                               "initializer not allowed for __shared__ variable",
                               region::code_frame(slice_.text, name.begin, name.size()),
                               "assign to it in the kernel, by one thread, and call __syncthreads()"});
  }

  void add(std::string_view what, std::string_view used, std::size_t offset) {
    if (left_out(offset)) return;
    const std::string text = fmt::format("the CPU device does not have {} ({})", what, used);
    const std::string_view feature = std::string_view(text).substr(0, text.size() - used.size() - 3);
    if (std::ranges::any_of(found_.refusals, [&](const auto& known) { return known.text.starts_with(feature); }))
      return;
    found_.refusals.push_back({Severity::error, std::string(kUnsupportedId), region::location_at(slice_, offset), text,
                               region::code_frame(slice_.text, offset, used.size()),
                               "leave cpu-x86-64 out of --arch, and run this kernel on a GPU"});
  }

  const region::Slice& slice_;
  const Declarations declarations_;
  const UnusedBodies unused_;
  Unsupported found_;
};

}  // namespace

Unsupported find_unsupported(const region::Slice& slice) { return Search(slice).run(); }

}  // namespace cudahot::cpu_device

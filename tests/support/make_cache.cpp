// make_cache N FILE [BYTES]: a user cache of N made-up entries with CUBINs of BYTES bytes (1000), for measuring.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "cache/store.hpp"

namespace {

using namespace cudahot;

constexpr region::SmArch kArchitectures[] = {
    {80}, {90}, {90, region::SmArch::Suffix::architecture}, {120}, region::kCpuX86_64};

bool parse(const char* text, std::size_t& value) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  return error == std::errc{} && *end == '\0';
}

cache::Artifact artifact(std::size_t i, std::size_t bytes) {
  cache::Artifact made;
  made.arch = kArchitectures[i % std::size(kArchitectures)];
  made.tier = i % 2 == 0 ? region::Tier::full : region::Tier::quick;
  made.name = fmt::format("simulation::UpdateParticles{}", i % 500);
  made.regions = fmt::format("forces{}", i % 50);
  made.source = fmt::format("/home/user/project/src/kernels/particles_{}.cu", i % 500);
  const auto registers = static_cast<std::uint32_t>(16 + i % 240);
  made.kernels = {{made.name, registers, 1024, 0, 580, 256, {{0, 8}, {8, 4}, {12, 4}}}};
  made.lowered_names = {{made.name, made.name}};
  made.toolkit_version = "13.0.88";
  made.blob.assign(bytes, static_cast<char>('a' + i % 26));
  return made;
}

int fail(const std::string& text) {
  fmt::print(stderr, "make_cache: {}\n", text);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  std::size_t bytes = 1000;
  if (argc < 3 || argc > 4 || !parse(argv[1], count) || (argc == 4 && !parse(argv[3], bytes))) {
    return fail("usage: make_cache N FILE [BYTES]");
  }
  auto store = cache::Store::open(argv[2], cache::Store::Mode::read_write);
  if (!store) return fail(store.error().message);
  for (std::size_t i = 0; i < count; ++i) {
    const cache::Artifact made = artifact(i, bytes);
    cache::Preimage preimage;
    preimage.add("arch", region::to_string(made.arch));
    preimage.add("tier", region::to_string(made.tier));
    preimage.add("text", fmt::format("__global__ void {}() {{ /* {} */ }}\n", made.name, i));
    const auto done = store->insert(cache::make_key(preimage), made, {41'000, {}});
    if (!done) return fail(done.error().message);
  }
  return 0;
}

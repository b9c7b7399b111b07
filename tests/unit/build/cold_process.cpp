// One of many processes that start at once on the same cache: cold_process CACHE. Waits for the end of its standard
// input, finds or builds one kernel, and prints "compiled" or "hit" and the digest of the CUBIN. Warnings go to
// standard error.
#include <cstdio>
#include <memory>
#include <string>

#include <unistd.h>

#include "lib/build/builder.hpp"
#include "tests/unit/build/slices.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  using namespace cudahot;
  cache::LayersOptions options;
  options.user_cache = argv[1];
  options.log = [](LogLevel, std::string_view text) { std::fprintf(stderr, "%s\n", std::string(text).c_str()); };
  build::Builder builder(std::make_shared<cache::Layers>(std::move(options)), std::make_shared<build::Toolchain>());
  const auto slice = build::testing::shade_slice().make();
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
  const auto built = builder.find_or_build(slice, region::SmArch{90}, region::Tier::full);
  if (!built) {
    std::fprintf(stderr, "%s\n", built.error().message.c_str());
    return 1;
  }
  std::printf("%s %s\n", built->compiled ? "compiled" : "hit",
              base::to_hex(base::digest(built->artifact->blob)).c_str());
  return 0;
}

// TARGET [ROUNDS [SEED]]: runs a fuzz target over its seeds and a number of random mutations of them. The generator is
// seeded (default 1), so that a failure can be repeated.
// TARGET --seeds FOLDER: writes the seeds as files, for libFuzzer to start from.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <string_view>

#include "tests/fuzz/fuzz_target.hpp"

namespace {

void mutate(std::string& input, std::mt19937_64& random, const std::vector<std::string>& seeds) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % (limit + 1)); };
  const std::size_t at = below(input.size());
  switch (random() % 6) {
    case 0:
      input.insert(at, 1, static_cast<char>(random()));
      break;
    case 1:
      input.erase(at, below(16));
      break;
    case 2:
      if (at < input.size()) input[at] = static_cast<char>(random());
      break;
    case 3:
      input.insert(at, input.substr(below(input.size()), below(64)));
      break;
    case 4:
      input.resize(at);
      break;
    default: {
      const std::string& other = seeds[below(seeds.size() - 1)];
      input.insert(at, other.substr(below(other.size()), below(64)));
    }
  }
}

std::string current;

void show_current(int) { std::fprintf(stderr, "input:\n%s\n", current.c_str()); }

void run(const std::string& input) {
  current = input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

int write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : cudahot::fuzz::seeds()) std::ofstream(folder / std::to_string(number++)) << seed;
  return 0;
}

}  // namespace

int main(int count, char** values) {
  const std::span<char*> arguments(values, static_cast<std::size_t>(count));
  if (arguments.size() == 3 && std::string_view(arguments[1]) == "--seeds") return write_seeds(arguments[2]);
  const unsigned long rounds = arguments.size() > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1000;
  std::mt19937_64 random(arguments.size() > 2 ? std::strtoul(arguments[2], nullptr, 10) : 1);
  std::signal(SIGABRT, show_current);
  const std::vector<std::string> seeds = cudahot::fuzz::seeds();
  for (const std::string& seed : seeds) run(seed);
  for (unsigned long round = 0; round < rounds; ++round) {
    std::string input = seeds[static_cast<std::size_t>(random() % seeds.size())];
    for (auto left = 1 + random() % 8; left > 0; --left) mutate(input, random, seeds);
    run(input);
  }
  std::printf("%zu seeds and %lu mutations held\n", seeds.size(), rounds);
  return 0;
}

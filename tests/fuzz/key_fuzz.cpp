// key_fuzz [--seed N] [--count N] [--extractions N]: flips single bytes in what a kernel is made of, and checks that no
// key gives another input's code.
//
// --count N        inputs that go from changed files through splicing to the key and the cache, without Clang
// --extractions N  inputs that go through the extractor, with headers at depth 1 to 4
//
// Exit status: 0 no wrong hit and no needless miss; 1 there was one, which the output describes.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <span>
#include <unordered_map>

#include <fmt/format.h>

#include "cache/layers.hpp"
#include "cache/preimage.hpp"
#include "lib/base/files.hpp"
#include "lib/cuda/toolkit.hpp"
#include "lib/runtime/reslice.hpp"
#include "lib/runtime/source_view.hpp"
#include "tests/fuzz/extract_request.hpp"

namespace cudahot::fuzz {
namespace {

namespace fs = std::filesystem;
using Random = std::mt19937_64;
using Role = region::FileRecord::Role;

struct Options {
  unsigned long seed = 1;
  unsigned long count = 20000;
  unsigned long extractions = 6;
};

std::size_t below(Random& random, std::size_t bound) { return static_cast<std::size_t>(random() % bound); }

// Everything that a CUBIN is made of, as it is on disk and in a process.
struct Inputs {
  std::vector<std::string> files;  // the main file, user headers at depth 1 to 4
  std::string device_header;
  std::vector<std::string> options = {"-use_fast_math", "-DSIZE=4", "-maxrregcount=32"};
  std::string nvrtc = "id:0123456789abcdef+id:aa55";
  std::string nvjitlink = "id:fedcba9876543210";
  std::string helper_library = "a digest of its sources";
  std::string folder = "/src";  // in names where lines have them
  bool lineinfo = false;
  region::SmArch arch{90, region::SmArch::Suffix::architecture};
  region::Tier tier = region::Tier::full;
  std::string name_expression = "shade<float>";

  friend bool operator==(const Inputs&, const Inputs&) = default;
};

constexpr std::size_t kDepth = 4;

Inputs first_inputs() {
  Inputs inputs;
  inputs.files.push_back(
      "#include \"1.cuh\"\n"
      "template <class T> __global__ void shade(T* p, int n) {\n"
      "#pragma cudahot begin(one)\n"
      "  p[0] = level1(n) * GAIN;  // what is edited\n"
      "#pragma cudahot end\n"
      "  if (n > 3) p[1] += T(1);\n"
      "#pragma cudahot begin(two)\n"
      "  for (int i = 0; i < n; ++i) {\n    p[i] = T(i) + 0.5f;\n  }\n"
      "#pragma cudahot end\n"
      "}\n");
  for (std::size_t depth = 1; depth <= kDepth; ++depth) {
    const std::string next = depth < kDepth ? fmt::format("#include \"{}.cuh\"\n", depth + 1) : "#define GAIN 2\n";
    const std::string value = depth < kDepth ? fmt::format("level{}(x)", depth + 1) : "x";
    inputs.files.push_back(
        fmt::format("{}__device__ inline int level{}(int x) {{ return {} + {}; }}\n", next, depth, value, depth));
  }
  inputs.device_header = "struct __half { unsigned short bits; };\n";
  return inputs;
}

std::string file_name(std::size_t file) { return file == 0 ? "main.cu" : fmt::format("{}.cuh", file); }

// In the extractor's place: all text inlined, nothing blanked.
class StandInExtractor {
 public:
  explicit StandInExtractor(const Inputs& inputs) : inputs_(inputs) {}

  // nullopt: its pragmas do not pair.
  std::optional<region::Slice> run() {
    for (std::size_t i = 0; i < inputs_.files.size(); ++i) {
      texts_.push_back(base::normalise_source(inputs_.files[i]));
      const std::string path = fmt::format("{}/{}", inputs_.folder, file_name(i));
      const auto bodies = region::find_region_bodies(texts_[i], path);
      if (!bodies) return std::nullopt;
      slice_.files.push_back({path, inputs_.lineinfo ? path : fmt::format("{}/{}", i, file_name(i)),
                              i == 0 ? Role::main : Role::user_header, base::digest(texts_[i]),
                              region::digest_outside_regions(texts_[i], *bodies)});
      bodies_.push_back(*bodies);
    }
    write(0);
    const base::Digest header = base::digest(inputs_.device_header);
    slice_.files.push_back({"/cuda/include/cuda_fp16.h", "9/cuda_fp16.h", Role::device_header, header, header});
    slice_.uses_device_headers = true;
    slice_.segments = {{region::Segment::Kind::kernel, {0, slice_.text.size()}, slice_.text.size(), "shade"}};
    slice_.kernels = {{"shade", inputs_.name_expression, "_Z5shadeIfEvPT_i", 0, 2, {"one", "two"}, {}}};
    slice_.options = inputs_.options;
    return std::move(slice_);
  }

 private:
  void write(std::size_t file) {
    const std::string& text = texts_[file];
    slice_.text += fmt::format("#line 1 \"{}\"\n", slice_.files[file].virtual_name);
    const std::string include = fmt::format("#include \"{}.cuh\"\n", file + 1);
    std::size_t from = 0;
    if (file < kDepth && text.starts_with(include)) {
      write(file + 1);
      from = include.size();
      slice_.text += fmt::format("#line 2 \"{}\"\n", slice_.files[file].virtual_name);
    } else {
      // Not inlined then: the stand-in says what it does not show.
      for (std::size_t i = file + 1; i < texts_.size(); ++i)
        slice_.text += base::to_hex(base::digest(texts_[i])) + "\n";
    }
    const std::size_t begin = slice_.text.size();
    slice_.text.append(text, from);
    for (const region::RegionBody& body : bodies_[file]) {
      slice_.regions.push_back({region::Region::Kind::statements,
                                body.name,
                                "shade",
                                static_cast<std::uint32_t>(file),
                                body.first_line,
                                {begin + body.body.begin - from, begin + body.body.end - from},
                                {},
                                {},
                                {}});
    }
  }

  const Inputs& inputs_;
  std::vector<std::string> texts_;
  std::vector<std::vector<region::RegionBody>> bodies_;
  region::Slice slice_;
};

cache::CacheKey key_of(const region::Slice& slice, const Inputs& inputs) {
  return cache::cubin_key(slice, inputs.arch, inputs.tier, {"13.0.88", inputs.nvrtc, inputs.nvjitlink},
                          base::digest(inputs.helper_library));
}

// What decides the output: the files as they are compiled.
std::string meaning_of(const Inputs& inputs) {
  std::string all;
  const auto add = [&](std::string_view part) { all += fmt::format("{}:{}", part.size(), part); };
  for (const std::string& file : inputs.files) add(base::normalise_source(file));
  add(inputs.device_header);
  add(fmt::format("{} options", inputs.options.size()));
  for (const std::string& option : inputs.options) add(option);
  for (const std::string* part : {&inputs.nvrtc, &inputs.nvjitlink, &inputs.helper_library, &inputs.name_expression}) {
    add(*part);
  }
  add(inputs.lineinfo ? inputs.folder : "no paths");
  add(fmt::format("{} {} {}", inputs.arch.number, static_cast<int>(inputs.arch.suffix), static_cast<int>(inputs.tier)));
  return all;
}

void flip(std::string& text, Random& random) {
  if (text.empty()) return;
  text[below(random, text.size())] ^= static_cast<char>(1U << below(random, 8));
}

// One change, and what it was.
std::string mutate(Inputs& inputs, Random& random) {
  switch (below(random, 16)) {
    case 0:
      std::swap(inputs.options[below(random, 3)], inputs.options[below(random, 3)]);
      return "order of options";
    case 1:
      flip(inputs.options[below(random, 3)], random);
      return "an option";
    case 2:
      flip(inputs.nvrtc, random);
      return "NVRTC";
    case 3:
      flip(inputs.nvjitlink, random);
      return "nvJitLink";
    case 4:
      flip(inputs.helper_library, random);
      return "the helper library";
    case 5:
      inputs.arch.suffix = static_cast<region::SmArch::Suffix>(below(random, 3));
      return "the architecture's suffix";
    case 6:
      inputs.arch.number ^= 1U << below(random, 8);
      return "the architecture";
    case 7:
      inputs.tier = below(random, 2) == 0 ? region::Tier::quick : region::Tier::full;
      return "the tier";
    case 8:
      inputs.lineinfo = below(random, 2) == 0;
      inputs.folder = "/src" + std::to_string(below(random, 3));
      return "the folder, with or without line information";
    case 9:
      flip(inputs.name_expression, random);
      return "a name expression";
    case 10:
      flip(inputs.device_header, random);
      return "a device header";
    case 11: {
      const std::size_t file = below(random, inputs.files.size());
      // As another editor saves it: the same text.
      std::string text;
      for (const char c : inputs.files[file]) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
      inputs.files[file] = text;
      return "line ends of " + file_name(file);
    }
    default: {
      const std::size_t file = below(random, inputs.files.size());
      flip(inputs.files[file], random);
      return file_name(file);
    }
  }
}

[[noreturn]] void report(const Options& options, unsigned long round, const std::string& what, const std::string& how) {
  std::fprintf(stderr, "key_fuzz --seed %lu, round %lu: %s, after a change of %s\n", options.seed, round, what.c_str(),
               how.c_str());
  std::exit(1);
}

base::TemporaryFolder temporary_folder() { return base::TemporaryFolder::create("cudahot_key_fuzz").value(); }

// The changed inputs, as a program that started with `first` comes to a slice of them; nullopt: refused.
std::optional<region::Slice> slice_after(const region::Slice& first, const Inputs& before, const Inputs& now,
                                         const fs::path& scratch, bool on_disk) {
  const bool only_files = [&] {
    Inputs same = now;
    same.files = before.files;
    return same == before;
  }();
  if (!only_files) return StandInExtractor(now).run();
  runtime::SourceView view;
  view.adopt(first);
  for (std::size_t i = 0; i < now.files.size(); ++i) {
    runtime::SourceText source{base::normalise_source(now.files[i]), {}};
    if (on_disk) {
      const fs::path file = scratch / file_name(i);
      if (!base::write_file_atomically(file, now.files[i])) return std::nullopt;
      source = runtime::read_source(file).value();
    }
    source.digest = base::digest(source.text);
    const auto time = std::chrono::steady_clock::now();
    view.apply({first.files[i].path, std::move(source), time, time});
  }
  auto outcome = runtime::reslice(first, view);
  if (!outcome) return std::nullopt;
  if (outcome->kind == region::SpliceOutcome::Kind::needs_extraction) return StandInExtractor(now).run();
  return std::move(outcome->slice);
}

struct Counts {
  unsigned long hits = 0, misses = 0, refused = 0;
};

Counts fuzz_keys(const Options& options) {
  Random random(options.seed);
  const auto folder = temporary_folder();
  cache::LayersOptions places;
  places.user_cache = folder.path() / "cache.db";
  places.memory_bytes = 1;
  cache::Layers layers(std::move(places));
  const Inputs first = first_inputs();
  const region::Slice slice = StandInExtractor(first).run().value();
  cache::Artifact artifact;
  artifact.arch = first.arch;
  artifact.blob = "code of the first inputs";
  layers.insert(key_of(slice, first), artifact);
  layers.flush();
  std::unordered_map<base::Digest, base::Digest> meanings;  // of all keys so far
  Counts counts;
  for (unsigned long round = 0; round < options.count; ++round) {
    Inputs inputs = first;
    std::string how;
    for (auto left = 1 + below(random, 3); left > 0; --left) how += (how.empty() ? "" : ", ") + mutate(inputs, random);
    const auto changed = slice_after(slice, first, inputs, folder.path(), below(random, 64) == 0);
    if (!changed) {
      ++counts.refused;
      continue;
    }
    const cache::CacheKey key = key_of(*changed, inputs);
    const std::string meaning = meaning_of(inputs);
    const base::Digest expected = base::digest(meaning);
    const auto [known, is_new] = meanings.emplace(key.digest, expected);
    if (!is_new && known->second != expected) report(options, round, "two inputs have one key", how);
    const bool same = meaning == meaning_of(first);
    const bool hit = layers.find(key).has_value();
    if (hit && !same) report(options, round, "wrong hit", how);
    if (!hit && same) report(options, round, "needless miss", how);
    ++(hit ? counts.hits : counts.misses);
  }
  return counts;
}

// A project for the extractor. Bytes between the marks LIVE and END are numbers that the kernel's code depends on,
// those between DEAD and END do not reach the device.
const std::map<std::string, std::string>& project() {
  static const std::map<std::string, std::string> files = {{"main.cu", R"cu(#include <cstdio>
#include "one.cuh"
void host() { std::printf("/*DEAD*/not for the device/*END*/"); }
__constant__ float table[2] = {/*LIVE*/1.25f/*END*/, 2};
__global__ void shade(float* p, int n) {
#pragma cudahot begin(one)
  p[0] = one(n) + table[0] + /*LIVE*/12345/*END*/;
#pragma cudahot end
  p[1] = /*LIVE*/777/*END*/;  /*DEAD a remark END*/
}
)cu"},
                                                           {"one.cuh", R"cu(#pragma once
#include "two.cuh"
/*DEAD a remark END*/
__device__ inline float one(int x) { return two(x) * /*LIVE*/3.5f/*END*/; }
)cu"},
                                                           {"two.cuh", R"cu(#include "three.cuh"
template <int n> __device__ float twice(float x) { return x * n; }
__device__ inline float two(int x) { return twice</*LIVE*/16/*END*/>(three(x)); }
inline int host_two() { return /*DEAD*/5555/*END*/; }
)cu"},
                                                           {"three.cuh", R"cu(#ifndef THREE
#define THREE
#include "sub/four.cuh"
__device__ inline float three(int x) { return GAIN * x; }
#endif
)cu"},
                                                           {"sub/four.cuh", R"cu(#define GAIN /*LIVE*/2/*END*/
#define FOR_HOST /*LIVE*/4/*END*/
#if 0
/*DEAD*/int never;/*END*/
#endif
)cu"}};
  return files;
}

enum class Place { live, dead, any };

Place place_of(const std::string& text, std::size_t at) {
  const std::size_t end = text.find("END", at);
  const std::size_t live = text.rfind("LIVE*/", at);
  const std::size_t dead = text.rfind("DEAD", at);
  const std::size_t last_end = text.rfind("END", at);
  const auto open = [&](std::size_t mark, std::size_t size) {
    return mark != std::string::npos && mark + size <= at && (last_end == std::string::npos || last_end < mark) &&
           end != std::string::npos;
  };
  const bool close = end != std::string::npos && at + 2 >= end;  // of the mark's own comment
  if (close) return Place::any;
  if (open(live, 6)) return Place::live;
  return open(dead, 6) ? Place::dead : Place::any;
}

class Extraction {
 public:
  Extraction() : toolkit_(cuda::find_toolkit().value()), folder_(temporary_folder()) {
    for (const auto& [name, text] : project()) write(name, text);
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_.path() / name).parent_path());
    if (!base::write_file_atomically(folder_.path() / name, text)) std::exit(3);
  }

  std::optional<region::Slice> run() const {
    auto made = extract::extract(extract_request(folder_.path() / "main.cu", {90}, toolkit_));
    return made ? std::move(made->slice) : std::nullopt;
  }

 private:
  cuda::Toolkit toolkit_;
  base::TemporaryFolder folder_;
};

Counts fuzz_extractions(const Options& options) {
  Counts counts;
  if (options.extractions == 0) return counts;
  Random random(options.seed);
  const Extraction extraction;
  const Inputs inputs;
  const auto first = extraction.run();
  if (!first) report(options, 0, "the project is refused", "nothing");
  cache::Layers layers({});
  layers.insert(key_of(*first, inputs), {});
  std::vector<std::string> names;
  for (const auto& [name, text] : project()) names.push_back(name);
  for (unsigned long round = 0; round < options.extractions; ++round) {
    const std::string& name = names[below(random, names.size())];
    std::string text = project().at(name);
    const std::size_t at = below(random, text.size());
    const Place place = place_of(text, at);
    text[at] ^= static_cast<char>(1U << below(random, 7));
    extraction.write(name, text);
    const auto slice = extraction.run();
    extraction.write(name, project().at(name));
    if (!slice) {
      ++counts.refused;
      continue;
    }
    const std::string how = fmt::format("byte {} of {}", at, name);
    const bool hit = layers.find(key_of(*slice, inputs)).has_value();
    if (hit && place == Place::live) report(options, round, "wrong hit", how);
    if (hit && slice->text != first->text) report(options, round, "one key for two texts", how);
    if (!hit && slice->text == first->text) report(options, round, "needless miss", how);
    ++(hit ? counts.hits : counts.misses);
  }
  return counts;
}

int run(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
    const std::string_view name = arguments[i];
    const unsigned long value = std::strtoul(arguments[i + 1], nullptr, 10);
    if (name == "--seed") options.seed = value;
    if (name == "--count") options.count = value;
    if (name == "--extractions") options.extractions = value;
  }
  const Counts keys = fuzz_keys(options);
  std::printf("seed %lu: %lu hits, %lu misses, %lu refused; ", options.seed, keys.hits, keys.misses, keys.refused);
  const Counts extractions = fuzz_extractions(options);
  std::printf("through the extractor %lu hits, %lu misses, %lu refused\n", extractions.hits, extractions.misses,
              extractions.refused);
  return 0;
}

}  // namespace
}  // namespace cudahot::fuzz

int main(int count, char** values) {
  return cudahot::fuzz::run(std::span<char*>(values, static_cast<std::size_t>(count)));
}

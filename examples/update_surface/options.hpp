// Command line of update_surface.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cudahot/cudahot.hpp"

namespace CLI {
class App;
}

namespace sample {

struct Options {
  unsigned frames = 120;
  unsigned width = 640;
  unsigned height = 480;
  float time_step = 0.05f;  // animation time per frame
  std::filesystem::path out = "update_surface_frames";
  std::filesystem::path bundle;   // default: ../share/cudahot/update_surface.cudahot beside the program
  unsigned every = 0;             // a PNG each so many frames; 0: only final.png
  std::filesystem::path timings;  // a CSV file of the reloads; empty: none
  bool watch = false;             // until interrupted, at display speed
  bool print_loaded = false;
  bool quiet = false;
  cudahot::Device device = cudahot::Device::gpu;
};

// The options, or the exit code of a program that is to end (help: 0, wrong usage: 2) after what
// was to be said has been printed.
struct ParsedOptions {
  std::optional<Options> options;
  int exit_code = 0;
};
ParsedOptions parse_options(int argc, const char* const* argv);

// "640x480" into both numbers; false unless both are in [1, 16384].
bool parse_size(const std::string& text, unsigned& width, unsigned& height);

// Adds --device gpu|cpu, whose default is $CUDAHOT_DEVICE, else the GPU.
void add_device_option(CLI::App& app, cudahot::Device& device);

// Where the build puts the sample's bundle, relative to the running program.
std::filesystem::path default_bundle();

}  // namespace sample

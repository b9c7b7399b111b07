// The command line of cudahot-cache.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "tools/cudahot-cache/commands.hpp"

namespace cudahot::tool {

// Everything that a command line can say.
struct Arguments {
  Session session;
  ListOptions list;
  ShowOptions show;
  VerifyOptions verify;
  RemoveOptions remove;
  GcOptions gc;
  ExportOptions export_;
  MergeOptions merge;
  std::vector<std::filesystem::path> imports;
  std::filesystem::path explained;
  std::string dumped;
  std::filesystem::path dump_output;
  std::function<int()> command;  // what was asked for
};

// Declares commands and options; parsing fills `arguments`, which has to outlive `app`.
void declare(CLI::App& app, Arguments& arguments);

}  // namespace cudahot::tool

// cudahot-cache: looks into the cache of compiled kernels and into bundles, cleans and shares them. Needs neither a
// GPU nor a driver nor a toolkit.
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "lib/base/paths.hpp"
#include "tools/cudahot-cache/arguments.hpp"
#include "tools/cudahot-cache/session.hpp"

namespace cudahot::tool {
namespace {

// A full disk or a closed pipe must not pass for a complete answer.
int checked_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  message("cannot write to standard output");
  return kEnvironment;
}

std::string command_names(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

int run(int argc, char** argv) {
  CLI::App app("Looks into the cache of compiled kernels and into bundles, cleans and shares them.", "cudahot-cache");
  app.set_version_flag("--version", "cudahot-cache " CUDAHOT_VERSION);
  Arguments arguments;
  declare(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& error) {
    app.exit(error);  // prints the help or the version
    return kFine;
  } catch (const CLI::RequiredError& error) {
    const bool command_is_missing = app.get_subcommands().empty();
    message(
        fmt::format("{} (see --help)", command_is_missing ? "name a command: " + command_names(app) : error.what()));
    return kUsage;
  } catch (const CLI::ParseError& error) {
    message(fmt::format("{} (see --help)", error.what()));
    return kUsage;
  }
  Session& session = arguments.session;
  session.file_was_named = !session.file.empty();
  if (!session.file_was_named) {
    auto user_cache = base::user_cache_path();
    if (!user_cache) return report(user_cache.error());
    session.file = std::move(*user_cache);
  }
  return arguments.command();
}

}  // namespace
}  // namespace cudahot::tool

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error to tell about
  try {
    return cudahot::tool::checked_output(cudahot::tool::run(argc, argv));
  } catch (const std::exception& exception) {  // out of memory, or a mistake in the options
    cudahot::tool::message(exception.what());
    return cudahot::tool::kEnvironment;
  }
}

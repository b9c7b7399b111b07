// cudahot-cache: looks into the cache of compiled kernels and into bundles. Needs neither a GPU
// nor a driver nor a toolkit.
#include <cstdio>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "lib/base/paths.hpp"
#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/session.hpp"

namespace cudahot::tool {
namespace {

constexpr const char* kFooter =
    R"(KEY is a key or an unambiguous beginning of one. Data goes to standard output, messages go
to standard error. Exit code: 0 fine, 1 a problem was found, 2 usage, 3 environment.

  cudahot-cache ls                          what is in the user's cache
  cudahot-cache ls --arch 90a --sort size   the largest entries for sm_90a first
  cudahot-cache --db app.cudahot ls         what is in a bundle
  cudahot-cache show 5da2                   everything known about one entry
  cudahot-cache dump 5da2 -o shade.cubin    its CUBIN)";

// A full disk or a closed pipe must not pass for a complete answer.
int checked_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  message("cannot write to standard output");
  return kEnvironment;
}

int run(int argc, char** argv) {
  CLI::App app("Looks into the cache of compiled kernels and into bundles.", "cudahot-cache");
  app.set_version_flag("--version", "cudahot-cache " CUDAHOT_VERSION);
  app.require_subcommand(1);
  app.fallthrough();  // --db and --json may stand behind the command as well

  Session session;
  std::string db;
  app.add_option("--db", db, "cache or bundle to look into (default: the user's cache)")->type_name("FILE");
  app.add_flag("--json", session.json, "print JSON");

  ListOptions list_options;
  CLI::App* list_command = app.add_subcommand("ls", "list the entries: one line for each CUBIN");
  list_command
      ->add_option("--arch", list_options.architectures, "only these architectures: 90, sm_90a, cpu-x86-64, ...")
      ->type_name("LIST")
      ->allow_extra_args(false);
  list_command->add_option("--name", list_options.name, "only entries with TEXT in their kernels' names")
      ->type_name("TEXT");
  list_command->add_option("--sort", list_options.sort, "order by this column (default: age, youngest first)")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kSortColumns), std::end(kSortColumns))));
  list_command->add_flag("--reverse", list_options.reverse, "the other way round");

  std::string key;
  CLI::App* show_command = app.add_subcommand("show", "everything known about one entry");
  show_command->add_option("KEY", key)->required();
  CLI::App* verify_command = app.add_subcommand("verify", "check the database and the digest of every entry");
  CLI::App* stats_command = app.add_subcommand("stats", "entries, bytes and hits by architecture");
  CLI::App* path_command = app.add_subcommand("path", "print where the cache is");
  std::string output;
  CLI::App* dump_command = app.add_subcommand("dump", "write the CUBIN of one entry");
  dump_command->add_option("KEY", key)->required();
  dump_command->add_option("-o,--output", output, "file to write (default: standard output)")->type_name("FILE");

  app.footer(kFooter);  // last, so that the commands do not inherit it
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& error) {
    app.exit(error);  // prints the help or the version
    return kFine;
  } catch (const CLI::RequiredError& error) {
    const bool command_is_missing = app.get_subcommands().empty();
    message(fmt::format("{} (see --help)",
                        command_is_missing ? "name a command: ls, show, verify, stats, path or dump" : error.what()));
    return kUsage;
  } catch (const CLI::ParseError& error) {
    message(fmt::format("{} (see --help)", error.what()));
    return kUsage;
  }

  session.file_was_named = !db.empty();
  session.file = db;
  if (db.empty()) {
    auto user_cache = base::user_cache_path();
    if (!user_cache) return report(user_cache.error());
    session.file = std::move(*user_cache);
  }
  if (list_command->parsed()) return list(session, list_options);
  if (show_command->parsed()) return show(session, key);
  if (verify_command->parsed()) return verify(session);
  if (stats_command->parsed()) return stats(session);
  if (path_command->parsed()) return path(session);
  if (dump_command->parsed()) return dump(session, key, output);
  return kUsage;
}

}  // namespace
}  // namespace cudahot::tool

int main(int argc, char** argv) {
  try {
    return cudahot::tool::checked_output(cudahot::tool::run(argc, argv));
  } catch (const std::exception& exception) {  // out of memory, or a mistake in the options above
    cudahot::tool::message(exception.what());
    return cudahot::tool::kEnvironment;
  }
}

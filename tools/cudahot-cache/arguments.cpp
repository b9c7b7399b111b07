#include "tools/cudahot-cache/arguments.hpp"

#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "tools/cudahot-cache/columns.hpp"

namespace cudahot::tool {
namespace {

constexpr const char* kFooter =
    R"(KEY is a key or an unambiguous beginning of one. SIZE is as 500M or 1GiB, AGE as 90s, 12h or 30d.
Data goes to standard output, messages go to standard error. `COMMAND --help` has examples.
Exit code: 0 fine, 1 a problem was found, 2 usage, 3 environment.)";

template <std::size_t N>
std::vector<std::string> names(const char* const (&list)[N]) {
  return {std::begin(list), std::end(list)};
}

// Checks give what is wrong, or nothing.
std::string check_count(const std::string& text) {
  std::size_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc() && after == end && count > 0) return {};
  return fmt::format("'{}' is no number from 1 to {}", text, std::numeric_limits<std::size_t>::max());
}

std::string check_not_empty(const std::string& text) { return text.empty() ? "its value is empty" : ""; }

// What is left out means the default; what is empty is a variable of a script that was not set.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() > 0) option->check(check_not_empty);
  }
  for (CLI::App* command : app.get_subcommands({})) refuse_empty_values(*command);
}

CLI::App* add_command(CLI::App& app, Arguments& arguments, const std::string& name, const std::string& description,
                      const std::string& examples, std::function<int()> command) {
  CLI::App* added = app.add_subcommand(name, description);
  added->footer("Examples:\n" + examples);
  added->callback([&arguments, command = std::move(command)] { arguments.command = command; });
  return added;
}

void add_filter(CLI::App& command, FilterOptions& filter) {
  constexpr const char* kGroup = "Which entries";
  command.add_option("--name", filter.name, "with TEXT in their kernels' names")->type_name("TEXT")->group(kGroup);
  command.add_option("--region", filter.region, "with this region")->type_name("NAME")->group(kGroup);
  command.add_option("--source", filter.source, "of this file: a path, or the end of one")
      ->type_name("FILE")
      ->group(kGroup);
  command.add_option("--arch", filter.architectures, "for these architectures: 90, sm_90a, cpu-x86-64, ...")
      ->type_name("LIST")
      ->allow_extra_args(false)
      ->group(kGroup);
  command.add_option("--tier", filter.tier, "of this tier")->check(CLI::IsMember(names(kTiers)))->group(kGroup);
  command.add_option("--kind", filter.kind, "of this kind")->check(CLI::IsMember(names(kKinds)))->group(kGroup);
  command.add_option("--newer", filter.newer, "made less than AGE ago")->type_name("AGE")->group(kGroup);
  command.add_option("--older", filter.older, "made more than AGE ago")->type_name("AGE")->group(kGroup);
  command.add_option("--unused", filter.unused, "neither used nor made for AGE")->type_name("AGE")->group(kGroup);
}

void declare_looking(CLI::App& app, Arguments& a) {
  CLI::App* ls = add_command(app, a, "ls", "list the entries: one line for each CUBIN",
                             "  cudahot-cache ls\n"
                             "  cudahot-cache ls --arch 90a --sort size        the largest for sm_90a first\n"
                             "  cudahot-cache ls --source shade.cu --tree      by kernel, of one file\n"
                             "  cudahot-cache ls --newer 2h --columns key,name,build,used,source\n"
                             "  cudahot-cache --db app.cudahot ls              what is in a bundle",
                             [&a] { return list(a.session, a.list); });
  add_filter(*ls, a.list.filter);
  ls->add_option("--sort", a.list.sort, "order by this column (default: age, youngest first)")
      ->check(CLI::IsMember(column_names()));
  ls->add_flag("--reverse", a.list.reverse, "the other way round");
  std::string columns;
  for (const std::string& name : column_names()) columns += (columns.empty() ? "" : ",") + name;
  ls->add_option("--columns", a.list.columns, "what to show, of " + columns)->type_name("LIST");
  ls->add_flag("--tree", a.list.tree, "below kernel and source");
  ls->add_flag("--bytes", a.list.bytes, "exact sizes");
  ls->add_option("--limit", a.list.limit, "at most N entries, 1 or more (default: all)")
      ->type_name("N")
      ->check(check_count);

  CLI::App* show_command = add_command(app, a, "show", "everything known about one entry",
                                       "  cudahot-cache show 5da2\n"
                                       "  cudahot-cache show 5da2 --full                 with the whole text",
                                       [&a] { return show(a.session, a.show); });
  show_command->add_option("KEY", a.show.key, "its key, or the beginning of it")->required();
  show_command->add_flag("--full", a.show.full, "print long fields whole");

  CLI::App* explain_command =
      add_command(app, a, "explain", "why the last lookups of a file's kernels missed",
                  "  cudahot-cache explain shade.cu                 what was different, down to the header's line",
                  [&a] { return explain(a.session, a.explained); });
  explain_command->add_option("FILE", a.explained, "a path, or the end of one")->required();

  add_command(app, a, "stats", "entries, bytes, hits, misses and their reasons, time saved",
              "  cudahot-cache stats\n  cudahot-cache stats --json", [&a] { return stats(a.session); });
  add_command(app, a, "path", "print where the cache is", "  ls -l \"$(cudahot-cache path)\"",
              [&a] { return path(a.session); });
  CLI::App* dump_command = add_command(app, a, "dump", "write the CUBIN of one entry",
                                       "  cudahot-cache dump 5da2 -o shade.cubin\n"
                                       "  cudahot-cache dump 5da2 | nvdisasm -",
                                       [&a] { return dump(a.session, a.dumped, a.dump_output); });
  dump_command->add_option("KEY", a.dumped, "its key, or the beginning of it")->required();
  dump_command->add_option("-o,--output", a.dump_output, "file to write (default: standard output)")->type_name("FILE");
}

void declare_cleaning(CLI::App& app, Arguments& a) {
  CLI::App* verify_command = add_command(app, a, "verify", "check the database and the digest of every entry",
                                         "  cudahot-cache verify\n"
                                         "  cudahot-cache verify --repair                  remove what is damaged\n"
                                         "  cudahot-cache --db app.cudahot verify --repair",
                                         [&a] { return verify(a.session, a.verify); });
  verify_command->add_flag("--repair", a.verify.repair,
                           "remove what is damaged; of a file that is damaged itself save what is sound");
  verify_command->add_flag("--dry-run", a.verify.dry_run, "only say what would be done");

  CLI::App* gc_command = add_command(app, a, "gc", "remove what is too much or too old, least recently used first",
                                     "  cudahot-cache gc --max-size 500M\n"
                                     "  cudahot-cache gc --max-age 30d --dry-run       what would go",
                                     [&a] { return gc(a.session, a.gc); });
  gc_command
      ->add_option(
          "--max-size", a.gc.max_size,
          "remove entries until the rest takes at most SIZE; 0: no bound (default: $CUDAHOT_CACHE_SIZE, else 1GiB)")
      ->type_name("SIZE");
  gc_command
      ->add_option("--max-age", a.gc.max_age,
                   "remove entries that were not used for AGE; 0: no bound (default: $CUDAHOT_CACHE_AGE, else 0)")
      ->type_name("AGE");
  gc_command->add_flag("--dry-run", a.gc.dry_run, "only list them");

  CLI::App* rm = add_command(app, a, "rm", "remove entries from the cache",
                             "  cudahot-cache rm 5da2 77f0\n"
                             "  cudahot-cache rm --source shade.cu --dry-run   what would go\n"
                             "  cudahot-cache rm --unused 30d\n"
                             "  cudahot-cache rm --all",
                             [&a] { return remove(a.session, a.remove); });
  rm->add_option("KEY", a.remove.selection.keys, "these entries");
  add_filter(*rm, a.remove.selection.filter);
  rm->add_flag("--all", a.remove.all, "every entry");
  rm->add_flag("--dry-run", a.remove.dry_run, "only list them");
}

void declare_sharing(CLI::App& app, Arguments& a) {
  CLI::App* export_command =
      add_command(app, a, "export", "make a bundle of some entries, and the slices of their files",
                  "  cudahot-cache export mine.cudahot --source shade.cu\n"
                  "  cudahot-cache --db app.cudahot export small.cudahot --arch 90,90a",
                  [&a] { return export_bundle(a.session, a.export_); });
  export_command->add_option("FILE", a.export_.output, "the bundle to make")->required();
  export_command->add_option("KEY", a.export_.selection.keys, "these entries");
  add_filter(*export_command, a.export_.selection.filter);
  export_command->add_flag("--force", a.export_.force, "replace a bundle that is there");

  CLI::App* import_command =
      add_command(app, a, "import", "copy the entries of bundles or caches into the cache",
                  "  cudahot-cache import app.cudahot", [&a] { return import_bundles(a.session, a.imports); });
  import_command->add_option("FILE", a.imports, "bundles or caches")->required();

  CLI::App* merge_command = add_command(app, a, "merge", "make one bundle of several, as of one for each architecture",
                                        "  cudahot-cache merge -o app.cudahot app-sm80.cudahot app-sm90.cudahot",
                                        [&a] { return merge(a.session, a.merge); });
  merge_command->add_option("-o,--output", a.merge.output, "the bundle to make")->type_name("FILE")->required();
  merge_command->add_option("FILE", a.merge.inputs, "bundles or caches")->required();
  merge_command
      ->add_option("--prefer", a.merge.preference,
                   "of slices of one source that differ in more than architectures: first or newest")
      ->type_name("WHICH")
      ->transform(CLI::CheckedTransformer(std::vector<std::pair<std::string, Preference>>{
          {"first", Preference::first}, {"newest", Preference::newest}}));
  merge_command->add_flag("--force", a.merge.force, "replace a bundle that is there");
}

}  // namespace

void declare(CLI::App& app, Arguments& arguments) {
  app.require_subcommand(1);
  app.fallthrough();  // --db and --json may stand behind the command as well
  app.add_option("--db", arguments.session.file, "cache or bundle to work on (default: the user's cache)")
      ->type_name("FILE");
  app.add_flag("--json", arguments.session.json, "print JSON");
  declare_looking(app, arguments);
  declare_cleaning(app, arguments);
  declare_sharing(app, arguments);
  refuse_empty_values(app);
  app.footer(kFooter);  // last, so that the commands do not inherit it
}

}  // namespace cudahot::tool

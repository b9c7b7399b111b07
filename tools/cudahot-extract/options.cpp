#include "tools/cudahot-extract/options.hpp"

#include <algorithm>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace cudahot::extract_tool {
namespace {

constexpr const char* kAbout =
    "Finds the regions marked with `#pragma cudahot begin(NAME)` and `#pragma cudahot end` in CUDA source files and "
    "compiles their kernels into a bundle or a cache. Without --bundle or --cache the files are only checked.";
constexpr const char* kFooter =
    "Arguments after -- are nvcc or Clang flags of the files.\n"
    "Exit code: 0 done, 1 the source is at fault, 2 wrong usage (also a FILE that is not there), 3 the environment is "
    "at "
    "fault (also a damaged slice).";

constexpr unsigned kMostJobs = 1024;
constexpr const char* kSliceEnding = ".slice.json";

// What CLI11 fills.
struct Raw {
  std::vector<std::string> files;
  std::string architectures;
  std::string tier = "full";
  std::string bundle;
  std::string cache;
  std::string toolkit;
  std::string resource_dir;
  std::string compile_commands_folder;
  std::string slice_folder;
  std::string depfile;
  std::string sarif;
  bool no_nvcc_variables = false;
  bool allow_no_region = false;
  bool list = false;
  bool check = false;
  bool json = false;
  bool verbose = false;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
};

// An unset variable of a script must not pass for an option that was left out.
CLI::Validator not_empty() {
  return CLI::Validator([](std::string& value) { return value.empty() ? "the value is empty" : std::string(); }, "");
}

void declare(CLI::App& app, Raw& raw) {
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("cudahot-extract " CUDAHOT_VERSION));
  app.add_option("FILE", raw.files, "CUDA source files, or their slices (*.slice.json)")->required()->type_name("");
  app.add_option("--arch", raw.architectures,
                 "architectures, such as 80,90a, all-major, native or cpu-x86-64 (default: those of the flags)")
      ->type_name("LIST");
  app.add_option("--bundle", raw.bundle, "write slices and CUBINs to this bundle")
      ->type_name("FILE")
      ->check(not_empty());
  app.add_option("--cache", raw.cache, "put CUBINs into this cache")->type_name("FILE")->check(not_empty());
  app.add_option("--tier", raw.tier, "'quick' adds the CUBINs of the quick tier to those of the full one")
      ->type_name("quick|full");
  app.add_option("--toolkit", raw.toolkit, "root of the CUDA toolkit")->type_name("DIR")->check(not_empty());
  app.add_option("--resource-dir", raw.resource_dir, "Clang's resource folder")->type_name("DIR")->check(not_empty());
  app.add_option("-p", raw.compile_commands_folder, "take each file's flags from compile_commands.json in this folder")
      ->type_name("DIR")
      ->check(not_empty());
  app.add_flag("--list", raw.list, "print regions and kernels; compile nothing");
  app.add_flag("--check", raw.check, "compile, but store nothing");
  app.add_option("--emit-slice", raw.slice_folder, "write <stem>.slice.json and <stem>.slice.cu to this folder")
      ->type_name("DIR")
      ->check(not_empty());
  app.add_option("--depfile", raw.depfile, "write what the output depends on, for Make and Ninja")
      ->type_name("FILE")
      ->check(not_empty());
  app.add_flag("--allow-no-region", raw.allow_no_region, "with --emit-slice: files without a region are no error");
  app.add_flag("--no-nvcc-variables", raw.no_nvcc_variables, "do not add NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS");
  app.add_flag("--json", raw.json, "print the result as JSON on standard output");
  app.add_option("--sarif", raw.sarif, "write all messages to this file as SARIF 2.1.0")
      ->type_name("FILE")
      ->check(not_empty());
  app.add_option("-j", raw.jobs, "how many extractions and compilations run at the same time")->type_name("N");
  app.add_flag("-v,--verbose", raw.verbose, "say what is done, and which flags have no meaning here");
}

std::optional<std::filesystem::path> path_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return std::filesystem::path(text);
}

Result<Options> convert(const Raw& raw) {
  Options options;
  options.files.assign(raw.files.begin(), raw.files.end());
  if (!raw.architectures.empty()) {
    auto architectures = extract::parse_wanted_architectures(raw.architectures);
    if (!architectures) return fail(std::move(architectures.error()));
    options.architectures = std::move(*architectures);
  }
  const auto tier = region::parse_tier(raw.tier);
  if (!tier) return fail(ErrorCode::usage, fmt::format("--tier takes quick or full, not '{}'", raw.tier));
  if (raw.bundle.empty() + raw.cache.empty() + !raw.check < 2) {
    return fail(ErrorCode::usage, "--bundle, --cache and --check exclude each other");
  }
  if (raw.jobs == 0 || raw.jobs > kMostJobs) {
    return fail(ErrorCode::usage, fmt::format("-j takes a number from 1 to {}, not {}", kMostJobs, raw.jobs));
  }
  if (*tier == region::Tier::quick) options.tiers.push_back(region::Tier::quick);
  options.bundle = path_of(raw.bundle);
  options.cache = path_of(raw.cache);
  options.toolkit = path_of(raw.toolkit);
  options.resource_dir = path_of(raw.resource_dir);
  options.compile_commands_folder = path_of(raw.compile_commands_folder);
  options.slice_folder = path_of(raw.slice_folder);
  options.depfile = path_of(raw.depfile);
  options.sarif = path_of(raw.sarif);
  options.nvcc_variables = !raw.no_nvcc_variables;
  options.allow_no_region = raw.allow_no_region;
  options.list = raw.list;
  options.check = raw.check;
  options.json = raw.json;
  options.verbose = raw.verbose;
  options.jobs = raw.jobs;
  if (options.depfile && !options.bundle && !options.cache && !options.slice_folder) {
    return fail(ErrorCode::usage,
                "--depfile needs --bundle, --cache or --emit-slice: it says what that output depends on");
  }
  if (options.allow_no_region && !options.slice_folder) {
    return fail(ErrorCode::usage, "--allow-no-region needs --emit-slice: only a slice can say that there is no region");
  }
  return options;
}

// What the slice of `file` is called, without its endings.
std::string slice_stem(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return is_slice_file(file) ? name.substr(0, name.size() - std::string_view(kSliceEnding).size())
                             : file.stem().string();
}

Status check_slices_have_names(const Options& options) {
  if (!options.slice_folder) return {};
  std::map<std::string, std::filesystem::path> names;
  for (const auto& file : options.files) {
    const auto [other, first] = names.try_emplace(slice_stem(file), file);
    if (!first) {
      return fail(ErrorCode::usage, fmt::format("--emit-slice: the slices of '{}' and '{}' would have the same name; "
                                                "give each a run and a folder of its own",
                                                other->second.string(), file.string()));
    }
  }
  return {};
}

Status check_flags_are_for_sources(const Options& options) {
  if (options.flags.empty() && !options.compile_commands_folder) return {};
  const auto slice = std::ranges::find_if(options.files, is_slice_file);
  if (slice == options.files.end()) return {};
  return fail(
      ErrorCode::usage,
      fmt::format("'{}' is a slice, which has its flags: {} cannot change them; give slices to a run of their own",
                  slice->string(), options.flags.empty() ? "-p" : "those behind --"));
}

}  // namespace

bool is_slice_file(const std::filesystem::path& file) { return file.string().ends_with(kSliceEnding); }

Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments) {
  const auto separator = std::ranges::find(arguments, "--");
  std::vector<std::string> ours(arguments.begin(), separator);
  CLI::App app(kAbout, "cudahot-extract");
  Raw raw;
  declare(app, raw);
  std::ranges::reverse(ours);  // CLI11 takes them from the back
  try {
    app.parse(ours);
  } catch (const CLI::CallForHelp&) {
    return CommandLine{std::nullopt, app.help()};
  } catch (const CLI::CallForVersion&) {
    return CommandLine{std::nullopt, app.version() + "\n"};
  } catch (const CLI::ExtrasError& error) {
    return fail(ErrorCode::usage, fmt::format("{} (compiler flags go after --; see --help)", error.what()));
  } catch (const CLI::ParseError& error) {
    return fail(ErrorCode::usage, fmt::format("{} (see --help)", error.what()));
  }
  auto options = convert(raw);
  if (!options) return fail(std::move(options.error()));
  if (separator != arguments.end()) options->flags.assign(std::next(separator), arguments.end());
  for (const auto check : {check_slices_have_names, check_flags_are_for_sources}) {
    if (auto fitting = check(*options); !fitting) return fail(std::move(fitting.error()));
  }
  return CommandLine{std::move(*options), {}};
}

}  // namespace cudahot::extract_tool

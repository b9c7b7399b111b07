#include "lib/runtime/extractor.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lib/base/files.hpp"
#include "lib/base/paths.hpp"
#include "lib/base/processes.hpp"
#include "lib/region/manifest.hpp"

namespace cudahot::runtime {
namespace {

constexpr const char* kProgram = "cudahot-extract";
constexpr int kSourceAtFault = 1;

using Json = nlohmann::json;

std::string text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint32_t number_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint32_t>() : 0;
}

const Json& list_member(const Json& object, const char* name) {
  static const Json kNothing = Json::array();
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : kNothing;
}

Severity parse_severity(const std::string& text) {
  if (text == "note") return Severity::note;
  return text == "warning" ? Severity::warning : Severity::error;
}

void append_diagnostics(const Json& list, std::vector<Diagnostic>& diagnostics) {
  for (const Json& entry : list) {
    if (!entry.is_object()) continue;
    Diagnostic diagnostic;
    diagnostic.severity = parse_severity(text_member(entry, "severity"));
    diagnostic.id = text_member(entry, "id");
    diagnostic.location = {text_member(entry, "file"), number_member(entry, "line"), number_member(entry, "column")};
    diagnostic.text = text_member(entry, "text");
    diagnostic.frame = text_member(entry, "frame");
    diagnostic.hint = text_member(entry, "hint");
    if (!diagnostic.text.empty()) diagnostics.push_back(std::move(diagnostic));
  }
}

// The program names files as they are seen from its folder.
void make_absolute(std::string& file, const std::filesystem::path& folder) {
  if (!file.empty()) file = (folder / file).lexically_normal().string();
}

bool has_error(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& each) { return each.severity == Severity::error; });
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// The arguments of the extraction that made the slice, without a toolkit that the program
// replaces or that is not on this machine: the tool looks for one then.
std::vector<std::string> recorded_arguments(const ExtractorSettings& settings, const region::Slice& slice) {
  std::vector<std::string> arguments = slice.extract_arguments;
  const auto flags = std::find(arguments.begin(), arguments.end(), "--");
  const auto toolkit = std::find(arguments.begin(), flags, "--toolkit");
  if (toolkit == flags || toolkit + 1 == flags) return arguments;
  std::error_code error;
  if (settings.toolkit || !std::filesystem::exists(*(toolkit + 1), error)) arguments.erase(toolkit, toolkit + 2);
  return arguments;
}

// Code that says __FILE__ was compiled with the name that the first extraction was given.
std::string name_as_given(const region::Slice& slice) {
  const region::FileRecord& file = region::main_file(slice);
  const auto named = std::filesystem::path(slice.working_directory) / file.virtual_name;
  return named.lexically_normal() == file.path ? file.virtual_name : file.path;
}

Result<region::Slice> read_manifest(const std::filesystem::path& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != ".json") continue;
    auto document = base::read_file(entry->path());
    if (!document) return fail(std::move(document.error()));
    return region::from_manifest(*document);
  }
  return fail(ErrorCode::internal, "cudahot-extract succeeded, but left no slice");
}

Error explain(const base::ProcessOutcome& outcome, std::vector<Diagnostic> diagnostics, const std::string& file) {
  Error error;
  error.code = outcome.exit_code == kSourceAtFault ? ErrorCode::source : ErrorCode::environment;
  error.diagnostics = std::move(diagnostics);
  if (outcome.signal != 0) {
    error.message = fmt::format("cudahot-extract was ended by signal {} at '{}'", outcome.signal, file);
    return error;
  }
  error.message = fmt::format("'{}' cannot be extracted", file);
  const std::string said = trimmed(outcome.err);
  if (error.diagnostics.empty() && !said.empty()) error.message += ": " + said;
  return error;
}

}  // namespace

Result<std::filesystem::path> find_extractor(const ExtractorSettings& settings) {
  if (settings.program) return *settings.program;
  const auto beside = base::executable_path().parent_path() / kProgram;
  std::error_code error;
  if (std::filesystem::exists(beside, error)) return beside;
  if (auto found = base::find_program(kProgram)) return *found;
  return fail(ErrorCode::not_found,
              fmt::format("more than a region changed, which takes cudahot-extract, and it is neither beside the "
                          "program ('{}') nor on PATH: install it, name it in RuntimeOptions::extractor, or rebuild",
                          beside.string()));
}

ExtractOutcome run_extractor(const ExtractorSettings& settings, const region::Slice& slice,
                             const std::function<bool()>& cancelled) {
  const auto program = find_extractor(settings);
  if (!program) return {fail(program.error()), {}};
  const auto folder = base::TemporaryFolder::create("cudahot-slice");
  if (!folder) return {fail(folder.error()), {}};
  const std::string& file = region::main_file(slice).path;
  base::ProcessRequest request;
  request.arguments = {program->string(), "--emit-slice", folder->path().string(), "--json", name_as_given(slice)};
  const auto recorded = recorded_arguments(settings, slice);
  request.arguments.insert(request.arguments.end(), recorded.begin(), recorded.end());
  request.working_directory = slice.working_directory;
  if (settings.toolkit) request.extra_environment.push_back("CUDAHOT_TOOLKIT=" + settings.toolkit->string());
  request.cancelled = cancelled;
  auto outcome = base::run_process(request);
  if (!outcome) return {fail(std::move(outcome.error())), {}};
  auto report = parse_extractor_output(outcome->out);
  for (Diagnostic& diagnostic : report.diagnostics) make_absolute(diagnostic.location.file, slice.working_directory);
  for (std::string& dependency : report.dependencies) make_absolute(dependency, slice.working_directory);
  if (outcome->cancelled) {
    return {fail(ErrorCode::busy, fmt::format("extraction of '{}' was given up for newer text", file)), {}};
  }
  // Where its exit code cannot be known, what it said decides.
  if (outcome->exit_code < 0 && outcome->signal == 0) {
    outcome->exit_code = has_error(report.diagnostics) ? kSourceAtFault : 0;
  }
  if (outcome->exit_code != 0) {
    return {fail(explain(*outcome, std::move(report.diagnostics), file)), std::move(report.dependencies),
            std::move(report.lookups)};
  }
  return {read_manifest(folder->path()), std::move(report.dependencies), std::move(report.lookups)};
}

ExtractorReport parse_extractor_output(std::string_view output) {
  ExtractorReport report;
  const Json document = Json::parse(output, nullptr, false);
  for (const Json& file : list_member(document, "files")) {
    for (const Json& dependency : list_member(file, "dependencies")) {
      if (dependency.is_string()) report.dependencies.push_back(dependency.get<std::string>());
    }
    for (const Json& lookup : list_member(file, "lookups")) {
      if (!lookup.is_object()) continue;
      const auto found = lookup.find("found");
      std::string path = text_member(lookup, "path");
      if (path.empty() || found == lookup.end() || !found->is_boolean()) continue;
      report.lookups.push_back({std::move(path), found->get<bool>()});
    }
  }
  append_diagnostics(list_member(document, "diagnostics"), report.diagnostics);
  return report;
}

}  // namespace cudahot::runtime

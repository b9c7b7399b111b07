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

Severity parse_severity(const std::string& text) {
  if (text == "note") return Severity::note;
  return text == "warning" ? Severity::warning : Severity::error;
}

void append_diagnostics(const Json& document, std::vector<Diagnostic>& diagnostics) {
  if (!document.is_object()) return;
  const auto list = document.find("diagnostics");
  if (list == document.end() || !list->is_array()) return;
  for (const Json& entry : *list) {
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

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

Result<region::Slice> read_manifest(const std::filesystem::path& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != ".json") continue;
    auto document = base::read_file(entry->path());
    if (!document) return fail(std::move(document.error()));
    return region::from_manifest(*document);
  }
  return fail(ErrorCode::source,
              "the file no longer has a region: nothing in it can be edited while it runs until a "
              "`#pragma cudahot begin(NAME)` is back");
}

Error explain(const base::ProcessOutcome& outcome, const std::string& file) {
  Error error;
  error.diagnostics = parse_extractor_output(outcome.out);
  error.code = outcome.exit_code == kSourceAtFault ? ErrorCode::source : ErrorCode::environment;
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

Result<std::filesystem::path> find_extractor(const std::optional<std::filesystem::path>& explicit_program) {
  if (explicit_program) return *explicit_program;
  const auto beside = base::executable_path().parent_path() / kProgram;
  std::error_code error;
  if (std::filesystem::exists(beside, error)) return beside;
  if (auto found = base::find_program(kProgram)) return *found;
  return fail(ErrorCode::not_found,
              fmt::format("more than a region changed, which takes cudahot-extract, and it is neither beside the "
                          "program ('{}') nor on PATH: install it, name it in RuntimeOptions::extractor, or rebuild",
                          beside.string()));
}

ExtractOutcome run_extractor(const std::filesystem::path& program, const region::Slice& slice,
                             const std::function<bool()>& cancelled) {
  auto folder = base::TemporaryFolder::create("cudahot-slice");
  if (!folder) return {fail(std::move(folder.error())), {}};
  const auto depfile = folder->path() / "depfile";
  const std::string& file = region::main_file(slice).path;
  base::ProcessRequest request;
  request.arguments = {
      program.string(), "--emit-slice", folder->path().string(), "--depfile", depfile.string(), "--json", file};
  request.arguments.insert(request.arguments.end(), slice.extract_arguments.begin(), slice.extract_arguments.end());
  request.working_directory = slice.working_directory;
  request.cancelled = cancelled;
  auto outcome = base::run_process(request);
  if (!outcome) return {fail(std::move(outcome.error())), {}};
  ExtractOutcome extracted{Result<region::Slice>(), {}};
  if (auto text = base::read_file(depfile)) extracted.dependencies = parse_depfile(*text);
  if (outcome->cancelled) {
    extracted.slice = fail(ErrorCode::busy, fmt::format("extraction of '{}' was given up for newer text", file));
  } else if (outcome->exit_code != 0) {
    extracted.slice = fail(explain(*outcome, file));
  } else {
    extracted.slice = read_manifest(folder->path());
  }
  return extracted;
}

std::vector<Diagnostic> parse_extractor_output(std::string_view output) {
  std::vector<Diagnostic> diagnostics;
  const Json whole = Json::parse(output, nullptr, false);
  if (!whole.is_discarded()) {
    append_diagnostics(whole, diagnostics);
    return diagnostics;
  }
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const Json line = Json::parse(output.substr(0, end), nullptr, false);
    if (!line.is_discarded()) append_diagnostics(line, diagnostics);
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return diagnostics;
}

std::vector<std::string> parse_depfile(std::string_view depfile) {
  std::vector<std::string> files;
  std::string word;
  bool after_target = false;
  auto finish = [&] {
    if (word.empty()) return;
    if (after_target) files.push_back(word);
    else after_target = word.back() == ':';
    word.clear();
  };
  for (std::size_t i = 0; i < depfile.size(); ++i) {
    const char c = depfile[i];
    const char next = i + 1 < depfile.size() ? depfile[i + 1] : '\0';
    if (c == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      word += next;
      ++i;
    } else if (c == '$' && next == '$') {
      word += '$';
      ++i;
    } else if (c == '\\' && next == '\n') {
      finish();
      ++i;
    } else if (c == '\n') {
      finish();
      after_target = false;
    } else if (c == ' ' || c == '\t') {
      finish();
    } else {
      word += c;
    }
  }
  finish();
  return files;
}

}  // namespace cudahot::runtime

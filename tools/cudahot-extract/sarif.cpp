#include "tools/cudahot-extract/sarif.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lib/base/files.hpp"
#include "lib/base/severity.hpp"
#include "lib/extract/refusals.hpp"
#include "tools/cudahot-extract/report.hpp"

namespace cudahot::extract_tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kCompilerRule = "compiler";

// A message and the notes behind it.
struct Finding {
  Diagnostic main;
  std::vector<Diagnostic> notes;
};

std::vector<Finding> group(std::vector<Diagnostic> diagnostics) {
  std::vector<Finding> findings;
  for (Diagnostic& diagnostic : diagnostics) {
    // A note with a hint stands for itself.
    const bool belongs = diagnostic.severity == Severity::note && diagnostic.hint.empty() && !findings.empty();
    if (belongs) findings.back().notes.push_back(std::move(diagnostic));
    else findings.push_back({std::move(diagnostic), {}});
  }
  return findings;
}

std::string uri_of(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error).lexically_normal().string();
  std::string uri = "file://";
  for (const char c : error ? path : whole) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

// Lines of the files that diagnostics are about: ours count bytes, SARIF's characters.
class Sources {
 public:
  Json region(const Diagnostic& diagnostic) {
    const SourceLocation& at = diagnostic.location;
    Json region = {{"startLine", at.line}};
    if (at.column == 0) return region;
    const std::string_view line = line_of(at);
    const std::size_t begin = std::min<std::size_t>(at.column - 1, line.size());
    const std::size_t end = std::min(begin + frame_width(diagnostic.frame), line.size());
    const std::size_t first = line.empty() ? at.column : characters(line.substr(0, begin)) + 1;
    region["startColumn"] = first;
    region["endColumn"] = first + std::max<std::size_t>(1, characters(line.substr(begin, end - begin)));
    if (!line.empty()) region["snippet"] = {{"text", line}};
    return region;
  }

 private:
  std::string_view line_of(const SourceLocation& at) {
    auto known = texts_.find(at.file);
    if (known == texts_.end()) {
      const auto text = base::read_file(at.file);
      known = texts_.emplace(at.file, text ? base::normalise_source(*text) : std::string()).first;
    }
    std::string_view text = known->second;
    for (std::uint32_t line = 1; line < at.line; ++line) {
      const std::size_t newline = text.find('\n');
      if (newline == std::string_view::npos) return {};
      text.remove_prefix(newline + 1);
    }
    return text.substr(0, text.find('\n'));
  }

  std::map<std::string, std::string> texts_;
};

Json message_of(const Diagnostic& diagnostic) {
  std::string text = diagnostic.text;
  if (!diagnostic.hint.empty()) text += fmt::format("\nhint: {}", diagnostic.hint);
  return {{"text", text}};
}

Json location_of(const Diagnostic& diagnostic, Sources& sources) {
  Json place = {{"artifactLocation", {{"uri", uri_of(diagnostic.location.file)}}}};
  if (diagnostic.location.line != 0) place["region"] = sources.region(diagnostic);
  return {{"physicalLocation", std::move(place)}};
}

Json rules() {
  Json all = Json::array();
  for (const auto& rule : extract::refusal_rules()) {
    all.push_back({{"id", rule.id},
                   {"shortDescription", {{"text", rule.what}}},
                   {"help", {{"text", rule.hint}}},
                   {"defaultConfiguration", {{"level", "error"}}}});
  }
  all.push_back({{"id", kCompilerRule}, {"shortDescription", {{"text", "what a compiler says of the source"}}}});
  return all;
}

std::size_t rule_index(const Diagnostic& diagnostic) {
  const auto known = extract::refusal_rules();
  const auto rule = std::ranges::find(known, diagnostic.id, &extract::RefusalRule::id);
  return static_cast<std::size_t>(rule - known.begin());  // the compilers' stands behind them
}

Json result_of(const Finding& finding, Sources& sources) {
  Json result = {{"ruleId", finding.main.id.empty() ? kCompilerRule : finding.main.id},
                 {"ruleIndex", rule_index(finding.main)},
                 {"level", base::name_of(finding.main.severity)},
                 {"message", message_of(finding.main)}};
  result["locations"] = Json::array({location_of(finding.main, sources)});
  Json related = Json::array();
  for (const Diagnostic& note : finding.notes) {
    Json location = note.location.file.empty() ? Json::object() : location_of(note, sources);
    location["message"] = message_of(note);
    related.push_back(std::move(location));
  }
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  return result;
}

}  // namespace

std::string to_sarif(const Outcome& outcome, std::string_view version) {
  Json results = Json::array();
  Json notifications = Json::array();
  Sources sources;
  for (const Finding& finding : group(all_diagnostics(outcome))) {
    if (finding.main.location.file.empty()) {
      notifications.push_back({{"level", base::name_of(finding.main.severity)}, {"message", message_of(finding.main)}});
    } else {
      results.push_back(result_of(finding, sources));
    }
  }
  Json invocation = {{"executionSuccessful", exit_code(outcome) == 0}, {"exitCode", exit_code(outcome)}};
  if (!notifications.empty()) invocation["toolExecutionNotifications"] = std::move(notifications);
  Json run = {{"tool", {{"driver", {{"name", "cudahot-extract"}, {"version", version}, {"rules", rules()}}}}},
              {"columnKind", "unicodeCodePoints"}};
  run["invocations"] = Json::array({std::move(invocation)});
  run["results"] = std::move(results);
  Json document = {{"$schema", kSchema}, {"version", "2.1.0"}};
  document["runs"] = Json::array({std::move(run)});
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cudahot::extract_tool

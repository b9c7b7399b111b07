#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <cxxabi.h>

#include <fmt/format.h>

#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/describe.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"
#include "tools/cudahot-cache/table.hpp"

namespace cudahot::tool {
namespace {

using cache::Store;

constexpr std::size_t kLongestField = 100;  // bytes of a preimage field that are shown to people

constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kFieldMeanings = {{
    {"vers", "preimage version"},
    {"kind", "kind"},
    {"arch", "architecture"},
    {"tier", "tier"},
    {"text", "slice text"},
    {"segm", "segment"},
    {"optn", "option"},
    {"kern", "kernel"},
    {"nexp", "name expression"},
    {"mang", "mangled name"},
    {"nvrt", "NVRTC"},
    {"nvjl", "nvJitLink"},
    {"dhdr", "device headers"},
    {"hnam", "header"},
    {"hdig", "header digest"},
    {"drtl", "device runtime digest"},
    {"usel", "uses helper library"},
    {"hlib", "helper library"},
    {"form", "form"},
    {"hsrc", "helper library source"},
}};

std::string meaning(const std::string& tag) {
  for (const auto& [known, text] : kFieldMeanings) {
    if (tag == known) return std::string(text);
  }
  return tag;
}

// As a signature; "" where it is not mangled.
std::string demangled(const std::string& symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : "";
  std::free(text);
  return result;
}

// The name in the source; "" where none is recorded.
std::string source_name(const cache::Artifact& artifact, const std::string& symbol) {
  const auto found = std::ranges::find(artifact.lowered_names, symbol, &std::pair<std::string, std::string>::second);
  return found == artifact.lowered_names.end() ? std::string() : found->first;
}

std::string field_for_people(const cache::Field& field) {
  if (field.bytes.size() > kLongestField || field.bytes.find('\n') != std::string::npos) {
    return fmt::format("{} bytes, digest {}", field.bytes.size(), base::to_hex(base::digest(field.bytes)));
  }
  return printable(field.bytes);
}

// Lines are kept, with a mark before each.
std::string whole_field(const cache::Field& field) {
  if (field.bytes.find('\n') == std::string::npos) return printable(field.bytes);
  std::string text = fmt::format("{} bytes", field.bytes.size());
  for (std::string_view rest = field.bytes; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    text += fmt::format("\n  | {}", printable(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

Json kernel_to_json(const cache::Artifact& artifact, const base::KernelFacts& kernel) {
  Json parameters = Json::array();
  for (const base::ParameterFacts& parameter : kernel.parameters) {
    parameters.push_back({{"offset", parameter.offset}, {"size", parameter.size}});
  }
  const auto known = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  return {{"name", known(source_name(artifact, kernel.lowered_name))},
          {"lowered_name", kernel.lowered_name},
          {"demangled_name", known(demangled(kernel.lowered_name))},
          {"registers", kernel.registers},
          {"static_shared_bytes", kernel.static_shared_bytes},
          {"local_bytes", kernel.local_bytes},
          {"constant_bytes", kernel.constant_bytes},
          {"max_threads", kernel.max_threads == 0 ? Json(nullptr) : Json(kernel.max_threads)},
          {"parameters", std::move(parameters)}};
}

Json to_json(const std::filesystem::path& file, const Store::Entry& entry) {
  Json json = {{"database", file.string()}};
  json.update(summary_to_json(entry.summary));
  Json kernels = Json::array();
  for (const auto& kernel : entry.artifact.kernels) kernels.push_back(kernel_to_json(entry.artifact, kernel));
  Json names = Json::array();
  for (const auto& [name, symbol] : entry.artifact.lowered_names) names.push_back({{"name", name}, {"symbol", symbol}});
  Json files = Json::array();
  for (const auto& source : entry.provenance.files) {
    files.push_back({{"name", source.name},
                     {"path", source.path},
                     {"role", source.role},
                     {"digest", base::to_hex(source.content)}});
  }
  Json preimage = Json::array();
  for (const cache::Field& field : entry.preimage) {
    preimage.push_back({{"tag", field.tag}, {"meaning", meaning(field.tag)}, {"value", field.bytes}});
  }
  json["kernels"] = std::move(kernels);
  json["lowered_names"] = std::move(names);
  json["files"] = std::move(files);
  json["preimage"] = std::move(preimage);
  return json;
}

class Report {
 public:
  void line(std::string_view label, std::string_view value) {
    text_ += fmt::format("{:<16}{}\n", label, value.empty() ? "-" : value);
  }
  void heading(std::string_view text) { text_ += fmt::format("\n{}\n", text); }
  void raw(std::string_view text) { text_ += text; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_summary(Report& report, const std::filesystem::path& file, const cache::EntrySummary& summary) {
  report.line("key", base::to_hex(summary.key));
  report.line("kind", cache::to_string(summary.kind));
  report.line("name", printable(summary.name));
  report.line("regions", printable(summary.regions));
  report.line("source", printable(summary.source));
  report.line("architecture", region::to_string(summary.arch));
  report.line("tier", tier_of(summary));
  report.line("toolkit", printable(summary.toolkit_version));
  report.line("stored in", printable(file.string()));
  report.line("size", fmt::format("{} bytes", summary.blob_bytes));
  report.line("stored size", fmt::format("{} bytes", summary.stored_bytes));
  report.line("build time", summary.build_us == 0 ? "not known" : human_duration(summary.build_us));
  report.line("created", utc_time(summary.created_unix));
  report.line("last used", utc_time(summary.last_used_unix));
  report.line("hits", fmt::format("{}", summary.hits));
}

void add_kernel(Report& report, const cache::Artifact& artifact, const base::KernelFacts& kernel) {
  const std::string name = source_name(artifact, kernel.lowered_name);
  report.heading(fmt::format("kernel {}", printable(name.empty() ? kernel.lowered_name : name)));
  report.line("  symbol", printable(kernel.lowered_name));
  report.line("  signature", printable(demangled(kernel.lowered_name)));
  report.line("  registers", fmt::format("{}", kernel.registers));
  report.line("  shared", fmt::format("{} bytes", kernel.static_shared_bytes));
  report.line("  local", fmt::format("{} bytes", kernel.local_bytes));
  report.line("  constant", fmt::format("{} bytes", kernel.constant_bytes));
  report.line("  max threads", kernel.max_threads == 0 ? "not stated" : fmt::format("{}", kernel.max_threads));
  if (kernel.parameters.empty()) report.line("  parameters", "none");
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto& [offset, size] = kernel.parameters[i];
    report.line(fmt::format("  parameter {}", i), fmt::format("{} bytes at {}", size, offset));
  }
}

std::string to_text(const std::filesystem::path& file, const Store::Entry& entry, bool full) {
  Report report;
  add_summary(report, file, entry.summary);
  for (const auto& kernel : entry.artifact.kernels) add_kernel(report, entry.artifact, kernel);
  if (!entry.provenance.files.empty()) {
    report.heading("files");
    Table table({{"DIGEST"}, {"ROLE"}, {"NAME"}, {"PATH"}});
    for (const auto& source : entry.provenance.files) {
      table.add_row({base::to_hex(source.content), source.role, source.name, source.path});
    }
    report.raw(table.to_text(0));
  }
  report.heading("made from");
  for (const cache::Field& field : entry.preimage) {
    report.raw(fmt::format("  {:<22}{}\n", meaning(field.tag), full ? whole_field(field) : field_for_people(field)));
  }
  return report.text();
}

}  // namespace

int show(const Session& session, const ShowOptions& options) {
  const auto entry = find_entry(session, options.key);
  if (!entry) return report(entry.error());
  if (session.json) print(to_json(session.file, *entry));
  else print(to_text(session.file, *entry, options.full));
  return kFine;
}

}  // namespace cudahot::tool

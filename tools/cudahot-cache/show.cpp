#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/describe.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"

namespace cudahot::tool {
namespace {

using cache::Store;
using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestField = 100;  // bytes of a preimage field that are shown to people

constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kFieldMeanings = {{
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

std::string field_for_people(const cache::Field& field) {
  if (field.bytes.size() > kLongestField || field.bytes.find('\n') != std::string::npos) {
    return fmt::format("{} bytes, digest {}", field.bytes.size(), base::to_hex(base::digest(field.bytes)));
  }
  return printable(field.bytes);
}

std::string parameters_for_people(const base::KernelFacts& kernel) {
  std::string text;
  for (const base::ParameterFacts& parameter : kernel.parameters) {
    text += fmt::format("{}{} B at {}", text.empty() ? "" : ", ", parameter.size, parameter.offset);
  }
  return text.empty() ? "none" : text;
}

Json kernel_to_json(const base::KernelFacts& kernel) {
  Json parameters = Json::array();
  for (const base::ParameterFacts& parameter : kernel.parameters) {
    parameters.push_back({{"offset", parameter.offset}, {"size", parameter.size}});
  }
  return {{"lowered_name", kernel.lowered_name},
          {"registers", kernel.registers},
          {"static_shared_bytes", kernel.static_shared_bytes},
          {"local_bytes", kernel.local_bytes},
          {"constant_bytes", kernel.constant_bytes},
          {"max_threads", kernel.max_threads == 0 ? Json(nullptr) : Json(kernel.max_threads)},
          {"parameters", std::move(parameters)}};
}

Json to_json(const Store::Entry& entry) {
  Json json = summary_to_json(entry.summary);
  Json kernels = Json::array();
  for (const base::KernelFacts& kernel : entry.artifact.kernels) kernels.push_back(kernel_to_json(kernel));
  Json names = Json::array();
  for (const auto& [name, symbol] : entry.artifact.lowered_names) names.push_back({{"name", name}, {"symbol", symbol}});
  Json preimage = Json::array();
  for (const cache::Field& field : entry.preimage) {
    preimage.push_back({{"tag", field.tag}, {"meaning", meaning(field.tag)}, {"value", field.bytes}});
  }
  json["kernels"] = std::move(kernels);
  json["lowered_names"] = std::move(names);
  json["preimage"] = std::move(preimage);
  return json;
}

std::string to_text(const Store::Entry& entry) {
  const cache::EntrySummary& summary = entry.summary;
  std::string text;
  const auto line = [&](std::string_view label, std::string_view value) {
    text += fmt::format("{:<16}{}\n", label, value.empty() ? "-" : value);
  };
  line("key", base::to_hex(summary.key));
  line("kind", cache::to_string(summary.kind));
  line("name", printable(summary.name));
  line("regions", printable(summary.regions));
  line("source", printable(summary.source));
  line("architecture", region::to_string(summary.arch));
  line("tier", tier_of(summary));
  line("size", fmt::format("{} bytes", summary.blob_bytes));
  line("toolkit", printable(summary.toolkit_version));
  line("created", utc_time(summary.created_unix));
  line("last used", utc_time(summary.last_used_unix));
  line("hits", fmt::format("{}", summary.hits));
  for (const base::KernelFacts& kernel : entry.artifact.kernels) {
    const auto named = std::find_if(entry.artifact.lowered_names.begin(), entry.artifact.lowered_names.end(),
                                    [&](const auto& names) { return names.second == kernel.lowered_name; });
    text += fmt::format("\nkernel {}\n",
                        printable(named == entry.artifact.lowered_names.end() ? kernel.lowered_name : named->first));
    line("  symbol", printable(kernel.lowered_name));
    line("  registers", fmt::format("{}", kernel.registers));
    line("  shared", fmt::format("{} bytes", kernel.static_shared_bytes));
    line("  local", fmt::format("{} bytes", kernel.local_bytes));
    line("  max threads", kernel.max_threads == 0 ? "not stated" : fmt::format("{}", kernel.max_threads));
    line("  parameters", parameters_for_people(kernel));
  }
  text += "\nmade from\n";
  for (const cache::Field& field : entry.preimage) {
    text += fmt::format("  {:<22}{}\n", meaning(field.tag), field_for_people(field));
  }
  return text;
}

}  // namespace

int show(const Session& session, const std::string& key) {
  const auto entry = find_entry(session, key);
  if (!entry) return report(entry.error());
  if (session.json) print(to_json(*entry));
  else print(to_text(*entry));
  return kFine;
}

}  // namespace cudahot::tool

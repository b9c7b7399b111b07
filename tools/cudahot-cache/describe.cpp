#include "tools/cudahot-cache/describe.hpp"

#include <fmt/format.h>

#include "tools/cudahot-cache/format.hpp"

namespace cudahot::tool {

std::string name_of(const cache::EntrySummary& entry) {
  switch (entry.kind) {
    case cache::ArtifactKind::cubin:
      return entry.name;
    case cache::ArtifactKind::library_cubin:
      return entry.name + " (cubin)";
    case cache::ArtifactKind::library_ltoir:
      return entry.name + " (ltoir)";
  }
  return {};
}

std::vector<std::string_view> kernels_of(std::string_view name) {
  std::vector<std::string_view> kernels;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '(') ++depth;
    else if (name[i] == '>' || name[i] == ')') --depth;
    else if (name[i] == ',' && depth == 0) {
      kernels.push_back(name.substr(begin, i - begin));
      begin = i + 2;  // behind ", "
    }
  }
  kernels.push_back(name.substr(std::min(begin, name.size())));
  return kernels;
}

std::string one_line(const cache::EntrySummary& entry) {
  const std::string_view tier = tier_of(entry);
  return printable(fmt::format("{}  {}  {}{}{}  {}{}{}", short_key(entry.key), name_of(entry),
                               region::to_string(entry.arch), tier.empty() ? "" : " ", tier,
                               human_size(entry.stored_bytes), entry.source.empty() ? "" : "  ", entry.source));
}

Json summary_to_json(const cache::EntrySummary& entry) {
  const auto known = [](std::int64_t value) { return value == 0 ? Json(nullptr) : Json(value); };
  return {{"key", base::to_hex(entry.key)},
          {"kind", cache::to_string(entry.kind)},
          {"name", entry.name},
          {"regions", entry.regions},
          {"source", entry.source},
          {"architecture", region::to_string(entry.arch)},
          {"tier", is_kernel(entry) ? Json(tier_of(entry)) : Json(nullptr)},
          {"bytes", entry.blob_bytes},
          {"stored_bytes", entry.stored_bytes},
          {"registers", entry.registers},
          {"static_shared_bytes", entry.static_shared_bytes},
          {"toolkit_version", entry.toolkit_version},
          {"build_us", known(entry.build_us)},
          {"created_unix", entry.created_unix},
          {"last_used_unix", known(entry.last_used_unix)},
          {"hits", entry.hits}};
}

Json summaries_to_json(const std::vector<const cache::EntrySummary*>& entries) {
  Json list = Json::array();
  for (const auto* entry : entries) list.push_back(summary_to_json(*entry));
  return list;
}

}  // namespace cudahot::tool

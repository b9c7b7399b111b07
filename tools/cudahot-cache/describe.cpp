#include "tools/cudahot-cache/describe.hpp"

#include <algorithm>
#include <array>

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
  if (name.find(',') == std::string_view::npos) return {name};
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

namespace {

// Which bytes stand in a JSON string as they are.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7f; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

void append_string(std::string& text, std::string_view value) {
  if (std::ranges::all_of(value, [](char c) { return kPlain[static_cast<unsigned char>(c)]; })) {
    text.append("\"").append(value).append("\"");
  } else {
    text += Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

}  // namespace

void append_json(std::string& text, const cache::EntrySummary& entry) {
  const auto string = [&](std::string_view member, std::string_view value) {
    text += member;
    append_string(text, value);
  };
  const auto number = [&](std::string_view member, auto value) {
    text += member;
    append_number(text, value);
  };
  const auto known = [&](std::string_view member, std::int64_t value) {
    text += member;
    if (value == 0) text += "null";
    else append_number(text, value);
  };
  string(R"({"key": )", base::to_hex(entry.key));
  string(R"(, "kind": )", cache::to_string(entry.kind));
  string(R"(, "name": )", entry.name);
  string(R"(, "regions": )", entry.regions);
  string(R"(, "source": )", entry.source);
  string(R"(, "architecture": )", region::to_string(entry.arch));
  if (is_kernel(entry)) string(R"(, "tier": )", tier_of(entry));
  else text += R"(, "tier": null)";
  number(R"(, "bytes": )", entry.blob_bytes);
  number(R"(, "stored_bytes": )", entry.stored_bytes);
  number(R"(, "registers": )", entry.registers);
  number(R"(, "static_shared_bytes": )", entry.static_shared_bytes);
  string(R"(, "toolkit_version": )", entry.toolkit_version);
  known(R"(, "build_us": )", entry.build_us);
  number(R"(, "created_unix": )", entry.created_unix);
  known(R"(, "last_used_unix": )", entry.last_used_unix);
  number(R"(, "hits": )", entry.hits);
  text += '}';
}

Json summary_to_json(const cache::EntrySummary& entry) {
  std::string text;
  append_json(text, entry);
  return Json::parse(text);
}

Json summaries_to_json(const std::vector<const cache::EntrySummary*>& entries) {
  Json list = Json::array();
  for (const auto* entry : entries) list.push_back(summary_to_json(*entry));
  return list;
}

}  // namespace cudahot::tool

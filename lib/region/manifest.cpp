#include "lib/region/manifest.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lib/region/file_list.hpp"

namespace cudahot::region {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<Segment::Kind, std::string_view>, 3> kSegmentKinds{
    {{Segment::Kind::prefix, "prefix"}, {Segment::Kind::helper, "helper"}, {Segment::Kind::kernel, "kernel"}}};
constexpr std::array<std::pair<Region::Kind, std::string_view>, 2> kRegionKinds{
    {{Region::Kind::statements, "statements"}, {Region::Kind::functions, "functions"}}};
constexpr std::array<std::pair<FileRecord::Role, std::string_view>, 5> kRoles{
    {{FileRecord::Role::main, "main"},
     {FileRecord::Role::user_header, "user_header"},
     {FileRecord::Role::device_header, "device_header"},
     {FileRecord::Role::device_runtime, "device_runtime"},
     {FileRecord::Role::other, "other"}}};

template <typename Enum, std::size_t Count>
std::string name_of(const std::array<std::pair<Enum, std::string_view>, Count>& names, Enum value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return std::string(name);
  }
  return {};
}

constexpr int kFirstVersionWithFunctionRegions = 2;
constexpr int kFirstVersionWithCanonicalTypes = 3;
constexpr int kFirstVersionWithLookups = 4;

// Thrown and caught in this file only: what is wrong with a document.
struct Malformed {
  std::string what;
};

template <typename Enum, std::size_t Count>
Enum value_of(const std::array<std::pair<Enum, std::string_view>, Count>& names, const std::string& name) {
  for (const auto& [value, candidate] : names) {
    if (candidate == name) return value;
  }
  throw Malformed{fmt::format("unknown word '{}'", name)};
}

const Json& member(const Json& json, const char* name) {
  const auto found = json.find(name);  // the end of what is no object
  if (found == json.end()) throw Malformed{fmt::format("there is no '{}' where one belongs", name)};
  return *found;
}

Json write(TextRange range) { return Json::array({range.begin, range.end}); }

TextRange read_range(const Json& json, std::size_t limit) {
  if (!json.is_array() || json.size() != 2) throw Malformed{"a range is not a pair of offsets"};
  const TextRange range{json[0].get<std::size_t>(), json[1].get<std::size_t>()};
  if (range.begin > range.end || range.end > limit) throw Malformed{"a range lies outside the text"};
  return range;
}

base::Digest read_digest(const Json& json) {
  const auto digest = base::digest_from_hex(json.get<std::string>());
  if (!digest) throw Malformed{"a digest is not 32 hexadecimal digits"};
  return *digest;
}

std::uint32_t read_file_index(const Json& json, const Slice& slice) {
  const auto index = json.get<std::uint32_t>();
  if (index >= slice.files.size()) throw Malformed{"a file index is out of range"};
  return index;
}

Json write(const std::vector<Variable>& variables) {
  Json list = Json::array();
  for (const Variable& variable : variables) list.push_back({{"name", variable.name}, {"type", variable.type}});
  return list;
}

std::vector<Variable> read_variables(const Json& json) {
  std::vector<Variable> variables;
  for (const Json& entry : json) {
    variables.push_back({member(entry, "name").get<std::string>(), member(entry, "type").get<std::string>()});
  }
  return variables;
}

Json write(const Segment& segment) {
  return {{"kind", name_of(kSegmentKinds, segment.kind)},
          {"range", write(segment.range)},
          {"declaration_end", segment.declaration_end},
          {"name", segment.name}};
}

Segment read_segment(const Json& json, std::size_t limit) {
  Segment segment{value_of(kSegmentKinds, member(json, "kind").get<std::string>()),
                  read_range(member(json, "range"), limit), member(json, "declaration_end").get<std::size_t>(),
                  member(json, "name").get<std::string>()};
  if (segment.declaration_end < segment.range.begin || segment.declaration_end > segment.range.end) {
    throw Malformed{"the declaration of a segment ends outside it"};
  }
  return segment;
}

Json write(const Region& region) {
  return {{"kind", name_of(kRegionKinds, region.kind)},
          {"name", region.name},
          {"function", region.function},
          {"file", region.file},
          {"first_line", region.first_line},
          {"body", write(region.body)},
          {"in", write(region.in)},
          {"out", write(region.out)},
          {"declared", write(region.declared)}};
}

Region read_region(const Json& json, const Slice& slice, int version) {
  const bool kinds = version >= kFirstVersionWithFunctionRegions;
  return {kinds ? value_of(kRegionKinds, member(json, "kind").get<std::string>()) : Region::Kind::statements,
          member(json, "name").get<std::string>(),
          member(json, "function").get<std::string>(),
          read_file_index(member(json, "file"), slice),
          member(json, "first_line").get<std::uint32_t>(),
          read_range(member(json, "body"), slice.text.size()),
          read_variables(member(json, "in")),
          read_variables(member(json, "out")),
          read_variables(member(json, "declared"))};
}

Json write(const Kernel& kernel) {
  Json parameters = Json::array();
  for (const KernelParameter& parameter : kernel.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"type", parameter.type},
                          {"size", parameter.size},
                          {"offset", parameter.offset},
                          {"canonical", parameter.canonical}});
  }
  return {{"name", kernel.name},
          {"name_expression", kernel.name_expression},
          {"mangled_name", kernel.mangled_name},
          {"file", kernel.file},
          {"line", kernel.line},
          {"regions", kernel.regions},
          {"parameters", std::move(parameters)}};
}

Kernel read_kernel(const Json& json, const Slice& slice, int version) {
  Kernel kernel{member(json, "name").get<std::string>(),
                member(json, "name_expression").get<std::string>(),
                member(json, "mangled_name").get<std::string>(),
                read_file_index(member(json, "file"), slice),
                member(json, "line").get<std::uint32_t>(),
                member(json, "regions").get<std::vector<std::string>>(),
                {}};
  for (const Json& entry : member(json, "parameters")) {
    kernel.parameters.push_back({member(entry, "name").get<std::string>(), member(entry, "type").get<std::string>(),
                                 member(entry, "size").get<std::uint32_t>(),
                                 member(entry, "offset").get<std::uint32_t>()});
    if (version < kFirstVersionWithCanonicalTypes) continue;
    kernel.parameters.back().canonical = member(entry, "canonical").get<std::string>();
  }
  return kernel;
}

Json write(const FileRecord& file) {
  return {{"path", file.path},
          {"virtual_name", file.virtual_name},
          {"role", name_of(kRoles, file.role)},
          {"content", base::to_hex(file.content)},
          {"outside_regions", base::to_hex(file.outside_regions)}};
}

FileRecord read_file_record(const Json& json) {
  return {member(json, "path").get<std::string>(), member(json, "virtual_name").get<std::string>(),
          value_of(kRoles, member(json, "role").get<std::string>()), read_digest(member(json, "content")),
          read_digest(member(json, "outside_regions"))};
}

Json write(const Lookup& lookup) { return {{"path", lookup.path}, {"found", lookup.found}}; }

template <typename T>
Json write_list(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(write(value));
  return list;
}

// JSON holds Unicode. A text that is not UTF-8 (a comment in an older encoding, say) is written
// with one code point per byte, so that offsets stay true.
std::string bytes_as_code_points(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
}

std::string code_points_as_bytes(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      bytes += text[i];
    } else {
      if (lead > 0xc3 || i + 1 == text.size()) throw Malformed{"a text of bytes holds a code point above 255"};
      bytes += static_cast<char>(((lead & 0x03) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3f));
    }
  }
  return bytes;
}

bool is_utf8(const std::string& text) {
  try {
    return !Json(text).dump().empty();
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

std::string read_text(const Json& json) {
  const auto encoding = member(json, "text_encoding").get<std::string>();
  const auto text = member(json, "text").get<std::string>();
  if (encoding == "utf-8") return text;
  if (encoding != "bytes") throw Malformed{fmt::format("unknown word '{}'", encoding)};
  return code_points_as_bytes(text);
}

void read_files(const Json& json, int version, Slice& slice) {
  for (const Json& entry : member(json, "files")) slice.files.push_back(read_file_record(entry));
  if (version < kFirstVersionWithLookups) return;
  for (const Json& entry : member(json, "lookups")) {
    slice.lookups.push_back({member(entry, "path").get<std::string>(), member(entry, "found").get<bool>()});
  }
}

Slice read_slice(const Json& json, std::string_view file_list) {
  const int version = member(json, "version").get<int>();
  if (version < 1 || version > kManifestVersion) {
    throw Malformed{fmt::format("version {} is none of 1 to {}, which this program reads", version, kManifestVersion)};
  }
  Slice slice;
  slice.text = read_text(json);
  if (file_list.empty()) read_files(json, version, slice);
  else if (auto read = read_file_list(file_list, slice); !read) throw Malformed{std::move(read.error().message)};
  if (slice.files.empty()) throw Malformed{"it names no file"};
  for (const Json& entry : member(json, "segments")) slice.segments.push_back(read_segment(entry, slice.text.size()));
  for (const Json& entry : member(json, "regions")) slice.regions.push_back(read_region(entry, slice, version));
  for (const Json& entry : member(json, "kernels")) slice.kernels.push_back(read_kernel(entry, slice, version));
  slice.options = member(json, "options").get<std::vector<std::string>>();
  for (const Json& entry : member(json, "architectures")) {
    auto arch = parse_sm_arch(entry.get<std::string>());
    if (!arch) throw Malformed{std::move(arch.error().message)};
    slice.architectures.push_back(*arch);
  }
  slice.uses_device_headers = member(json, "uses_device_headers").get<bool>();
  slice.uses_helper_library = member(json, "uses_helper_library").get<bool>();
  slice.extract_arguments = member(json, "extract_arguments").get<std::vector<std::string>>();
  slice.working_directory = member(json, "working_directory").get<std::string>();
  return slice;
}

}  // namespace

std::string to_manifest(const Slice& slice, ManifestFiles files) {
  Json architectures = Json::array();
  for (const SmArch& arch : slice.architectures) architectures.push_back(to_string(arch));
  const bool utf8 = is_utf8(slice.text);
  const bool inside = files == ManifestFiles::inside;
  const Json document{{"version", kManifestVersion},
                      {"files", inside ? write_list(slice.files) : Json(nullptr)},
                      {"lookups", inside ? write_list(slice.lookups) : Json(nullptr)},
                      {"kernels", write_list(slice.kernels)},
                      {"regions", write_list(slice.regions)},
                      {"segments", write_list(slice.segments)},
                      {"options", slice.options},
                      {"architectures", std::move(architectures)},
                      {"uses_device_headers", slice.uses_device_headers},
                      {"uses_helper_library", slice.uses_helper_library},
                      {"extract_arguments", slice.extract_arguments},
                      {"working_directory", slice.working_directory},
                      {"text_encoding", utf8 ? "utf-8" : "bytes"},
                      {"text", utf8 ? slice.text : bytes_as_code_points(slice.text)}};
  // Other strings are names and paths; what is not UTF-8 in them is for display only.
  return document.dump(1, ' ', false, Json::error_handler_t::replace);
}

Result<Slice> from_manifest(std::string_view document, std::string_view file_list) {
  try {
    return read_slice(Json::parse(document), file_list);
  } catch (const Malformed& malformed) {
    return fail(ErrorCode::damaged, fmt::format("the manifest cannot be used: {}", malformed.what));
  } catch (const Json::parse_error& error) {
    return fail(ErrorCode::damaged,
                fmt::format("the manifest cannot be read: it is no JSON from byte {} on", error.byte));
  } catch (const Json::exception&) {
    return fail(ErrorCode::damaged,
                "the manifest cannot be read: a member is of another type than docs/manifest.md says");
  }
}

std::string_view to_string(FileRecord::Role role) {
  const auto found = std::ranges::find(kRoles, role, [](const auto& entry) { return entry.first; });
  return found != kRoles.end() ? found->second : std::string_view{};
}

}  // namespace cudahot::region

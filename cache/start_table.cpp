#include "cache/start_table.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cache/facts_json.hpp"
#include "cache/seal.hpp"

namespace cudahot::cache {
namespace {

constexpr std::string_view kInsert = "INSERT INTO start (slice, seal, record) VALUES (?, ?, ?)";
constexpr std::string_view kDelete = "DELETE FROM start WHERE slice = ?";
constexpr std::string_view kSelectAll = "SELECT slice, seal, record FROM start ORDER BY slice";
constexpr std::string_view kSelectBlob = "SELECT blob FROM artifact_content WHERE id = ?";

enum Column : int { kSlice, kSeal, kRecord };

// Thrown and caught in this file only.
struct Unusable {};

template <typename T>
T required(Result<T> value) {
  if (!value) throw Unusable{};
  return std::move(*value);
}

template <typename T>
T required(std::optional<T> value) {
  if (!value) throw Unusable{};
  return std::move(*value);
}

template <typename T>
T read_integer(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) throw Unusable{};
  return value;
}

void write_kernel(const region::Kernel& kernel, Preimage& record) {
  record.add("kern", kernel.name);
  record.add("nexp", kernel.name_expression);
  record.add("mang", kernel.mangled_name);
  record.add("file", fmt::format("{}", kernel.file));
  record.add("line", fmt::format("{}", kernel.line));
  for (const std::string& region : kernel.regions) record.add("regn", region);
  for (const region::KernelParameter& parameter : kernel.parameters) {
    record.add("pnam", parameter.name);
    record.add("ptyp", parameter.type);
    record.add("psiz", fmt::format("{}", parameter.size));
    record.add("poff", fmt::format("{}", parameter.offset));
    record.add("pcan", parameter.canonical);
  }
}

std::string write_record(const Store::ShippedSlice& shipped) {
  Preimage record;
  record.add("srce", shipped.head.source);
  record.add("tver", shipped.toolkit.version);
  record.add("nvrt", shipped.toolkit.nvrtc);
  record.add("nvjl", shipped.toolkit.nvjitlink);
  record.add("hlib", to_bytes(shipped.helper_library));
  for (const region::SmArch& arch : shipped.head.architectures) record.add("harc", region::to_string(arch));
  for (const region::Kernel& kernel : shipped.head.kernels) write_kernel(kernel, record);
  record.add("vers", fmt::format("{}", kPreimageVersion));
  for (const Store::ShippedCode& code : shipped.code) {
    record.add("arch", region::to_string(code.arch));
    record.add("tier", region::to_string(code.tier));
    record.add("ckey", to_bytes(code.key));
    record.add("krnl", code.kernels);
    record.add("lown", code.lowered_names);
    record.add("cdig", to_bytes(code.content));
    record.add("crow", fmt::format("{}", code.row));
  }
  return record.bytes();
}

// Reads a record field by field: what belongs to a kernel, a parameter or code comes behind the field that begins it.
class RecordReader {
 public:
  void read(Field field) {
    if (!(of_slice(field) || of_kernel(field) || of_parameter(field) || of_code(field))) throw Unusable{};
  }

  Store::ShippedSlice finish() {
    if (shipped_.head.source.empty()) throw Unusable{};
    if (version_ != fmt::format("{}", kPreimageVersion)) shipped_.code.clear();
    return std::move(shipped_);
  }

 private:
  bool of_slice(Field& field) {
    const std::string_view tag = field.tag;
    if (tag == "srce") shipped_.head.source = std::move(field.bytes);
    else if (tag == "tver") shipped_.toolkit.version = std::move(field.bytes);
    else if (tag == "nvrt") shipped_.toolkit.nvrtc = std::move(field.bytes);
    else if (tag == "nvjl") shipped_.toolkit.nvjitlink = std::move(field.bytes);
    else if (tag == "hlib") shipped_.helper_library = required(digest_from_bytes(field.bytes));
    else if (tag == "harc") shipped_.head.architectures.push_back(required(region::parse_sm_arch(field.bytes)));
    else if (tag == "vers") version_ = std::move(field.bytes);
    else return false;
    return true;
  }

  bool of_kernel(Field& field) {
    const std::string_view tag = field.tag;
    if (tag == "kern") shipped_.head.kernels.emplace_back().name = std::move(field.bytes);
    else if (tag == "nexp") kernel().name_expression = std::move(field.bytes);
    else if (tag == "mang") kernel().mangled_name = std::move(field.bytes);
    else if (tag == "file") kernel().file = read_integer<std::uint32_t>(field.bytes);
    else if (tag == "line") kernel().line = read_integer<std::uint32_t>(field.bytes);
    else if (tag == "regn") kernel().regions.push_back(std::move(field.bytes));
    else return false;
    return true;
  }

  bool of_parameter(Field& field) {
    const std::string_view tag = field.tag;
    if (tag == "pnam") kernel().parameters.emplace_back().name = std::move(field.bytes);
    else if (tag == "ptyp") parameter().type = std::move(field.bytes);
    else if (tag == "psiz") parameter().size = read_integer<std::uint32_t>(field.bytes);
    else if (tag == "poff") parameter().offset = read_integer<std::uint32_t>(field.bytes);
    else if (tag == "pcan") parameter().canonical = std::move(field.bytes);
    else return false;
    return true;
  }

  bool of_code(Field& field) {
    const std::string_view tag = field.tag;
    if (tag == "arch") shipped_.code.emplace_back().arch = required(region::parse_sm_arch(field.bytes));
    else if (tag == "tier") code().tier = required(region::parse_tier(field.bytes));
    else if (tag == "ckey") code().key = required(digest_from_bytes(field.bytes));
    else if (tag == "krnl") code().kernels = std::move(field.bytes);
    else if (tag == "lown") code().lowered_names = std::move(field.bytes);
    else if (tag == "cdig") code().content = required(digest_from_bytes(field.bytes));
    else if (tag == "crow") code().row = read_integer<std::int64_t>(field.bytes);
    else return false;
    return true;
  }

  region::Kernel& kernel() { return last(shipped_.head.kernels); }
  region::KernelParameter& parameter() { return last(kernel().parameters); }
  Store::ShippedCode& code() { return last(shipped_.code); }

  template <typename T>
  static T& last(std::vector<T>& values) {
    if (values.empty()) throw Unusable{};
    return values.back();
  }

  Store::ShippedSlice shipped_;
  std::string version_;  // of the preimages of the keys of code
};

Store::ShippedSlice read_record(std::string_view record) {
  RecordReader reader;
  for (Field& field : required(parse_preimage(record))) reader.read(std::move(field));
  return reader.finish();
}

base::Digest seal(std::int64_t slice, std::string_view record) {
  return Seal().add(fmt::format("{}", slice)).add(record).finish();
}

}  // namespace

Status StartTable::put(const Store::ShippedSlice& shipped) {
  const std::string record = write_record(shipped);
  const std::string seal_bytes = to_bytes(seal(shipped.row, record));
  auto insert = statements_->use(kInsert);
  if (!insert) return fail(insert.error());
  return (*insert)->bind(1, shipped.row).bind_blob(2, seal_bytes).bind_blob(3, record).run();
}

Status StartTable::remove(std::int64_t slice) {
  auto remove = statements_->use(kDelete);
  if (!remove) return fail(remove.error());
  return (*remove)->bind(1, slice).run();
}

Result<StartTable::Content> StartTable::read_all() {
  auto select = statements_->use(kSelectAll);
  if (!select) return fail(select.error());
  Content content;
  for (;;) {
    const auto row = (*select)->step();
    if (!row) return fail(row.error());
    if (!*row) return content;
    const std::int64_t slice = (*select)->integer(kSlice);
    const std::string_view record = (*select)->blob(kRecord);
    try {
      if (required(digest_from_bytes((*select)->blob(kSeal))) != seal(slice, record)) throw Unusable{};
      content.shipped.push_back(read_record(record));
      content.shipped.back().row = slice;
    } catch (const Unusable&) {
      content.damaged.push_back(slice);
    }
  }
}

Result<std::optional<Artifact>> StartTable::artifact(const Store::ShippedCode& code) {
  auto select = statements_->use(kSelectBlob);
  if (!select) return fail(select.error());
  const auto row = (*select)->bind(1, code.row).step();
  if (!row) return fail(row.error());
  auto kernels = kernels_from_json(code.kernels);
  auto lowered_names = lowered_names_from_json(code.lowered_names);
  if (!*row || base::digest((*select)->blob(0)) != code.content || !kernels || !lowered_names) return std::nullopt;
  Artifact artifact;
  artifact.arch = code.arch;
  artifact.tier = code.tier;
  artifact.kernels = std::move(*kernels);
  artifact.lowered_names = std::move(*lowered_names);
  artifact.blob = (*select)->blob(0);
  return artifact;
}

}  // namespace cudahot::cache

#include "cache/start_section.hpp"

#include <cerrno>
#include <charconv>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cache/facts_json.hpp"
#include "cache/file_header.hpp"
#include "cache/little_endian.hpp"
#include "cache/seal.hpp"

namespace cudahot::cache {
namespace {

constexpr std::string_view kMagic = "cudahot start 1\n";
constexpr std::size_t kSealBytes = 16;
// Behind the index: the sizes of records and index, the index's seal, and kMagic.
constexpr std::size_t kFooterBytes = 2 * kLittleEndianBytes + kSealBytes + kMagic.size();
// More is not believed of a size that is read.
constexpr std::uint64_t kLargestIndex = std::uint64_t{256} << 20;
constexpr std::uint64_t kLargestRecord = std::uint64_t{2} << 30;

tl::unexpected<Error> damaged(const std::filesystem::path& file) {
  return fail(ErrorCode::damaged,
              fmt::format("the start section of '{}' is damaged, so that starts take longer; make the file again",
                          file.string()));
}

std::uint32_t identity_of(const base::Digest& index) {
  const auto identity = static_cast<std::uint32_t>(index.low);
  return identity != 0 ? identity : 1;
}

// Thrown and caught in this file only.
struct Unusable {};

template <typename Optional>
auto required(Optional value) {
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

void write_kernel(const region::Kernel& kernel, Preimage& index) {
  index.add("kern", kernel.name);
  index.add("nexp", kernel.name_expression);
  index.add("mang", kernel.mangled_name);
  index.add("file", fmt::format("{}", kernel.file));
  index.add("line", fmt::format("{}", kernel.line));
  for (const std::string& region : kernel.regions) index.add("regn", region);
  for (const region::KernelParameter& parameter : kernel.parameters) {
    index.add("pnam", parameter.name);
    index.add("ptyp", parameter.type);
    index.add("psiz", fmt::format("{}", parameter.size));
    index.add("poff", fmt::format("{}", parameter.offset));
    index.add("pcan", parameter.canonical);
  }
}

// Reads an index field by field: what belongs to a slice, kernel, parameter or code comes behind the field that begins
// it.
class IndexReader {
 public:
  void read(Field field) {
    if (!(of_slice(field) || of_kernel(field) || of_parameter(field) || of_code(field))) throw Unusable{};
  }

  std::vector<Store::ShippedSlice> finish() { return std::move(slices_); }

 private:
  bool of_slice(Field& field) {
    const std::string_view tag = field.tag;
    if (tag == "srce") slices_.emplace_back().head.source = std::move(field.bytes);
    else if (tag == "tver") slice().toolkit.version = std::move(field.bytes);
    else if (tag == "nvrt") slice().toolkit.nvrtc = std::move(field.bytes);
    else if (tag == "nvjl") slice().toolkit.nvjitlink = std::move(field.bytes);
    else if (tag == "hlib") slice().helper_library = required(digest_from_bytes(field.bytes));
    else if (tag == "arcs") slice().head.architectures.push_back(required(region::parse_sm_arch(field.bytes)));
    else return false;
    return true;
  }

  bool of_kernel(Field& field) {
    const std::string_view tag = field.tag;
    if (tag == "kern") slice().head.kernels.emplace_back().name = std::move(field.bytes);
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
    if (tag == "arch") slice().code.emplace_back().arch = required(region::parse_sm_arch(field.bytes));
    else if (tag == "tier") code().tier = required(region::parse_tier(field.bytes));
    else if (tag == "ckey") code().key = required(digest_from_bytes(field.bytes));
    else if (tag == "cpos") code().position = read_integer<std::uint64_t>(field.bytes);
    else if (tag == "csiz") code().size = read_integer<std::uint64_t>(field.bytes);
    else if (tag == "cdig") code().content = required(digest_from_bytes(field.bytes));
    else return false;
    return true;
  }

  Store::ShippedSlice& slice() { return last(slices_); }
  region::Kernel& kernel() { return last(slice().head.kernels); }
  region::KernelParameter& parameter() { return last(kernel().parameters); }
  Store::ShippedCode& code() { return last(slice().code); }

  template <typename T>
  static T& last(std::vector<T>& values) {
    if (values.empty()) throw Unusable{};
    return values.back();
  }

  std::vector<Store::ShippedSlice> slices_;
};

// Of the code that is there for the CPU device. Its compiler is not of the slice's toolkit: the entry says which it
// was.
Result<std::optional<CacheKey>> find_cpu_key(const Store::StoredSlice& stored, const region::SmArch& arch,
                                             ArtifactTable& artifacts) {
  const auto candidates = artifacts.of_source(region::main_file(stored.slice).path);
  if (!candidates) return fail(candidates.error());
  for (const auto& candidate : *candidates) {
    base::ToolkitIdentity compiler;
    for (const Field& field : candidate.preimage) {
      if (field.tag == "nvrt") compiler.nvrtc = field.bytes;
      if (field.tag == "nvjl") compiler.nvjitlink = field.bytes;
    }
    auto key = cubin_key(stored.slice, arch, region::Tier::full, compiler, stored.helper_library);
    if (key.digest == candidate.key) return key;
  }
  return std::nullopt;
}

}  // namespace

Result<StartSectionWriter> StartSectionWriter::of(SliceTable& slices, ArtifactTable& artifacts) {
  StartSectionWriter section;
  const auto content = slices.read_all();
  if (!content) return fail(content.error());
  for (const Store::StoredSlice& stored : content->slices) {
    section.add(stored);
    for (const region::SmArch& arch : stored.slice.architectures) {
      std::vector<CacheKey> keys;
      if (region::is_cpu(arch)) {
        auto key = find_cpu_key(stored, arch, artifacts);
        if (!key) return fail(key.error());
        if (*key) keys.push_back(std::move(**key));
      } else {
        for (const region::Tier tier : {region::Tier::full, region::Tier::quick}) {
          keys.push_back(cubin_key(stored.slice, arch, tier, stored.toolkit, stored.helper_library));
        }
      }
      for (const CacheKey& key : keys) {
        const auto found = artifacts.find(key);
        if (!found) return fail(found.error());
        if (found->kind == ArtifactTable::Lookup::Kind::hit) section.add(key.digest, found->artifact);
      }
    }
  }
  return section;
}

void StartSectionWriter::add(const Store::StoredSlice& slice) {
  Preimage index;
  const region::SliceHead head = region::head_of(slice.slice);
  index.add("srce", head.source);
  index.add("tver", slice.toolkit.version);
  index.add("nvrt", slice.toolkit.nvrtc);
  index.add("nvjl", slice.toolkit.nvjitlink);
  index.add("hlib", to_bytes(slice.helper_library));
  for (const region::SmArch& arch : head.architectures) index.add("arcs", region::to_string(arch));
  for (const region::Kernel& kernel : head.kernels) write_kernel(kernel, index);
  slices_ += index.bytes();
}

void StartSectionWriter::add(const base::Digest& key, const Artifact& artifact) {
  Preimage record;
  record.add("krnl", kernels_to_json(artifact.kernels));
  record.add("lown", lowered_names_to_json(artifact.lowered_names));
  record.add("cubn", artifact.blob);
  Preimage index;
  index.add("arch", region::to_string(artifact.arch));
  index.add("tier", region::to_string(artifact.tier));
  index.add("ckey", to_bytes(key));
  index.add("cpos", fmt::format("{}", records_.size()));
  index.add("csiz", fmt::format("{}", record.bytes().size()));
  index.add("cdig", to_bytes(base::digest(record.bytes())));
  records_ += record.bytes();
  slices_ += index.bytes();
}

std::string StartSectionWriter::index() const {
  Preimage version;
  version.add("vers", fmt::format("{}", kPreimageVersion));
  return version.bytes() + slices_;
}

std::uint32_t StartSectionWriter::identity() const { return identity_of(base::digest(index())); }

Status StartSectionWriter::append_to(const std::filesystem::path& file) const {
  const std::string index = this->index();
  std::string section = records_ + index;
  append_little_endian(section, records_.size());
  append_little_endian(section, index.size());
  section += to_bytes(base::digest(index));
  section += kMagic;
  std::ofstream stream(file, std::ios::binary | std::ios::app);
  if (stream.write(section.data(), static_cast<std::streamsize>(section.size())) && stream.flush()) return {};
  return fail(ErrorCode::environment, fmt::format("cannot write '{}': {}; make room on the disk", file.string(),
                                                  std::error_code(errno, std::generic_category()).message()));
}

Result<std::optional<StartSection>> StartSection::read(std::shared_ptr<const BundleFile> file) {
  const std::uint64_t size = file->size();
  if (size < kHeaderBytes + kFooterBytes) return std::nullopt;
  const auto begin = file->read(0, kHeaderBytes);
  if (!begin) return fail(begin.error());
  const auto header = parse_header(*begin);
  if (header && size <= header->database_bytes) return std::nullopt;
  const auto footer = file->read(size - kFooterBytes, kFooterBytes);
  if (!footer) return fail(footer.error());
  if (!footer->ends_with(kMagic)) return header ? damaged(file->path()) : Result<std::optional<StartSection>>();
  const std::string_view sizes = *footer;
  const std::uint64_t records = read_little_endian(sizes);
  const std::uint64_t index = read_little_endian(sizes.substr(kLittleEndianBytes));
  const std::uint64_t most = size - kFooterBytes;
  if (index > most || index > kLargestIndex || records > most - index) return damaged(file->path());
  auto content = file->read(most - index, index);
  if (!content) return fail(content.error());
  const base::Digest digest = base::digest(*content);
  if (digest_from_bytes(sizes.substr(2 * kLittleEndianBytes, kSealBytes)) != digest) return damaged(file->path());
  const std::uint64_t database_bytes = most - index - records;
  // Where the header cannot be read, the section is all that there is.
  const bool belongs = !header || (header->database_bytes == database_bytes && header->identity == identity_of(digest));
  if (!belongs) return damaged(file->path());
  return StartSection(std::move(file), database_bytes, std::move(*content));
}

Result<std::vector<Store::ShippedSlice>> StartSection::slices() const {
  try {
    auto fields = required(parse_preimage(index_));
    if (fields.empty() || fields.front().tag != "vers") throw Unusable{};
    const bool current = fields.front().bytes == fmt::format("{}", kPreimageVersion);
    IndexReader reader;
    for (std::size_t i = 1; i < fields.size(); ++i) reader.read(std::move(fields[i]));
    auto slices = reader.finish();
    if (!current) {
      for (Store::ShippedSlice& slice : slices) slice.code.clear();
    }
    return slices;
  } catch (const Unusable&) {
    return damaged(file_->path());
  }
}

Result<Artifact> StartSection::artifact(const Store::ShippedCode& code) const {
  if (code.size > kLargestRecord) return damaged(file_->path());
  auto record = file_->read(begin_ + code.position, code.size);
  if (!record && record.error().code == ErrorCode::damaged) return damaged(file_->path());
  if (!record) return fail(record.error());
  if (base::digest(*record) != code.content) return damaged(file_->path());
  auto fields = parse_preimage(*record);
  if (!fields) return damaged(file_->path());
  Artifact artifact;
  artifact.arch = code.arch;
  artifact.tier = code.tier;
  for (Field& field : *fields) {
    if (field.tag == "cubn") {
      artifact.blob = std::move(field.bytes);
    } else if (field.tag == "krnl") {
      auto kernels = kernels_from_json(field.bytes);
      if (!kernels) return damaged(file_->path());
      artifact.kernels = std::move(*kernels);
    } else if (field.tag == "lown") {
      auto names = lowered_names_from_json(field.bytes);
      if (!names) return damaged(file_->path());
      artifact.lowered_names = std::move(*names);
    }
  }
  return artifact;
}

Status StartSection::verify() const {
  const auto all = slices();
  if (!all) return fail(all.error());
  for (const Store::ShippedSlice& slice : *all) {
    for (const Store::ShippedCode& code : slice.code) {
      if (const auto read = artifact(code); !read) return fail(read.error());
    }
  }
  return {};
}

}  // namespace cudahot::cache

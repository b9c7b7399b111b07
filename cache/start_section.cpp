#include "cache/start_section.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cache/facts_json.hpp"
#include "cache/seal.hpp"

namespace cudahot::cache {
namespace {

constexpr std::string_view kMagic = "cudahot start 1\n";
constexpr std::size_t kSealBytes = 16;
// Behind the index: the sizes of records and index, the index's seal, and kMagic.
constexpr std::size_t kSizeBytes = 8;
constexpr std::size_t kFooterBytes = 2 * kSizeBytes + kSealBytes + kMagic.size();

tl::unexpected<Error> damaged(const std::filesystem::path& file) {
  return fail(ErrorCode::damaged,
              fmt::format("the start section of '{}' is damaged, so that starts take longer; make the file again",
                          file.string()));
}

void append_little_endian(std::string& bytes, std::uint64_t value) {
  for (std::size_t i = 0; i < kSizeBytes; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

std::uint64_t read_little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = kSizeBytes; i-- > 0;) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
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

}  // namespace

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
  index_ += index.bytes();
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
  index_ += index.bytes();
}

Status StartSectionWriter::append_to(const std::filesystem::path& file) const {
  Preimage version;
  version.add("vers", fmt::format("{}", kPreimageVersion));
  const std::string index = version.bytes() + index_;
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

Result<std::optional<StartSection>> StartSection::open(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return fail(
        errno == ENOENT ? ErrorCode::not_found : ErrorCode::environment,
        fmt::format("cannot read '{}': {}", file.string(), std::error_code(errno, std::generic_category()).message()));
  }
  StartSection section(file, descriptor);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < kFooterBytes) return std::nullopt;
  const auto footer = section.read(size - kFooterBytes, kFooterBytes);
  if (!footer) return fail(footer.error());
  if (!footer->ends_with(kMagic)) return std::nullopt;
  const std::string_view sizes = *footer;
  const std::uint64_t records = read_little_endian(sizes.substr(0, kSizeBytes));
  const std::uint64_t index = read_little_endian(sizes.substr(kSizeBytes, kSizeBytes));
  const std::uint64_t most = size - kFooterBytes;
  if (index > most || records > most - index) return damaged(file);
  auto content = section.read(most - index, index);
  if (!content) return fail(content.error());
  if (digest_from_bytes(sizes.substr(2 * kSizeBytes, kSealBytes)) != base::digest(*content)) return damaged(file);
  section.begin_ = most - index - records;
  section.index_ = std::move(*content);
  return section;
}

StartSection::~StartSection() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

StartSection::StartSection(StartSection&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      begin_(other.begin_),
      index_(std::move(other.index_)) {}

StartSection& StartSection::operator=(StartSection&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(begin_, other.begin_);
  std::swap(index_, other.index_);
  return *this;
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
    return damaged(file_);
  }
}

Result<Artifact> StartSection::artifact(const Store::ShippedCode& code) const {
  auto record = read(begin_ + code.position, code.size);
  if (!record) return fail(record.error());
  if (base::digest(*record) != code.content) return damaged(file_);
  auto fields = parse_preimage(*record);
  if (!fields) return damaged(file_);
  Artifact artifact;
  artifact.arch = code.arch;
  artifact.tier = code.tier;
  for (Field& field : *fields) {
    if (field.tag == "cubn") {
      artifact.blob = std::move(field.bytes);
    } else if (field.tag == "krnl") {
      auto kernels = kernels_from_json(field.bytes);
      if (!kernels) return damaged(file_);
      artifact.kernels = std::move(*kernels);
    } else if (field.tag == "lown") {
      auto names = lowered_names_from_json(field.bytes);
      if (!names) return damaged(file_);
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

Result<std::string> StartSection::read(std::uint64_t offset, std::uint64_t size) const {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0 || offset > static_cast<std::uint64_t>(status.st_size) ||
      size > static_cast<std::uint64_t>(status.st_size) - offset) {
    return damaged(file_);
  }
  std::string bytes(static_cast<std::size_t>(size), '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ::ssize_t count =
        ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<::off_t>(offset + done));
    if (count == 0) return damaged(file_);
    if (count < 0 && errno != EINTR) {
      return fail(ErrorCode::environment, fmt::format("cannot read '{}': {}", file_.string(),
                                                      std::error_code(errno, std::generic_category()).message()));
    }
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace cudahot::cache

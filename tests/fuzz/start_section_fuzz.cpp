// Any bytes given as the index of a start section, under a digest that fits: refused, or read into slices whose code
// can be looked for.
#include "cache/start_section.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

#include "lib/base/digest.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::fuzz {
namespace {

constexpr std::size_t kFooterBytes = 48;

std::string big_endian(std::uint64_t value) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

std::string little_endian(std::uint64_t value) {
  const std::string bytes = big_endian(value);
  return {bytes.rbegin(), bytes.rend()};
}

// A file in memory that begins with `content`.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : descriptor_(::memfd_create("start-section", MFD_CLOEXEC)) {
    require(::write(descriptor_, content.data(), content.size()) == static_cast<::ssize_t>(content.size()), "written");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::filesystem::path path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

const std::string& example_section() {
  static const std::string section = [] {
    cache::StartSectionWriter writer;
    writer.add(cache::Store::StoredSlice{region::example_slice(), cache::example_toolkit(), {1, 2}});
    writer.add(cache::example_key().digest, cache::example_artifact());
    const MemoryFile file("");
    require(writer.append_to(file.path()).has_value(), "an example is written");
    return base::read_file(file.path()).value();
  }();
  return section;
}

std::size_t size_at(std::string_view section, std::size_t offset) {
  std::size_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(section[offset + i]);
  return value;
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string& section = example_section();
  const std::size_t footer = section.size() - kFooterBytes;
  const std::size_t index = size_at(section, footer + 8);
  return {section.substr(footer - index, index)};
}

}  // namespace cudahot::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cudahot;
  const std::string index(reinterpret_cast<const char*>(data), size);
  const std::string& example = fuzz::example_section();
  const std::size_t records = fuzz::size_at(example, example.size() - fuzz::kFooterBytes);
  const base::Digest digest = base::digest(index);
  const fuzz::MemoryFile file(example.substr(0, records) + index + fuzz::little_endian(records) +
                              fuzz::little_endian(size) + fuzz::big_endian(digest.high) + fuzz::big_endian(digest.low) +
                              example.substr(example.size() - 16));
  const auto section = cache::StartSection::read(
      std::make_shared<const cache::BundleFile>(cache::BundleFile::open(file.path()).value()));
  fuzz::require(section && *section, "a section with the right digest is opened");
  const auto slices = (*section)->slices();
  if (!slices) return 0;
  for (const auto& slice : *slices) {
    for (const auto& code : slice.code) {
      const auto artifact = (*section)->artifact(code);
      fuzz::require(!artifact || artifact->blob == cache::example_artifact().blob, "code is the code that was written");
    }
  }
  return 0;
}

#include "lib/region/file_list.hpp"

#include <array>
#include <cstdint>

namespace cudahot::region {
namespace {

using Role = FileRecord::Role;

// The index is what is written.
constexpr std::array kRoles = {Role::main, Role::user_header, Role::device_header, Role::device_runtime, Role::other};

void put_integer(std::string& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

void put_text(std::string& out, std::string_view text) {
  put_integer(out, text.size(), 4);
  out += text;
}

void put_digest(std::string& out, const base::Digest& digest) {
  for (const std::uint64_t half : {digest.high, digest.low}) {
    for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>((half >> shift) & 0xff);
  }
}

// Takes values from the front; false from the first one on that is not there.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t integer(std::size_t bytes) {
    std::uint64_t value = 0;
    const std::string_view taken = take(bytes);
    for (std::size_t i = taken.size(); i-- > 0;) value = (value << 8) | static_cast<unsigned char>(taken[i]);
    return value;
  }

  std::string text() { return std::string(take(integer(4))); }

  base::Digest digest() {
    base::Digest digest;
    const std::string_view taken = take(16);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      std::uint64_t& half = i < 8 ? digest.high : digest.low;
      half = (half << 8) | static_cast<unsigned char>(taken[i]);
    }
    return digest;
  }

  bool good() const { return good_; }
  bool at_end() const { return good_ && rest_.empty(); }

 private:
  std::string_view take(std::uint64_t bytes) {
    good_ = good_ && bytes <= rest_.size();
    if (!good_) return {};
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
  bool good_ = true;
};

std::size_t index_of(Role role) {
  for (std::size_t i = 0; i < kRoles.size(); ++i) {
    if (kRoles[i] == role) return i;
  }
  return kRoles.size() - 1;
}

tl::unexpected<Error> damaged() { return fail(ErrorCode::damaged, "the list of files is damaged"); }

}  // namespace

std::string to_file_list(const Slice& slice) {
  std::string out;
  put_integer(out, kFileListVersion, 1);
  put_integer(out, slice.files.size(), 4);
  for (const FileRecord& file : slice.files) {
    put_integer(out, index_of(file.role), 1);
    put_digest(out, file.content);
    put_digest(out, file.outside_regions);
    put_text(out, file.path);
    put_text(out, file.virtual_name);
  }
  put_integer(out, slice.lookups.size(), 4);
  for (const Lookup& lookup : slice.lookups) {
    put_integer(out, lookup.found ? 1 : 0, 1);
    put_text(out, lookup.path);
  }
  return out;
}

Status read_file_list(std::string_view bytes, Slice& slice) {
  Reader reader(bytes);
  if (reader.integer(1) != kFileListVersion) return damaged();
  const std::uint64_t files = reader.integer(4);
  for (std::uint64_t i = 0; i < files && reader.good(); ++i) {
    FileRecord file;
    const std::uint64_t role = reader.integer(1);
    if (role >= kRoles.size()) return damaged();
    file.role = kRoles[role];
    file.content = reader.digest();
    file.outside_regions = reader.digest();
    file.path = reader.text();
    file.virtual_name = reader.text();
    slice.files.push_back(std::move(file));
  }
  const std::uint64_t lookups = reader.integer(4);
  for (std::uint64_t i = 0; i < lookups && reader.good(); ++i) {
    const bool found = reader.integer(1) != 0;
    slice.lookups.push_back({reader.text(), found});
  }
  if (!reader.at_end()) return damaged();
  return {};
}

}  // namespace cudahot::region

#include "lib/cuda/build_id.hpp"

#include <elf.h>

#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "lib/base/digest.hpp"
#include "lib/base/files.hpp"
#include "lib/cuda/elf_bytes.hpp"

namespace cudahot::cuda {
namespace {

// A note segment is a few hundred bytes; program headers a few dozen entries.
constexpr std::uint64_t kLargestNote = 1u << 16;
constexpr unsigned kMostSegments = 256;

std::string read_part(std::ifstream& file, std::uint64_t offset, std::uint64_t size) {
  std::string bytes(size, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

std::uint64_t aligned(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

// The build id in the bytes of a PT_NOTE segment.
std::optional<std::string> build_id_in(std::string_view notes) {
  std::uint64_t at = 0;
  while (const auto header = read_at<Elf64_Nhdr>(notes, at)) {
    const std::uint64_t name_at = at + sizeof(Elf64_Nhdr);
    const std::uint64_t description_at = name_at + aligned(header->n_namesz);
    const auto name = slice_bytes(notes, name_at, header->n_namesz);
    const auto description = slice_bytes(notes, description_at, header->n_descsz);
    if (!name || !description) return std::nullopt;
    if (header->n_type == NT_GNU_BUILD_ID && *name == std::string_view("GNU", 4)) return std::string(*description);
    at = description_at + aligned(header->n_descsz);
  }
  return std::nullopt;
}

std::optional<std::string> build_id_of(std::ifstream& file) {
  const std::string start = read_part(file, 0, sizeof(Elf64_Ehdr));
  const auto header = read_at<Elf64_Ehdr>(start, 0);
  if (!header || std::string_view(start).substr(0, SELFMAG) != ELFMAG || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_phnum > kMostSegments || header->e_phentsize != sizeof(Elf64_Phdr)) {
    return std::nullopt;
  }
  const std::string table = read_part(file, header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr));
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto segment = read_at<Elf64_Phdr>(table, i * sizeof(Elf64_Phdr));
    if (!segment) return std::nullopt;
    if (segment->p_type != PT_NOTE || segment->p_filesz > kLargestNote) continue;
    if (auto id = build_id_in(read_part(file, segment->p_offset, segment->p_filesz))) return id;
  }
  return std::nullopt;
}

std::string to_hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

}  // namespace

Result<std::string> file_identity(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (file) {
    if (const auto id = build_id_of(file)) return "id:" + to_hex(*id);
  }
  const auto content = base::read_file(path);
  if (!content) return fail(ErrorCode::environment, content.error().message);
  return "xxh:" + base::to_hex(base::digest(*content));
}

}  // namespace cudahot::cuda

#include "cache/preimage.hpp"

#include <fmt/format.h>

#include "cache/little_endian.hpp"
#include "lib/region/sm_arch.hpp"

namespace cudahot::cache {
namespace {

constexpr std::size_t kTagBytes = 4;

std::string_view to_string(region::Segment::Kind kind) {
  switch (kind) {
    case region::Segment::Kind::prefix:
      return "prefix";
    case region::Segment::Kind::helper:
      return "helper";
    case region::Segment::Kind::kernel:
      return "kernel";
  }
  return "";
}

void add_versions(Preimage& preimage, std::string_view kind) {
  preimage.add("vers", fmt::format("{}", kPreimageVersion));
  preimage.add("kind", kind);
}

void add_toolkit(Preimage& preimage, const base::ToolkitIdentity& toolkit) {
  preimage.add("nvrt", toolkit.nvrtc);
  preimage.add("nvjl", toolkit.nvjitlink);
}

}  // namespace

void Preimage::add(std::string_view tag, std::string_view bytes) {
  bytes_ += tag.substr(0, kTagBytes);
  append_little_endian(bytes_, bytes.size());
  bytes_ += bytes;
}

Result<std::vector<Field>> parse_preimage(std::string_view bytes) {
  std::vector<Field> fields;
  std::size_t position = 0;
  while (position < bytes.size()) {
    const std::string_view rest = bytes.substr(position);
    if (rest.size() < kTagBytes + kLittleEndianBytes) {
      return fail(ErrorCode::damaged, fmt::format("preimage ends inside the field at byte {}", position));
    }
    const std::uint64_t length = read_little_endian(rest.substr(kTagBytes));
    if (length > rest.size() - kTagBytes - kLittleEndianBytes) {
      return fail(ErrorCode::damaged, fmt::format("preimage field at byte {} claims {} bytes, {} are there", position,
                                                  length, rest.size() - kTagBytes - kLittleEndianBytes));
    }
    const auto size = static_cast<std::size_t>(length);
    fields.push_back(
        {std::string(rest.substr(0, kTagBytes)), std::string(rest.substr(kTagBytes + kLittleEndianBytes, size))});
    position += kTagBytes + kLittleEndianBytes + size;
  }
  return fields;
}

CacheKey make_key(const Preimage& preimage) { return {base::digest(preimage.bytes()), preimage.bytes()}; }

CacheKey cubin_key(const region::Slice& slice, const region::SmArch& arch, region::Tier tier,
                   const base::ToolkitIdentity& toolkit, const base::Digest& helper_library) {
  Preimage preimage;
  add_versions(preimage, "cubin");
  preimage.add("arch", region::to_string(arch));
  preimage.add("tier", region::to_string(tier));
  preimage.add("text", slice.text);
  if (tier == region::Tier::quick) {
    for (const region::Segment& segment : slice.segments) {
      preimage.add("segm", fmt::format("{} {} {} {}", to_string(segment.kind), segment.range.begin, segment.range.end,
                                       segment.declaration_end));
    }
  }
  for (const std::string& option : slice.options) preimage.add("optn", option);
  for (const region::Kernel& kernel : slice.kernels) {
    preimage.add("kern", kernel.name);
    preimage.add("nexp", kernel.name_expression);
    preimage.add("mang", kernel.mangled_name);
  }
  add_toolkit(preimage, toolkit);
  if (slice.uses_device_headers) {
    preimage.add("dhdr", "");
    for (const region::FileRecord& file : slice.files) {
      if (file.role != region::FileRecord::Role::device_header) continue;
      preimage.add("hnam", file.virtual_name);
      preimage.add("hdig", base::to_hex(file.content));
    }
  }
  if (const region::FileRecord* runtime = region::device_runtime(slice)) {
    preimage.add("drtl", base::to_hex(runtime->content));
  }
  preimage.add("usel", slice.uses_helper_library ? "yes" : "no");
  preimage.add("hlib", base::to_hex(helper_library));
  return make_key(preimage);
}

CacheKey helper_library_key(std::string_view form, const region::SmArch& arch, const base::ToolkitIdentity& toolkit,
                            const base::Digest& source_digest) {
  Preimage preimage;
  add_versions(preimage, "library");
  preimage.add("form", form);
  preimage.add("arch", region::to_string(arch));
  add_toolkit(preimage, toolkit);
  preimage.add("hsrc", base::to_hex(source_digest));
  return make_key(preimage);
}

}  // namespace cudahot::cache

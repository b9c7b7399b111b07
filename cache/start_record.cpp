#include "cache/start_record.hpp"

#include <utility>

#include <fmt/format.h>

#include "cache/seal.hpp"
#include "lib/region/manifest.hpp"

namespace cudahot::cache {
namespace {

constexpr std::string_view kHead = "head";
constexpr std::string_view kVersion = "vers";
constexpr std::string_view kArchitecture = "arch";
constexpr std::string_view kTier = "tier";
constexpr std::string_view kKey = "ckey";

}  // namespace

std::string write_start_record(const Store::ShippedSlice& shipped) {
  Preimage record;
  record.add(kHead, region::to_head_document(shipped.head));
  record.add(kVersion, fmt::format("{}", kPreimageVersion));
  for (const Store::ShippedCode& code : shipped.code) {
    record.add(kArchitecture, region::to_string(code.arch));
    record.add(kTier, region::to_string(code.tier));
    record.add(kKey, to_bytes(code.key));
  }
  return record.bytes();
}

Status read_start_record(std::string_view record, Store::ShippedSlice& shipped) {
  const auto fields = parse_preimage(record);
  if (!fields) return fail(fields.error());
  bool current = false;
  Store::ShippedCode code;
  for (const Field& field : *fields) {
    if (field.tag == kHead) {
      auto head = region::from_head_document(field.bytes, std::move(shipped.head.source));
      if (!head) return fail(head.error());
      shipped.head = std::move(*head);
    } else if (field.tag == kVersion) {
      current = field.bytes == fmt::format("{}", kPreimageVersion);
    } else if (field.tag == kArchitecture) {
      const auto arch = region::parse_sm_arch(field.bytes);
      if (!arch) return fail(ErrorCode::damaged, arch.error().message);
      code.arch = *arch;
    } else if (field.tag == kTier) {
      const auto tier = region::parse_tier(field.bytes);
      if (!tier) return fail(ErrorCode::damaged, fmt::format("unknown tier '{}'", field.bytes));
      code.tier = *tier;
    } else if (field.tag == kKey) {
      const auto key = digest_from_bytes(field.bytes);
      if (!key) return fail(ErrorCode::damaged, "a key is not 16 bytes long");
      code.key = *key;
      if (current) shipped.code.push_back(code);
    }
  }
  return {};
}

}  // namespace cudahot::cache

#include "tools/cudahot-cache/session.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace cudahot::tool {
namespace {

constexpr std::size_t kMostCandidates = 10;

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool is_key_prefix(const std::string& text) {
  return !text.empty() && text.size() <= 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

Result<std::optional<cache::Store>> open_store(const Session& session) {
  auto store = cache::Store::open(session.file, cache::Store::Mode::inspect,
                                  [](LogLevel, std::string_view text) { message(std::string(text)); });
  if (store) return std::optional<cache::Store>(std::move(*store));
  if (store.error().code == ErrorCode::not_found && !session.file_was_named) {
    message(fmt::format("the cache '{}' does not exist yet: it is made when the first kernel is stored",
                        session.file.string()));
    return std::nullopt;
  }
  return fail(store.error());
}

Result<cache::Store::Entry> find_entry(const Session& session, const std::string& key) {
  const std::string prefix = lower_case(key);
  if (!is_key_prefix(prefix)) {
    return fail(ErrorCode::usage, fmt::format("'{}' is not a key or its beginning: 1 to 32 hexadecimal digits", key));
  }
  auto store = open_store(session);
  if (!store) return fail(store.error());
  const auto unknown = [&] {
    return fail(ErrorCode::usage, fmt::format("no entry of '{}' has a key that begins with {}; see cudahot-cache ls",
                                              session.file.string(), prefix));
  };
  if (!*store) return unknown();
  const auto keys = (*store)->keys_with_prefix(prefix);
  if (!keys) return fail(keys.error());
  if (keys->empty()) return unknown();
  if (keys->size() > 1) {
    std::string candidates;
    for (std::size_t i = 0; i < keys->size() && i < kMostCandidates; ++i) {
      candidates += fmt::format("\n  {}", base::to_hex((*keys)[i]));
    }
    if (keys->size() > kMostCandidates) candidates += fmt::format("\n  and {} more", keys->size() - kMostCandidates);
    return fail(ErrorCode::usage, fmt::format("{} entries have a key that begins with {}; give more digits:{}",
                                              keys->size(), prefix, candidates));
  }
  auto entry = (*store)->entry(keys->front());
  if (!entry) return fail(entry.error());
  if (!*entry) return unknown();
  return std::move(**entry);
}

int report(const Error& error) {
  message(error.message);
  switch (error.code) {
    case ErrorCode::usage:
      return kUsage;
    case ErrorCode::damaged:
    case ErrorCode::source:
      return kProblem;
    default:
      return kEnvironment;
  }
}

void message(const std::string& text) { fmt::print(stderr, "cudahot-cache: {}\n", text); }

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print(const nlohmann::ordered_json& json) {
  print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace cudahot::tool

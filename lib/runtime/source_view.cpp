#include "lib/runtime/source_view.hpp"

#include <utility>

namespace cudahot::runtime {

using Role = region::FileRecord::Role;

namespace {

// What is larger is no source that someone edits, and the program that runs has better uses for its memory.
constexpr std::uint64_t kLargestSource = std::uint64_t{64} << 20;

}  // namespace

Result<SourceText> read_source(const std::filesystem::path& file) {
  auto raw = base::read_file(file, kLargestSource);
  if (!raw) return fail(std::move(raw.error()));
  SourceText source;
  source.text = base::normalise_source(*raw);
  source.digest = base::digest(source.text);
  return source;
}

bool is_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

void SourceView::adopt(const region::Slice& slice) {
  for (const region::FileRecord& file : slice.files) {
    Entry& entry = files_[file.path];
    entry.role = file.role;
    if (entry.digest == file.content) continue;
    entry.digest = file.content;
    entry.text.reset();
    entry.stamp.reset();
  }
  for (const region::Lookup& lookup : slice.lookups) lookups_[lookup.path] = lookup.found;
}

void SourceView::add(const std::vector<std::string>& files, const std::vector<region::Lookup>& lookups) {
  for (const std::string& file : files) {
    if (files_.count(file) != 0) continue;
    Entry entry;
    if (read_into(file, entry)) files_.emplace(file, std::move(entry));
  }
  for (const region::Lookup& lookup : lookups) lookups_[lookup.path] = lookup.found;
}

bool SourceView::concerns(const FileChange& change) const {
  return change.found ? lookups_.count(change.file) != 0 : files_.count(change.file) != 0;
}

bool SourceView::is_other_answer(const FileChange& lost) const {
  return lookups_.count(lost.file) != 0 && !is_there(lost.file);
}

void SourceView::apply(const FileChange& change) {
  if (change.found) {
    lookups_[change.file] = *change.found;
    return;
  }
  Entry& entry = files_[change.file];
  if (change.stable < entry.read_at) return;
  entry.read_at = change.stable;
  entry.digest = change.content.digest;
  entry.text = change.content.text;
  entry.stamp.reset();
}

Status SourceView::read_into(const std::string& file, Entry& entry) {
  const auto now = std::chrono::steady_clock::now();
  const auto stamp = base::stamp_file(file);
  auto source = read_source(file);
  if (!source) return fail(std::move(source.error()));
  if (!stamp) return fail(stamp.error());
  entry.read_at = now;
  entry.digest = source->digest;
  entry.text = std::move(source->text);
  entry.stamp = *stamp;
  return {};
}

std::vector<FileChange> SourceView::refresh() {
  std::vector<FileChange> lost;
  for (auto& [path, found] : lookups_) found = is_there(path);
  for (auto& [file, entry] : files_) {
    const auto stamp = base::stamp_file(file);
    const bool user_file = entry.role == Role::main || entry.role == Role::user_header;
    if (stamp ? entry.stamp == *stamp : !(entry.stamp && user_file)) continue;
    const bool first_look = !entry.stamp;
    if (first_look && !user_file) {
      entry.stamp = *stamp;
      continue;
    }
    auto read = read_into(file, entry);
    if (read || first_look) continue;
    const auto now = std::chrono::steady_clock::now();
    FileChange change{file, {}, now, now, std::move(read.error())};
    if (!is_other_answer(change)) lost.push_back(std::move(change));
  }
  return lost;
}

std::vector<std::string> SourceView::files() const {
  std::vector<std::string> names;
  for (const auto& [file, entry] : files_) names.push_back(file);
  return names;
}

const base::Digest* SourceView::digest(const std::string& file) const {
  const auto found = files_.find(file);
  return found == files_.end() ? nullptr : &found->second.digest;
}

const std::string* SourceView::text(const std::string& file) {
  const auto found = files_.find(file);
  if (found == files_.end()) return nullptr;
  Entry& entry = found->second;
  if (!entry.text) {
    auto source = read_source(file);
    if (!source || source->digest != entry.digest) return nullptr;
    entry.text = std::move(source->text);
  }
  return &*entry.text;
}

base::Digest SourceView::fingerprint() const {
  base::Digester digester;
  for (const auto& [file, entry] : files_) {
    digester.add(file);
    digester.add(std::string_view("\0", 1));
    digester.add(base::to_hex(entry.digest));
  }
  for (const auto& [path, found] : lookups_) {
    digester.add(path);
    digester.add(std::string_view(found ? "\0+" : "\0-", 2));
  }
  return digester.finish();
}

}  // namespace cudahot::runtime

#include "lib/build/helper_memo.hpp"

namespace cudahot::build {

std::shared_ptr<const std::string> HelperMemo::find(const base::Digest& source) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, blob] : entries_) {
    if (key == source) return blob;
  }
  return nullptr;
}

void HelperMemo::insert(const base::Digest& source, std::string blob) {
  auto entry = std::make_shared<const std::string>(std::move(blob));
  const std::lock_guard lock(mutex_);
  entries_.emplace_back(source, std::move(entry));
  if (entries_.size() > kMostEntries) entries_.pop_front();
}

}  // namespace cudahot::build

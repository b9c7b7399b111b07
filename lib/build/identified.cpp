#include "lib/build/identified.hpp"

#include <fmt/format.h>

namespace cudahot::build {

Result<std::string> Identified::identity(const Files& files, const Identify& identify) {
  if (loaded_) return *identity_;
  Stamps now = stamps_of(files);
  if (!identity_ || now != stamps_) {
    // Replaced while they are read: the next call sees other stamps.
    stamps_ = std::move(now);
    identity_ = identify();
  }
  return *identity_;
}

void Identified::begin_load(const Files& files, const Identify& identify) {
  static_cast<void>(identity(files, identify));
}

void Identified::end_load(const Files& files) {
  if (loaded_) return;
  loaded_ = true;
  const Stamps now = stamps_of(files);
  if (now == stamps_ || !*identity_) return;
  // Either version may be what was loaded: this is neither one's code.
  std::string either = **identity_ + " replaced while it was loaded:";
  for (const auto& stamp : now) {
    if (stamp) either += fmt::format(" {}.{}.{}", stamp->inode, stamp->size, stamp->modified_ns);
  }
  identity_ = std::move(either);
}

Identified::Stamps Identified::stamps_of(const Files& files) {
  Stamps stamps;
  for (const auto& file : files) {
    const auto stamp = base::stamp_file(file);
    stamps.push_back(stamp ? std::optional(*stamp) : std::nullopt);
  }
  return stamps;
}

}  // namespace cudahot::build

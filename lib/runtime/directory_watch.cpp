#include "lib/runtime/directory_watch.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cudahot::runtime {
namespace {

// MODIFY is there to know of a writer that has not closed the file yet: what is read before it
// does may be half of the text.
constexpr std::uint32_t kMask = IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
// Added to what is watched of the folder already.
constexpr std::uint32_t kMaskAbove = IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD;
constexpr int kMaximumLinks = 40;

std::optional<DirectoryEvent::Kind> kind_of(std::uint32_t mask) {
  if ((mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0) return DirectoryEvent::Kind::settled;
  // A new name: a link is complete, a new file is written now and closed later. Whoever reads
  // too early gets told again.
  if ((mask & (IN_MODIFY | IN_CREATE)) != 0) return DirectoryEvent::Kind::writing;
  if ((mask & (IN_DELETE | IN_MOVED_FROM)) != 0) return DirectoryEvent::Kind::gone;
  if ((mask & IN_ATTRIB) != 0) return DirectoryEvent::Kind::rights;
  return std::nullopt;
}

}  // namespace

DirectoryWatch::DirectoryWatch() : descriptor_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

DirectoryWatch::~DirectoryWatch() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool DirectoryWatch::add(std::size_t file, const std::filesystem::path& path) {
  std::filesystem::path step = path;
  for (int links = 0; links < kMaximumLinks; ++links) {
    if (!add_step(file, step)) return false;
    std::error_code error;
    const auto target = std::filesystem::read_symlink(step, error);
    if (error) return true;
    step = target.is_absolute() ? target : step.parent_path() / target;
  }
  return false;
}

bool DirectoryWatch::add_step(std::size_t file, const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const int watch = ::inotify_add_watch(descriptor_, folder.c_str(), kMask);
  if (watch < 0) return false;
  names_[{watch, path.filename().string()}].insert(file);
  watch_above(folder);
  return true;
}

// A folder that moves along with one above it gets no event of its own. Where this fails, only
// such moves are missed.
void DirectoryWatch::watch_above(std::filesystem::path folder) {
  while (folder.has_relative_path() && folder.has_parent_path()) {
    folder = folder.parent_path();
    if (::inotify_add_watch(descriptor_, folder.c_str(), kMaskAbove) < 0) return;
  }
}

std::vector<DirectoryEvent> DirectoryWatch::read() {
  std::vector<DirectoryEvent> events;
  alignas(inotify_event) std::array<char, 64 * 1024> buffer{};
  for (;;) {
    const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return events;
    std::size_t position = 0;
    while (position < static_cast<std::size_t>(count)) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + position, sizeof(event));
      const std::string name = event.len == 0 ? std::string() : std::string(buffer.data() + position + sizeof(event));
      position += sizeof(event) + event.len;
      // A folder that went away may come back as another: treat its files like lost events.
      if ((event.mask & (IN_Q_OVERFLOW | IN_IGNORED | IN_MOVE_SELF)) != 0) {
        events.push_back({DirectoryEvent::Kind::overflow, 0});
        continue;
      }
      const auto kind = kind_of(event.mask);
      const auto files = names_.find({event.wd, name});
      if (!kind || files == names_.end()) continue;
      for (const std::size_t file : files->second) events.push_back({*kind, file});
    }
  }
}

}  // namespace cudahot::runtime

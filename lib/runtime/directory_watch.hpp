// DirectoryWatch: inotify on the directories that hold a set of files, links resolved step by step.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cudahot::runtime {

struct DirectoryEvent {
  enum class Kind {
    writing,  // content changes, the writer still has the file open
    settled,  // closed by a writer, moved here, linked
    gone,     // deleted or moved away
    rights,   // its owner or its mode changed
    overflow  // events were lost: every file may have changed
  };
  Kind kind = Kind::settled;
  std::size_t file = 0;  // as given to add; not for overflow
};

// Not thread safe.
class DirectoryWatch {
 public:
  DirectoryWatch();
  ~DirectoryWatch();
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  // False when inotify cannot be had; the others must not be called then.
  bool usable() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

  // Watches the folder of `path`, and where it is a symbolic link the folders on its way to the
  // file. Called again for a file, it follows links anew. False when a folder cannot be watched.
  bool add(std::size_t file, const std::filesystem::path& path);

  // Reads what has happened; does not wait.
  std::vector<DirectoryEvent> read();

 private:
  bool add_step(std::size_t file, const std::filesystem::path& path);
  void watch_above(std::filesystem::path folder);

  int descriptor_ = -1;
  std::map<std::pair<int, std::string>, std::set<std::size_t>> names_;  // (watch, name) -> files
};

}  // namespace cudahot::runtime

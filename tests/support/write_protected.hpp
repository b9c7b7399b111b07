// Files and folders as a user meets them who may not write there, whoever runs the tests.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace cudahot::test_support {

// While it lives the process is no superuser.
class AsAnotherUser {
 public:
  AsAnotherUser() {
    if (::geteuid() == 0 && ::seteuid(kNobody) == 0) was_root_ = true;
  }
  ~AsAnotherUser() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }
  AsAnotherUser(const AsAnotherUser&) = delete;
  AsAnotherUser& operator=(const AsAnotherUser&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  bool was_root_ = false;
};

// While it lives the folder cannot be written to.
class WriteProtected {
 public:
  explicit WriteProtected(std::filesystem::path folder) : mode_(std::move(folder)) {}

 private:
  struct Mode {
    explicit Mode(std::filesystem::path path) : folder(std::move(path)) { ::chmod(folder.c_str(), 0555); }
    ~Mode() { ::chmod(folder.c_str(), 0755); }
    Mode(const Mode&) = delete;
    Mode& operator=(const Mode&) = delete;
    std::filesystem::path folder;
  };
  Mode mode_;
  AsAnotherUser user_;
};

}  // namespace cudahot::test_support

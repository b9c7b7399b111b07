// For tests that make thousands of files and are about what is in them: a disk in memory, where there is one.
#pragma once

#include <cstdlib>

#include <unistd.h>

#include <gtest/gtest.h>

namespace cudahot::cache {

class MemoryDisk : public testing::Environment {
 public:
  void SetUp() override {
    if (::access("/dev/shm", W_OK | X_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
  }
};

}  // namespace cudahot::cache

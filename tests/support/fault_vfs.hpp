// A disk that fails when it is told to: SQLite's own file layer, with a count of what is asked of it.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

namespace cudahot::test {

// While it lives, databases are opened through it. One at a time; its calls may come from any thread.
class FaultVfs {
 public:
  enum class Operation { open, read, write, sync, truncate, remove, lock, file_size, access, shm_map, shm_lock };
  enum class Fault {
    full,          // a write finds no room
    half_write,    // half of a write reaches the disk, then there is no more room
    input_output,  // any operation fails, once
    busy,          // from then on others hold all locks
    power_cut      // half of a write reaches the disk, and nothing works from then on
  };

  FaultVfs();
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  // The operation number `number` of those that `fault` can hit fails; they are counted from 1, and from now on.
  void arm(Fault fault, int number);
  void disarm();
  bool fired() const;  // since arm()

  int count(Operation operation) const;  // since the beginning
  // What SQLite has slept, since the beginning; while a fault is armed it only says so.
  std::chrono::microseconds slept() const;

  // The result code of an operation that is about to be done: 0, or that of the fault which hits it. For the file
  // layer's functions.
  struct Outcome {
    int code = 0;
    bool half = false;  // of a write
  };
  Outcome next(Operation operation);
  bool sleeps(std::chrono::microseconds time);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string_view to_string(FaultVfs::Fault fault);

}  // namespace cudahot::test

#include "tests/support/fault_vfs.hpp"

#include <array>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include <sqlite3.h>

namespace cudahot::test {
namespace {

using Fault = FaultVfs::Fault;
using Operation = FaultVfs::Operation;

constexpr int kOperations = static_cast<int>(Operation::shm_lock) + 1;

bool can_hit(Fault fault, Operation operation) {
  switch (fault) {
    case Fault::full:
    case Fault::half_write:
      return operation == Operation::write;
    case Fault::busy:
      return operation == Operation::lock || operation == Operation::shm_lock;
    case Fault::input_output:
    case Fault::power_cut:
      break;
  }
  return true;
}

int input_output_error(Operation operation) {
  constexpr std::array<int, kOperations> kCodes{SQLITE_CANTOPEN,     SQLITE_IOERR_READ,     SQLITE_IOERR_WRITE,
                                                SQLITE_IOERR_FSYNC,  SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_DELETE,
                                                SQLITE_IOERR_LOCK,   SQLITE_IOERR_FSTAT,    SQLITE_IOERR_ACCESS,
                                                SQLITE_IOERR_SHMMAP, SQLITE_IOERR_SHMLOCK};
  return kCodes[static_cast<std::size_t>(operation)];
}

int code_of(Fault fault, Operation operation) {
  if (fault == Fault::full || fault == Fault::half_write) return SQLITE_FULL;
  if (fault == Fault::busy) return SQLITE_BUSY;
  return input_output_error(operation);
}

// A file of ours, with the file of the layer below behind it in the same block of memory.
struct File {
  sqlite3_file base;
  FaultVfs* disk;
};

sqlite3_file* below(sqlite3_file* file) { return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1); }
FaultVfs& disk(sqlite3_file* file) { return *reinterpret_cast<File*>(file)->disk; }
FaultVfs& disk(sqlite3_vfs* vfs) { return *static_cast<FaultVfs*>(vfs->pAppData); }
sqlite3_vfs* real_vfs() { return sqlite3_vfs_find("unix"); }

int close_file(sqlite3_file* file) { return below(file)->pMethods->xClose(below(file)); }

int read_file(sqlite3_file* file, void* data, int size, sqlite3_int64 offset) {
  if (const auto outcome = disk(file).next(Operation::read); outcome.code != SQLITE_OK) return outcome.code;
  return below(file)->pMethods->xRead(below(file), data, size, offset);
}

int write_file(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  const auto outcome = disk(file).next(Operation::write);
  if (outcome.code == SQLITE_OK) return below(file)->pMethods->xWrite(below(file), data, size, offset);
  if (outcome.half) (void)below(file)->pMethods->xWrite(below(file), data, size / 2, offset);
  return outcome.code;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  if (const auto outcome = disk(file).next(Operation::truncate); outcome.code != SQLITE_OK) return outcome.code;
  return below(file)->pMethods->xTruncate(below(file), size);
}

int sync_file(sqlite3_file* file, int flags) {
  if (const auto outcome = disk(file).next(Operation::sync); outcome.code != SQLITE_OK) return outcome.code;
  return below(file)->pMethods->xSync(below(file), flags);
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  if (const auto outcome = disk(file).next(Operation::file_size); outcome.code != SQLITE_OK) return outcome.code;
  return below(file)->pMethods->xFileSize(below(file), size);
}

int lock_file(sqlite3_file* file, int level) {
  if (const auto outcome = disk(file).next(Operation::lock); outcome.code != SQLITE_OK) return outcome.code;
  return below(file)->pMethods->xLock(below(file), level);
}

int unlock_file(sqlite3_file* file, int level) { return below(file)->pMethods->xUnlock(below(file), level); }
int check_reserved(sqlite3_file* file, int* held) {
  return below(file)->pMethods->xCheckReservedLock(below(file), held);
}
int control_file(sqlite3_file* file, int op, void* data) {
  return below(file)->pMethods->xFileControl(below(file), op, data);
}
int sector_size(sqlite3_file* file) { return below(file)->pMethods->xSectorSize(below(file)); }
int characteristics(sqlite3_file* file) { return below(file)->pMethods->xDeviceCharacteristics(below(file)); }

int map_shm(sqlite3_file* file, int region, int size, int extend, void volatile** memory) {
  if (const auto outcome = disk(file).next(Operation::shm_map); outcome.code != SQLITE_OK) {
    *memory = nullptr;
    return outcome.code;
  }
  return below(file)->pMethods->xShmMap(below(file), region, size, extend, memory);
}

int lock_shm(sqlite3_file* file, int offset, int count, int flags) {
  const bool locks = (flags & SQLITE_SHM_LOCK) != 0;
  if (locks) {
    if (const auto outcome = disk(file).next(Operation::shm_lock); outcome.code != SQLITE_OK) return outcome.code;
  }
  return below(file)->pMethods->xShmLock(below(file), offset, count, flags);
}

void barrier_shm(sqlite3_file* file) { below(file)->pMethods->xShmBarrier(below(file)); }
int unmap_shm(sqlite3_file* file, int remove) { return below(file)->pMethods->xShmUnmap(below(file), remove); }

constexpr sqlite3_io_methods kMethods{
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = map_shm,
    .xShmLock = lock_shm,
    .xShmBarrier = barrier_shm,
    .xShmUnmap = unmap_shm,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  if (const auto outcome = disk(vfs).next(Operation::open); outcome.code != SQLITE_OK) return outcome.code;
  reinterpret_cast<File*>(file)->disk = &disk(vfs);
  const int rc = real_vfs()->xOpen(real_vfs(), name, below(file), flags, out_flags);
  if (below(file)->pMethods != nullptr) file->pMethods = &kMethods;
  return rc;
}

int delete_file(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  if (const auto outcome = disk(vfs).next(Operation::remove); outcome.code != SQLITE_OK) return outcome.code;
  return real_vfs()->xDelete(real_vfs(), name, sync_folder);
}

int access_file(sqlite3_vfs* vfs, const char* name, int flags, int* result) {
  if (const auto outcome = disk(vfs).next(Operation::access); outcome.code != SQLITE_OK) return outcome.code;
  return real_vfs()->xAccess(real_vfs(), name, flags, result);
}

// What waits for a lock that a fault holds waits for nothing.
int sleep_or_not(sqlite3_vfs* vfs, int microseconds) {
  if (disk(vfs).sleeps(std::chrono::microseconds(microseconds))) return real_vfs()->xSleep(real_vfs(), microseconds);
  return microseconds;
}

}  // namespace

struct FaultVfs::State {
  sqlite3_vfs vfs{};
  std::mutex mutex;  // guards what follows
  std::optional<Fault> fault;
  int left = 0;  // operations until it happens
  bool fired = false;
  std::array<int, kOperations> counts{};
  std::chrono::microseconds slept{0};
};

FaultVfs::FaultVfs() : state_(std::make_unique<State>()) {
  sqlite3_initialize();
  sqlite3_vfs* real = real_vfs();
  state_->vfs = *real;
  sqlite3_vfs& vfs = state_->vfs;
  vfs.szOsFile = real->szOsFile + static_cast<int>(sizeof(File));
  vfs.zName = "faults";
  vfs.pAppData = this;
  vfs.xOpen = open_file;
  vfs.xDelete = delete_file;
  vfs.xAccess = access_file;
  vfs.xSleep = sleep_or_not;
  sqlite3_vfs_register(&vfs, 1);
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&state_->vfs);
  sqlite3_vfs_register(real_vfs(), 1);
}

void FaultVfs::arm(Fault fault, int number) {
  const std::lock_guard lock(state_->mutex);
  state_->fault = fault;
  state_->left = number;
  state_->fired = false;
}

void FaultVfs::disarm() {
  const std::lock_guard lock(state_->mutex);
  state_->fault.reset();
}

bool FaultVfs::fired() const {
  const std::lock_guard lock(state_->mutex);
  return state_->fired;
}

int FaultVfs::count(Operation operation) const {
  const std::lock_guard lock(state_->mutex);
  return state_->counts[static_cast<std::size_t>(operation)];
}

std::chrono::microseconds FaultVfs::slept() const {
  const std::lock_guard lock(state_->mutex);
  return state_->slept;
}

bool FaultVfs::sleeps(std::chrono::microseconds time) {
  const std::lock_guard lock(state_->mutex);
  state_->slept += time;
  return !state_->fault;
}

FaultVfs::Outcome FaultVfs::next(Operation operation) {
  const std::lock_guard lock(state_->mutex);
  ++state_->counts[static_cast<std::size_t>(operation)];
  if (!state_->fault || !can_hit(*state_->fault, operation)) return {};
  const Fault fault = *state_->fault;
  const bool lasts = fault == Fault::busy || fault == Fault::power_cut;
  if (state_->fired ? !lasts : --state_->left > 0) return {};
  const bool first = !std::exchange(state_->fired, true);
  return {code_of(fault, operation), first && (fault == Fault::half_write || fault == Fault::power_cut)};
}

std::string_view to_string(FaultVfs::Fault fault) {
  constexpr std::array<std::string_view, 5> kNames{"disk full", "half a write, then disk full", "input/output error",
                                                   "locked from here on", "power cut"};
  return kNames[static_cast<std::size_t>(fault)];
}

}  // namespace cudahot::test

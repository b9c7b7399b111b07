#include "lib/extract/normalising_files.hpp"

#include <fmt/format.h>
#include <llvm/Support/MemoryBuffer.h>

#include "lib/base/files.hpp"
#include "lib/extract/gap_header.hpp"

namespace cudahot::extract {
namespace {

namespace vfs = llvm::vfs;

std::string_view view(llvm::StringRef text) { return {text.data(), text.size()}; }

class NormalisedFile : public vfs::File {
 public:
  NormalisedFile(vfs::Status status, std::string text) : status_(std::move(status)), text_(std::move(text)) {}

  llvm::ErrorOr<vfs::Status> status() override { return status_; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, std::int64_t, bool,
                                                               bool) override {
    return llvm::MemoryBuffer::getMemBufferCopy(text_, name);
  }
  std::error_code close() override { return {}; }

 private:
  vfs::Status status_;
  std::string text_;
};

class NormalisingFileSystem : public vfs::ProxyFileSystem {
 public:
  NormalisingFileSystem(llvm::IntrusiveRefCntPtr<vfs::FileSystem> disk, const FileOwners& owners,
                        std::set<std::string>& missing)
      : ProxyFileSystem(std::move(disk)), owners_(owners), missing_(missing) {}

  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine& path) override {
    // Opening a FIFO would wait for its writer.
    if (const auto found = ProxyFileSystem::status(path); found && !found->isRegularFile() && !found->isDirectory()) {
      return std::make_error_code(std::errc::operation_not_supported);
    }
    auto file = ProxyFileSystem::openFileForRead(path);
    if (!file) missing_.insert(path.str());
    if (!file || !is_users(path)) return file;
    const auto status = (*file)->status();
    if (!status || !status->isRegularFile()) return file;
    const auto buffer = (*file)->getBuffer(path);
    if (!buffer) return buffer.getError();
    std::string text = base::normalise_source(view((*buffer)->getBuffer()));
    if (text == view((*buffer)->getBuffer())) return ProxyFileSystem::openFileForRead(path);
    return std::make_unique<NormalisedFile>(vfs::Status::copyWithNewSize(*status, text.size()), std::move(text));
  }

  // Sizes must agree with what reading gives, or Clang says that the file changed meanwhile.
  llvm::ErrorOr<vfs::Status> status(const llvm::Twine& path) override {
    auto status = ProxyFileSystem::status(path);
    if (!status) missing_.insert(path.str());
    if (!status || !status->isRegularFile() || !is_users(path)) return status;
    const auto file = openFileForRead(path);
    if (!file) return status;
    return (*file)->status();
  }

 private:
  bool is_users(const llvm::Twine& path) const {
    llvm::SmallString<256> storage;
    return owners_.owner(view(path.toStringRef(storage))) == FileOwner::user;
  }

  const FileOwners& owners_;
  std::set<std::string>& missing_;
};

}  // namespace

llvm::IntrusiveRefCntPtr<vfs::FileSystem> normalising_file_system(const std::string& working_directory,
                                                                  const FileOwners& owners, unsigned cuda_version,
                                                                  std::set<std::string>& missing) {
  // A physical file system of its own has a working directory of its own: parses run in parallel.
  llvm::IntrusiveRefCntPtr<vfs::FileSystem> disk(vfs::createPhysicalFileSystem().release());
  auto overlay = llvm::makeIntrusiveRefCnt<vfs::OverlayFileSystem>(
      llvm::makeIntrusiveRefCnt<NormalisingFileSystem>(std::move(disk), owners, missing));
  auto memory = llvm::makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  const auto add = [&](std::string_view path, std::string_view text) {
    memory->addFile(llvm::StringRef(path.data(), path.size()), 0,
                    llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size())));
  };
  add(kGapHeaderPath, gap_header());
  add(fmt::format("{}/bin/nvcc", kToolkitPath), "");
  add(fmt::format("{}/include/cuda.h", kToolkitPath), fmt::format("#define CUDA_VERSION {}\n", cuda_version));
  overlay->pushOverlay(std::move(memory));
  overlay->setCurrentWorkingDirectory(working_directory);
  return overlay;
}

}  // namespace cudahot::extract

// BundleFile: a bundle's file, open for reading: the same one whatever becomes of its name. Thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "cudahot/result.hpp"

namespace cudahot::cache {

class BundleFile {
 public:
  // Errors: not_found, environment (also: no regular file).
  static Result<BundleFile> open(const std::filesystem::path& path);
  ~BundleFile();
  BundleFile(BundleFile&& other) noexcept;
  BundleFile& operator=(BundleFile&&) = delete;

  const std::filesystem::path& path() const { return path_; }  // as it was given
  std::uint64_t size() const;                                  // bytes, now; 0 when it cannot be told
  // Whether its name is still that of this file.
  bool is_in_place() const;
  // Errors: environment, damaged (fewer bytes are there).
  Result<std::string> read(std::uint64_t offset, std::uint64_t size) const;

 private:
  BundleFile(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace cudahot::cache

// A database that appears whole, or not at all.
#pragma once

#include <filesystem>
#include <functional>

#include "cache/store.hpp"
#include "cudahot/result.hpp"

namespace cudahot::tool {

// The place beside a file where it is made.
class StagedDatabase {
 public:
  // Errors: usage (it is there, and `replace` is not set; or it is there and no bundle).
  static Result<StagedDatabase> beside(const std::filesystem::path& file, bool replace);
  // For a file whose replacing was decided on elsewhere.
  explicit StagedDatabase(std::filesystem::path file);
  StagedDatabase(StagedDatabase&& other) noexcept;
  StagedDatabase& operator=(StagedDatabase&&) = delete;
  ~StagedDatabase();  // removes what was not published

  const std::filesystem::path& path() const { return temporary_; }
  // An error of what is made there, with the name of the file that was asked for.
  Error of_file(Error error) const;
  // Makes a bundle of what `fill` puts into it, and publishes it. Errors: environment, and those of `fill`.
  Status make_bundle(const std::function<Status(cache::Store& bundle)>& fill);
  Status publish();  // Errors: environment.

 private:
  std::filesystem::path file_;
  std::filesystem::path temporary_;
};

}  // namespace cudahot::tool

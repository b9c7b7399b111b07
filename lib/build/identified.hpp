// Identified: which version of a program or library is in use, when it may be replaced at any time.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/base/files.hpp"

namespace cudahot::build {

// Not thread safe.
class Identified {
 public:
  using Files = std::vector<std::filesystem::path>;
  using Identify = std::function<Result<std::string>()>;

  // What `identify` says about the files as they are, asked again when one of them is another than before. Once they
  // are loaded, about those.
  Result<std::string> identity(const Files& files, const Identify& identify);

  // Around what loads the files.
  void begin_load(const Files& files, const Identify& identify);
  void end_load(const Files& files);

 private:
  using Stamps = std::vector<std::optional<base::FileStamp>>;

  static Stamps stamps_of(const Files& files);

  std::optional<Result<std::string>> identity_;
  Stamps stamps_;  // when it was asked for
  bool loaded_ = false;
};

}  // namespace cudahot::build

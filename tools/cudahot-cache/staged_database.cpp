#include "tools/cudahot-cache/staged_database.hpp"

#include <utility>

#include <fmt/format.h>

#include "cache/salvage.hpp"
#include "lib/base/temporary_names.hpp"

namespace cudahot::tool {
namespace fs = std::filesystem;

Result<StagedDatabase> StagedDatabase::beside(const fs::path& file, bool replace) {
  std::error_code error;
  const auto status = fs::symlink_status(file, error);
  if (!fs::exists(status)) return StagedDatabase(file);
  if (!replace) {
    return fail(ErrorCode::usage, fmt::format("'{}' is there already; --force replaces it", file.string()));
  }
  const auto kind = cache::kind_of_database(file);
  if (!kind || *kind != cache::DatabaseKind::bundle) {
    return fail(ErrorCode::usage, fmt::format("'{}' is not replaced, since it is no bundle", file.string()));
  }
  const auto target = fs::canonical(file, error);  // a link stays one
  return StagedDatabase(error ? file : target);
}

StagedDatabase::StagedDatabase(fs::path file) : file_(std::move(file)), temporary_(base::temporary_name(file_)) {}

StagedDatabase::StagedDatabase(StagedDatabase&& other) noexcept
    : file_(std::move(other.file_)), temporary_(std::exchange(other.temporary_, {})) {}

StagedDatabase::~StagedDatabase() {
  if (temporary_.empty()) return;
  std::error_code ignored;
  for (const char* part : {"", "-journal"}) fs::remove(temporary_.native() + part, ignored);
}

Error StagedDatabase::of_file(Error error) const {
  const std::string& temporary = temporary_.native();
  for (auto at = error.message.find(temporary); at != std::string::npos; at = error.message.find(temporary, at)) {
    error.message.replace(at, temporary.size(), file_.native());
    at += file_.native().size();
  }
  return error;
}

Status StagedDatabase::make_bundle(const std::function<Status(cache::Store& bundle)>& fill) {
  const auto make = [&]() -> Status {
    auto bundle = cache::Store::open(temporary_, cache::Store::Mode::create_bundle);
    if (!bundle) return fail(bundle.error());
    if (const auto done = fill(*bundle); !done) return done;
    return bundle->finish();
  };
  if (const auto made = make(); !made) return fail(of_file(made.error()));
  return publish();
}

Status StagedDatabase::publish() {
  std::error_code error;
  fs::rename(temporary_, file_, error);
  if (error) {
    return fail(ErrorCode::environment, fmt::format("cannot make '{}': {}", file_.string(), error.message()));
  }
  temporary_.clear();
  return {};
}

}  // namespace cudahot::tool

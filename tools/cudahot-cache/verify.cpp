#include <algorithm>

#include <fmt/format.h>

#include "cache/salvage.hpp"
#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"
#include "tools/cudahot-cache/staged_database.hpp"

namespace cudahot::tool {
namespace {

using cache::Store;

// What was found, and what was done about it.
struct Verification {
  std::size_t entries = 0;
  std::vector<Store::Problem> problems;
  bool file_is_damaged = false;  // not only rows of it
  bool rebuilt = false;
  std::size_t kept_entries = 0, kept_slices = 0;  // when rebuilt
};

// What a program says to do about a file that it cannot use is not what is to be done about a part of one.
std::string without_advice(std::string text) {
  text.resize(std::min(text.find("; delete it"), text.size()));
  return text;
}

// Errors: those that are no damage.
Result<Verification> find_problems(const Session& session) {
  Verification found;
  const auto damaged_as_a_whole = [&](const Error& error) -> Result<Verification> {
    if (error.code != ErrorCode::damaged && error.code != ErrorCode::internal) return fail(error);
    found.file_is_damaged = true;
    found.problems = {{"database", without_advice(error.message)}};
    return found;
  };
  auto store = open_store(session);
  if (!store) return damaged_as_a_whole(store.error());
  if (!*store) return found;
  auto problems = (*store)->verify();
  if (!problems) return damaged_as_a_whole(problems.error());
  const auto keys = (*store)->keys_with_prefix("");
  if (!keys) return damaged_as_a_whole(keys.error());
  found.entries = keys->size();
  found.problems = std::move(*problems);
  if (std::ranges::find(found.problems, "database", &Store::Problem::subject) == found.problems.end()) return found;
  const auto integrity = (*store)->integrity_problems();  // or there are only contents without an entry
  if (!integrity) return damaged_as_a_whole(integrity.error());
  found.file_is_damaged = !integrity->empty();
  return found;
}

// A new file in the place of a bundle, since programs may have it open; new content in that of a cache, for the same
// reason.
Status rebuild(const Session& session, cache::DatabaseKind kind, Verification& verification) {
  std::error_code error;
  const auto target = std::filesystem::canonical(session.file, error);
  StagedDatabase staged(error ? session.file : target);
  const auto salvaged = cache::salvage(session.file, staged.path(), kind);
  if (!salvaged) return fail(staged.of_file(salvaged.error()));
  verification.rebuilt = true;
  verification.kept_entries = salvaged->entries;
  verification.kept_slices = salvaged->slices;
  for (const auto& lost : salvaged->lost) verification.problems.push_back({lost.subject, without_advice(lost.text)});
  if (kind == cache::DatabaseKind::bundle) return staged.publish();
  return cache::replace_content(session.file, staged.path());
}

Status repair(const Session& session, Verification& verification) {
  const auto kind = cache::kind_of_database(session.file);
  if (!kind) return fail(kind.error());
  if (*kind == cache::DatabaseKind::bundle && !session.file_was_named) {
    return fail(ErrorCode::usage, fmt::format("'{0}' is a bundle: it is repaired when it is named with --db '{0}'",
                                              session.file.string()));
  }
  if (verification.file_is_damaged || *kind == cache::DatabaseKind::bundle) {
    return rebuild(session, *kind, verification);
  }
  auto store = open_for_change(session);
  if (!store) return fail(store.error());
  if (!*store) return {};
  const auto removed = (*store)->remove_damaged();
  if (!removed) return fail(removed.error());
  return {};
}

void print_verification(const Session& session, const Verification& verification, bool repaired) {
  if (session.json) {
    Json list = Json::array();
    for (const auto& problem : verification.problems) {
      list.push_back({{"subject", problem.subject}, {"problem", problem.text}});
    }
    print({{"database", session.file.string()},
           {"entries", verification.entries},
           {"problems", std::move(list)},
           {"repaired", repaired},
           {"rebuilt", verification.rebuilt}});
    return;
  }
  std::string text;
  for (const auto& problem : verification.problems) {
    text += fmt::format("{}: {}\n", printable(problem.subject), printable(problem.text));
  }
  print(text);
}

std::string advice(const Verification& verification, const VerifyOptions& options) {
  const std::string problems = counted(verification.problems.size(), "problem", "problems");
  if (options.repair && options.dry_run) {
    return fmt::format(
        "{}; --repair would {}", problems,
        verification.file_is_damaged ? "make the file anew from what is sound" : "remove what is damaged");
  }
  if (verification.rebuilt) {
    return fmt::format("{}; the file was made anew with {} and {}", problems,
                       counted(verification.kept_entries, "entry", "entries"),
                       counted(verification.kept_slices, "slice", "slices"));
  }
  if (options.repair) return fmt::format("{}; what was damaged is removed", problems);
  return fmt::format(
      "{} of {}; --repair removes what is damaged, which a cache makes anew when it is needed and a "
      "bundle when it is built again",
      problems, counted(verification.entries, "entry", "entries"));
}

}  // namespace

int verify(const Session& session, const VerifyOptions& options) {
  auto verification = find_problems(session);
  if (!verification) return report(verification.error());
  const bool sound = verification->problems.empty();
  const bool repairs = options.repair && !options.dry_run && !sound;
  if (repairs) {
    if (const auto done = repair(session, *verification); !done) return report(done.error());
  }
  print_verification(session, *verification, repairs);
  if (sound) {
    message(fmt::format("{}, nothing wrong", counted(verification->entries, "entry", "entries")));
    return kFine;
  }
  message(advice(*verification, options));
  return repairs ? kFine : kProblem;
}

}  // namespace cudahot::tool

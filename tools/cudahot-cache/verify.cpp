#include <fmt/format.h>

#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"

namespace cudahot::tool {

int verify(const Session& session) {
  auto store = open_store(session);
  if (!store) return report(store.error());
  std::vector<cache::Store::Problem> problems;
  std::size_t entries = 0;
  if (*store) {
    auto found = (*store)->verify();
    if (!found) return report(found.error());
    problems = std::move(*found);
    const auto keys = (*store)->keys_with_prefix("");
    if (!keys) return report(keys.error());
    entries = keys->size();
  }
  if (session.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& problem : problems) list.push_back({{"subject", problem.subject}, {"problem", problem.text}});
    print({{"database", session.file.string()}, {"entries", entries}, {"problems", std::move(list)}});
  } else {
    for (const auto& problem : problems) {
      print(fmt::format("{}: {}\n", printable(problem.subject), printable(problem.text)));
    }
  }
  if (problems.empty()) {
    message(fmt::format("{} entries, nothing wrong", entries));
    return kFine;
  }
  message(
      fmt::format("{} entries, {} problems; a damaged entry of a cache is made anew when it is needed, a damaged "
                  "bundle by building it again",
                  entries, problems.size()));
  return kProblem;
}

}  // namespace cudahot::tool

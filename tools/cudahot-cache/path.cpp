#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/session.hpp"

namespace cudahot::tool {

int path(const Session& session) {
  if (session.json) {
    std::error_code ignored;
    print({{"path", session.file.string()}, {"exists", std::filesystem::exists(session.file, ignored)}});
  } else {
    print(session.file.string() + "\n");
  }
  return kFine;
}

}  // namespace cudahot::tool

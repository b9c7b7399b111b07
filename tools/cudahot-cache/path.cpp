#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/file_system.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"

namespace cudahot::tool {

int path(const Session& session) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(session.file, ignored);
  const std::string type = file_system_type(session.file);
  if (session.json) {
    print({{"path", session.file.string()},
           {"exists", exists},
           {"file_system", type.empty() ? Json(nullptr) : Json(type)}});
  } else {
    print(session.file.string() + "\n");
    message((exists ? "it exists, " : "it does not exist yet, ") +
            (type.empty() ? std::string("on a file system of unknown type") : "on " + printable(type)));
  }
  return kFine;
}

}  // namespace cudahot::tool

#include "cache/open_store.hpp"

#include "cache/schema.hpp"

namespace cudahot::cache {

Result<std::unique_ptr<OpenStore>> open_with_schema(const std::filesystem::path& file, Database::Access access,
                                                    Database::Sharing sharing, std::chrono::milliseconds wait) {
  auto database = Database::open(file, access, sharing, wait);
  if (!database) return fail(database.error());
  return with_schema(std::move(*database));
}

Result<std::unique_ptr<OpenStore>> with_schema(Database database) {
  const auto schema = check_schema(database);
  if (!schema) return fail(schema.error());
  if (*schema == SchemaState::empty) return nullptr;
  const bool older = *schema == SchemaState::older;
  if (older) {
    if (const auto done = present_as_current(database); !done) return fail(done.error());
  }
  auto store = std::make_unique<OpenStore>(std::move(database));
  store->older = older;
  return store;
}

}  // namespace cudahot::cache

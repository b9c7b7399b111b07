// Writes the golden bundle of this schema version: make_golden_bundle FILE (which must not exist).
#include <cstdio>

#include "tests/unit/cache/golden_content.hpp"

namespace {

cudahot::Status make(const char* file) {
  using namespace cudahot::cache;
  auto bundle = Store::open(file, Store::Mode::create_bundle);
  if (!bundle) return cudahot::fail(bundle.error());
  if (const auto done = bundle->insert_missed(golden::key(), golden::artifact(), golden::provenance()); !done)
    return done;
  if (const auto done = bundle->insert(golden::library_key(), golden::library()); !done) return done;
  if (const auto done = bundle->put_slice(golden::slice_with_lookups()); !done) return done;
  return bundle->finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_golden_bundle FILE\n", stderr);
    return 2;
  }
  if (const auto made = make(argv[1]); !made) {
    std::fprintf(stderr, "make_golden_bundle: %s\n", made.error().message.c_str());
    return 3;
  }
  return 0;
}

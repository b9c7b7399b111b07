#include <cstdlib>

#include <gmock/gmock.h>

#include "tests/unit/cache/golden_content.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

std::filesystem::path golden_file(const char* name) {
  const char* data = std::getenv("CUDAHOT_TEST_DATA");
  return std::filesystem::path(data != nullptr ? data : "tests/data") / name;
}

void expect_all_of(const char* name, const Store::StoredSlice& expected) {
  auto bundle = Store::open(golden_file(name), Store::Mode::read_only);
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_EQ(bundle->find(golden::key()).value(), golden::artifact());
  EXPECT_EQ(bundle->find(golden::library_key()).value(), golden::library());
  EXPECT_THAT(bundle->verify().value(), testing::IsEmpty());
  const auto slices = bundle->slices().value();
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].slice, expected.slice);
  EXPECT_EQ(slices[0].toolkit, expected.toolkit);
  EXPECT_EQ(slices[0].helper_library, expected.helper_library);
}

TEST(GoldenBundle, OfVersion2Loads) {
  expect_all_of("cache-v2.cudahot", golden::slice_with_lookups());
  auto bundle = Store::open(golden_file("cache-v2.cudahot"), Store::Mode::read_only).value();
  EXPECT_EQ(bundle.entry(golden::key().digest).value()->provenance, golden::provenance());
  const auto misses = bundle.misses(golden::artifact().source).value();
  ASSERT_EQ(misses.size(), 1u);
  EXPECT_EQ(misses[0].key, golden::key());
  EXPECT_EQ(misses[0].reason, MissReason::first);
}

TEST(GoldenBundle, OfVersion1Loads) { expect_all_of("cache-v1-manifest-4.cudahot", golden::slice_with_lookups()); }

TEST(GoldenBundle, WithAManifestOfVersion3Loads) {
  expect_all_of("cache-v1-manifest-3.cudahot", golden::slice_with_types());
}

TEST(GoldenBundle, WithAManifestOfVersion2Loads) { expect_all_of("cache-v1-manifest-2.cudahot", golden::slice()); }

// It was made of a smaller slice, whose regions had no kind.
TEST(GoldenBundle, WithAManifestOfVersion1Loads) {
  std::vector<std::string> warnings;
  auto bundle = Store::open(golden_file("cache-v1.cudahot"), Store::Mode::read_only,
                            [&](LogLevel, std::string_view text) { warnings.emplace_back(text); });
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_EQ(bundle->find(golden::key()).value(), golden::artifact());
  EXPECT_EQ(bundle->find(golden::library_key()).value(), golden::library());
  const auto slices = bundle->slices().value();
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].slice.kernels, golden::slice().slice.kernels);
  EXPECT_THAT(warnings, testing::IsEmpty());
}

}  // namespace
}  // namespace cudahot::cache

#include "lib/region/manifest.hpp"

#include <gmock/gmock.h>

#include "tests/unit/region/example_slice.hpp"

namespace cudahot::region {
namespace {

TEST(Manifest, KeepsEveryField) {
  const Slice slice = example_slice();
  const auto read = from_manifest(to_manifest(slice));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, slice);
}

TEST(Manifest, KeepsATextThatIsNotUtf8ByteForByte) {
  Slice slice = example_slice();
  slice.text.replace(slice.text.find("//"), 2, "//\xe9\xff");
  slice.segments.clear();
  slice.regions.clear();
  const auto read = from_manifest(to_manifest(slice));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, slice);
}

TEST(Manifest, KeepsTheDeviceRuntimesLibrary) {
  Slice slice = example_slice();
  EXPECT_EQ(device_runtime(slice), nullptr);
  slice.files.push_back(
      {"/cuda/lib64/libcudadevrt.a", "2/libcudadevrt.a", FileRecord::Role::device_runtime, {1, 2}, {1, 2}});
  const auto read = from_manifest(to_manifest(slice));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, slice);
  ASSERT_NE(device_runtime(*read), nullptr);
  EXPECT_EQ(device_runtime(*read)->path, "/cuda/lib64/libcudadevrt.a");
}

TEST(Manifest, KeepsTheKindOfARegion) {
  Slice slice = example_slice();
  slice.regions[1].kind = Region::Kind::functions;
  EXPECT_EQ(from_manifest(to_manifest(slice)).value().regions[1].kind, Region::Kind::functions);
}

TEST(Manifest, OfVersion3HasNoLookups) {
  Slice slice = example_slice();
  std::string document = replaced(to_manifest(slice), "\"version\": 4", "\"version\": 3");
  document = replaced(document, "\"lookups\":", "\"another\":");
  slice.lookups.clear();
  const auto read = from_manifest(document);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, slice);
}

TEST(Manifest, OfVersion2SaysNotWhatParametersMean) {
  Slice slice = example_slice();
  slice.kernels[0].parameters = {{"gain", "Real", 4, 0, "float"}};
  std::string document = replaced(to_manifest(slice), "\"version\": 4", "\"version\": 2");
  document = replaced(document, "\"canonical\": \"float\"", "\"another\": 0");
  slice.kernels[0].parameters = {{"gain", "Real", 4, 0}};
  slice.lookups.clear();
  const auto read = from_manifest(document);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, slice);
}

TEST(Manifest, OfVersion1HasStatementRegionsOnly) {
  std::string document = replaced(to_manifest(example_slice()), "\"version\": 4", "\"version\": 1");
  for (int i = 0; i < 2; ++i) document = replaced(document, "\"kind\": \"statements\",", "");
  const auto read = from_manifest(document);
  ASSERT_TRUE(read) << read.error().message;
  Slice slice = example_slice();
  slice.kernels[0].parameters[0].canonical.clear();
  slice.lookups.clear();
  EXPECT_EQ(*read, slice);
}

TEST(Manifest, RefusesDamageAndSaysWhat) {
  const std::string good = to_manifest(example_slice());
  const std::pair<std::string, const char*> cases[] = {
      {"", "is no JSON from byte 1 on"},
      {good.substr(0, good.size() / 2), "is no JSON from byte"},
      {"[]", "there is no 'version'"},
      {"7", "there is no 'version'"},
      {replaced(good, "\"version\": 4", "\"version\": \"3\""), "a member is of another type"},
      {replaced(good, "\"version\": 4", "\"version\": 5"), "version 5"},
      {replaced(good, "\"regions\":", "\"gone\":"), "regions"},
      {replaced(good, "\"lookups\":", "\"gone\":"), "lookups"},
      {replaced(good, "\"kind\": \"statements\",", ""), "kind"},
      {replaced(good, "\"kind\": \"statements\"", "\"kind\": \"files\""), "'files'"},
      {replaced(good, "\"role\": \"main\"", "\"role\": \"boss\""), "'boss'"},
      {replaced(good, "\"file\": 0", "\"file\": 7"), "file index"},
      {replaced(good, "\"declaration_end\": ", "\"declaration_end\": 9999"), "segment ends outside"},
      {replaced(good, "\"text\": \"", "\"text\": \"\",\"rest\": \""), "outside the text"},
      {replaced(good, "\"sm_80\"", "\"sm_x\""), "'sm_x'"},
  };
  for (const auto& [document, part] : cases) {
    const auto read = from_manifest(document);
    ASSERT_FALSE(read) << part;
    EXPECT_EQ(read.error().code, ErrorCode::damaged);
    EXPECT_THAT(read.error().message, testing::HasSubstr(part));
    EXPECT_THAT(read.error().message, testing::Not(testing::HasSubstr("json.exception")));
  }
}

}  // namespace
}  // namespace cudahot::region

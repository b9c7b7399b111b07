#include "cache/mount.hpp"

#include <gmock/gmock.h>

#include "cache/layers.hpp"
#include "cache/sqlite.hpp"
#include "tests/support/fault_vfs.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using test::FaultVfs;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Origin = Layers::Origin;

TEST(NetworkFileSystem, IsKnownByItsNumber) {
  const struct {
    std::uint32_t type;
    std::optional<std::string_view> name;
  } cases[] = {
      {0x6969, "NFS"},
      {0x517b, "SMB"},
      {0xfe534d42, "SMB"},
      {0xff534d42, "CIFS"},
      {0x01021997, "9p"},
      {0x5346414f, "AFS"},
      {0x6b414653, "AFS"},
      {0x73757245, "Coda"},
      {0x00c36400, "Ceph"},
      {0x0bd00bd0, "Lustre"},
      {0x47504653, "GPFS"},
      {0x65735546, "FUSE"},
      {0xef53, std::nullopt},      // ext4
      {0x9123683e, std::nullopt},  // Btrfs
      {0x58465342, std::nullopt},  // XFS
      {0x01021994, std::nullopt},  // tmpfs
      {0x794c7630, std::nullopt},  // overlay
      {0x2fc12fc1, std::nullopt},  // ZFS
  };
  for (const auto& [type, name] : cases) EXPECT_EQ(network_file_system(type), name) << std::hex << type;
}

TEST(NetworkMount, IsThatOfTheNearestFolderThatExists) {
  EXPECT_EQ(network_mount("/proc/no/such/folder/cache.db"), std::nullopt);
  EXPECT_EQ(network_mount("/no such folder/cache.db"), std::nullopt);
  EXPECT_EQ(network_mount(""), std::nullopt);
}

class OnNetworkMount : public CacheTest {
 protected:
  LayersOptions options(MountProbe probe) {
    LayersOptions result;
    result.user_cache = path("cache.db");
    result.log = [this](LogLevel, std::string_view text) { log.emplace_back(text); };
    result.network_mount = probe;
    return result;
  }
  LayersOptions network() {
    return options([](const std::filesystem::path&) -> std::optional<std::string_view> { return "NFS"; });
  }
  LayersOptions local() {
    return options([](const std::filesystem::path&) -> std::optional<std::string_view> { return std::nullopt; });
  }

  void make_local_cache() { Layers(local()).insert(example_key("local"), example_artifact("local")); }

  bool uses_wal() {
    auto database = Database::open(path("cache.db"), Database::Access::read_write).value();
    return database.uses_wal().value();
  }

  int maps() const { return disk_.count(FaultVfs::Operation::shm_map); }

  FaultVfs disk_;
};

TEST_F(OnNetworkMount, ANewCacheHasNoWriteAheadLogAndNoLeases) {
  {
    Layers layers(network());
    EXPECT_FALSE(layers.find(example_key()));
    EXPECT_FALSE(layers.claim(example_key()).lease);
    layers.insert(example_key(), example_artifact());
    layers.flush();
    EXPECT_THAT(files(), ElementsAre("cache.db"));
  }
  EXPECT_EQ(Layers(network()).find(example_key())->origin, Origin::user_cache);
  EXPECT_EQ(maps(), 0);
  EXPECT_THAT(files(), ElementsAre("cache.db"));
  ASSERT_FALSE(log.empty());
  EXPECT_THAT(log.front(), AllOf(HasSubstr("NFS"), HasSubstr("cache.db"), HasSubstr("CUDAHOT_CACHE")));
}

TEST_F(OnNetworkMount, IsOneWarningForReadingAndWriting) {
  make_local_cache();
  Layers layers(network());
  EXPECT_TRUE(layers.find(example_key("local")));
  for (const char* text : {"a", "b"}) layers.insert(example_key(text), example_artifact(text));
  layers.flush();
  EXPECT_THAT(log, ElementsAre(HasSubstr("NFS")));
}

TEST_F(OnNetworkMount, ACacheWithAWriteAheadLogIsTakenOutOfThatMode) {
  make_local_cache();
  ASSERT_TRUE(uses_wal());
  const int before = maps();
  {
    Layers layers(network());
    EXPECT_EQ(layers.find(example_key("local"))->origin, Origin::user_cache);
    layers.insert(example_key("new"), example_artifact("new"));
  }
  EXPECT_EQ(maps(), before);
  EXPECT_FALSE(uses_wal());
  EXPECT_THAT(files(), testing::Not(testing::Contains("cache.db-wal")));
  EXPECT_EQ(Layers(local()).find(example_key("new"))->origin, Origin::user_cache);
}

TEST_F(OnNetworkMount, WhatOnlyTheLogHasIsKept) {
  {
    ASSERT_TRUE(open("original.db", Store::Mode::read_write).insert(example_key("old"), example_artifact("old")));
    Store store = open("original.db", Store::Mode::read_write);
    ASSERT_TRUE(store.insert(example_key("logged"), example_artifact("logged")));
    for (const char* suffix : {"", "-wal"}) {
      std::filesystem::copy_file(path(std::string("original.db") + suffix), path(std::string("cache.db") + suffix));
    }
  }
  const int before = maps();
  for (const char* text : {"old", "logged"}) {
    const auto found = Layers(network()).find(example_key(text));
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(*found->artifact, example_artifact(text));
  }
  EXPECT_EQ(maps(), before);
}

TEST_F(OnNetworkMount, ACacheWhoseLogIsInUseIsNotUsed) {
  make_local_cache();
  Store holder = open("cache.db", Store::Mode::read_write);
  ASSERT_TRUE(holder.find(example_key("local")).value());
  const int before = maps();
  Layers layers(network());
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(layers.find(example_key("local")));
    layers.insert(example_key(std::to_string(i)), example_artifact());
    EXPECT_EQ(layers.find(example_key(std::to_string(i)))->origin, Origin::memory);
  }
  layers.flush();
  EXPECT_EQ(maps(), before);
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("NFS"), HasSubstr("CUDAHOT_CACHE"))));
  EXPECT_EQ(holder.find(example_key("local")).value(), example_artifact("local"));
}

TEST_F(OnNetworkMount, ALogThatAProcessOfAnotherMachineBeginsIsNoticed) {
  Layers layers(network());
  layers.insert(example_key("a"), example_artifact("a"));
  layers.flush();
  {
    auto local = Database::open(path("cache.db"), Database::Access::read_write).value();
    ASSERT_TRUE(local.switch_to_wal());
  }
  const int before = maps();
  layers.insert(example_key("b"), example_artifact("b"));
  layers.flush();
  EXPECT_EQ(Layers(network()).find(example_key("b"))->origin, Origin::user_cache);
  EXPECT_EQ(maps(), before);
}

TEST_F(OnNetworkMount, BundlesNeedNothing) {
  make_bundle("app.cudahot");
  LayersOptions with_bundle = network();
  with_bundle.bundles = {path("app.cudahot")};
  EXPECT_EQ(Layers(std::move(with_bundle)).find(example_key())->origin, Origin::bundle);
  EXPECT_THAT(log, IsEmpty());
}

}  // namespace
}  // namespace cudahot::cache

#include "tools/cudahot-cache/file_system.hpp"

#include <gtest/gtest.h>

namespace cudahot::tool {
namespace {

constexpr const char* kMountInfo =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "30 22 0:26 / /home rw,nosuid shared:5 master:1 - nfs4 server:/home rw\n"
    "31 30 0:27 / /home/my\\040data rw - tmpfs tmpfs rw\n"
    "32 22 0:28 / /opt rw - overlay overlay rw\n"
    "33 32 0:29 / /opt rw - xfs /dev/sdb rw\n";

TEST(MountedType, IsThatOfTheInnermostMount) {
  const std::pair<const char*, const char*> cases[] = {
      {"/var/cache.db", "ext4"},   {"/home/user/cache.db", "nfs4"},     {"/home", "nfs4"},
      {"/homes/cache.db", "ext4"}, {"/home/my data/cache.db", "tmpfs"}, {"/opt/cache.db", "xfs"}};
  for (const auto& [path, type] : cases) EXPECT_EQ(mounted_type(kMountInfo, path), type) << path;
}

TEST(MountedType, IsUnknownWithoutMounts) { EXPECT_EQ(mounted_type("", "/x"), ""); }

}  // namespace
}  // namespace cudahot::tool

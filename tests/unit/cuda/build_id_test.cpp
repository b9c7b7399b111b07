#include "lib/cuda/build_id.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/files.hpp"
#include "lib/base/paths.hpp"

namespace cudahot::cuda {
namespace {

using ::testing::StartsWith;

TEST(FileIdentity, FileWithoutBuildIdIsKnownByItsContent) {
  const auto folder = base::TemporaryFolder::create("cudahot_id").value();
  const auto file = folder.path() / "lib.so";
  ASSERT_TRUE(base::write_file_atomically(file, "one"));
  const auto one = file_identity(file);
  ASSERT_TRUE(base::write_file_atomically(file, "two"));
  const auto two = file_identity(file);
  ASSERT_TRUE(one && two);
  EXPECT_THAT(*one, StartsWith("xxh:"));
  EXPECT_NE(*one, *two);
}

TEST(FileIdentity, CutAndSpoiltElfFilesAreKnownByTheirContent) {
  auto elf = base::read_file(base::executable_path()).value();
  const auto folder = base::TemporaryFolder::create("cudahot_id").value();
  const auto file = folder.path() / "lib.so";
  for (const std::size_t size : {std::size_t{3}, std::size_t{20}, std::size_t{64}, std::size_t{70}}) {
    ASSERT_TRUE(base::write_file_atomically(file, std::string_view(elf).substr(0, size)));
    const auto identity = file_identity(file);
    ASSERT_TRUE(identity);
    EXPECT_THAT(*identity, StartsWith("xxh:"));
  }
  for (std::size_t at = 16; at < 64; ++at) elf[at] = '\xff';  // every offset and count of the header
  ASSERT_TRUE(base::write_file_atomically(file, elf));
  EXPECT_THAT(*file_identity(file), StartsWith("xxh:"));
}

TEST(FileIdentity, MissingFileIsAnError) {
  const auto identity = file_identity("/nowhere/libnvrtc.so.13");
  ASSERT_FALSE(identity);
  EXPECT_EQ(identity.error().code, ErrorCode::environment);
}

}  // namespace
}  // namespace cudahot::cuda

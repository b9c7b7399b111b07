#include "lib/region/file_list.hpp"

#include <gmock/gmock.h>

#include "tests/unit/region/example_slice.hpp"

namespace cudahot::region {
namespace {

Slice slice_with_files() {
  Slice slice = example_slice();
  FileRecord odd;
  odd.path = "/a/\xff not UTF-8 \n.h";
  odd.role = FileRecord::Role::device_header;
  odd.content = {~std::uint64_t{0}, 1};
  odd.outside_regions = {0x0123456789abcdef, 0xfedcba9876543210};
  slice.files.push_back(odd);
  slice.lookups = {{"/src/absent.h", false}, {"", true}};
  return slice;
}

TEST(FileList, ReadsWhatWasWritten) {
  const Slice slice = slice_with_files();
  Slice read;
  ASSERT_TRUE(read_file_list(to_file_list(slice), read));
  EXPECT_EQ(read.files, slice.files);
  EXPECT_EQ(read.lookups, slice.lookups);
}

TEST(FileList, OfAKnownVersionHasKnownBytes) {
  Slice slice;
  slice.files = {{"/a.cu", "a.cu", FileRecord::Role::main, {0x0102030405060708, 0x090a0b0c0d0e0f10}, {1, 2}}};
  slice.lookups = {{"/b.h", true}};
  const std::string expected(
      "\x01"
      "\x01\0\0\0"
      "\0"
      "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
      "\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x02"
      "\x05\0\0\0/a.cu"
      "\x04\0\0\0"
      "a.cu"
      "\x01\0\0\0"
      "\x01"
      "\x04\0\0\0/b.h",
      1 + 4 + 1 + 16 + 16 + 9 + 8 + 4 + 1 + 8);
  EXPECT_EQ(to_file_list(slice), expected);
}

TEST(FileList, CutOrLengthenedIsDamaged) {
  const std::string whole = to_file_list(slice_with_files());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Slice slice;
    const auto read = read_file_list(whole.substr(0, size), slice);
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code, ErrorCode::damaged);
  }
  Slice slice;
  EXPECT_FALSE(read_file_list(whole + '\0', slice));
}

TEST(FileList, HugeCountsAndLengthsAreDamagedNotMemory) {
  std::string bytes = to_file_list(slice_with_files());
  for (std::size_t at = 1; at + 4 <= bytes.size(); ++at) {
    std::string changed = bytes;
    changed.replace(at, 4, "\xff\xff\xff\xff");
    Slice slice;
    (void)read_file_list(changed, slice);
    EXPECT_LE(slice.files.size() + slice.lookups.size(), bytes.size());
  }
}

TEST(FileList, OfAnotherVersionOrWithAnUnknownRoleIsDamaged) {
  std::string bytes = to_file_list(slice_with_files());
  Slice slice;
  bytes[0] = 2;
  EXPECT_FALSE(read_file_list(bytes, slice));
  bytes[0] = 1;
  bytes[5] = 9;
  EXPECT_FALSE(read_file_list(bytes, slice));
}

}  // namespace
}  // namespace cudahot::region

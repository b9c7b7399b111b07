#include "lib/base/digest.hpp"

#include <string>
#include <unordered_set>

#include <gtest/gtest.h>

namespace cudahot::base {
namespace {

std::string thousand_bytes() {
  std::string bytes(1000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
  return bytes;
}

// Known answers of XXH3-128 with seed 0; the lengths take different paths through the algorithm.
TEST(Digest, IsXxh3With128Bits) {
  EXPECT_EQ(to_hex(digest("")), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(to_hex(digest("a")), "a96faf705af16834e6c632b61e964e1f");
  EXPECT_EQ(to_hex(digest("abc")), "06b05ab6733a618578af5f94892f3950");
  EXPECT_EQ(to_hex(digest(thousand_bytes())), "18bf41bc8229e27733ef703fb2b20ed1");
}

TEST(Digest, CoversBytesAfterAZero) {
  EXPECT_NE(digest(std::string_view("a\0b", 3)), digest(std::string_view("a\0c", 3)));
}

TEST(Digest, HexGoesThereAndBack) {
  const Digest original{0x0123456789abcdef, 0xfedcba9876543210};
  EXPECT_EQ(to_hex(original), "0123456789abcdeffedcba9876543210");
  EXPECT_EQ(digest_from_hex("0123456789abcdeffedcba9876543210"), original);
  EXPECT_EQ(to_hex(Digest{}), std::string(32, '0'));
  EXPECT_EQ(digest_from_hex(std::string(32, '0')), Digest{});
}

TEST(Digest, HexOfAnotherFormIsRefused) {
  EXPECT_EQ(digest_from_hex(""), std::nullopt);
  EXPECT_EQ(digest_from_hex(std::string(31, '0')), std::nullopt);
  EXPECT_EQ(digest_from_hex(std::string(33, '0')), std::nullopt);
  EXPECT_EQ(digest_from_hex(std::string(31, '0') + "g"), std::nullopt);
  EXPECT_EQ(digest_from_hex(std::string(31, '0') + "A"), std::nullopt) << "upper case is not what to_hex writes";
}

TEST(Digest, InPiecesIsThatOfTheWhole) {
  const std::string bytes = thousand_bytes();
  for (const std::size_t split : {0U, 1U, 17U, 500U, 1000U}) {
    Digester digester;
    digester.add(std::string_view(bytes).substr(0, split));
    digester.add(std::string_view(bytes).substr(split));
    EXPECT_EQ(digester.finish(), digest(bytes)) << "split at " << split;
  }
  EXPECT_EQ(Digester().finish(), digest(""));
}

TEST(Digest, DigesterGoesOnAfterFinish) {
  Digester digester;
  digester.add("ab");
  EXPECT_EQ(digester.finish(), digest("ab"));
  digester.add("c");
  Digester moved = std::move(digester);
  EXPECT_EQ(moved.finish(), digest("abc"));
}

TEST(Digest, IsAKeyOfHashTables) {
  std::unordered_set<Digest> seen{digest("a"), digest("b"), digest("a")};
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_TRUE(seen.contains(digest("b")));
}

}  // namespace
}  // namespace cudahot::base

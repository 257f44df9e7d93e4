// SHA-256 against the vectors of FIPS 180-4 and NIST.
#include "sgf/files/sha256.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

namespace sgf {
namespace {

TEST(Sha256, GivesTheStandardsOwnDigests) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, AFileIsHashedToItsEndHoweverLongItIs) {
  const testing::TemporaryFolder folder;
  std::string text(2'500'000, 'a');
  std::ofstream(folder / "a") << text;
  EXPECT_EQ(sha256_of_file(folder / "a"), sha256_of(text));
  text.back() = 'b';
  EXPECT_NE(sha256_of_file(folder / "a"), sha256_of(text));
}

TEST(Sha256, PiecesOfAnySizeGiveTheSame) {
  const std::string text(300, 'x');
  for (size_t piece = 1; piece < 200; piece += 7) {
    Sha256 hash;
    for (size_t at = 0; at < text.size(); at += piece) hash.update(std::string_view(text).substr(at, piece));
    EXPECT_EQ(hash.hex(), sha256_of(text)) << piece;
  }
}

TEST(Sha256, ReadsAFileAndGoesOnAfterADigest) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder / "abc") << "abc";
  EXPECT_EQ(sha256_of_file(folder / "abc"), sha256_of("abc"));
  EXPECT_THAT(refusal_of([&] { sha256_of_file(folder / "none"); }), ::testing::HasSubstr("none"));
  Sha256 hash;
  hash.update("a");
  EXPECT_EQ(hash.hex(), sha256_of("a"));
  hash.update("bc");
  EXPECT_EQ(hash.hex(), sha256_of("abc"));
}

}  // namespace
}  // namespace sgf

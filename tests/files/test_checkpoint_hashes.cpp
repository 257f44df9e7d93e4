// A bit that flips anywhere in a file of ours is found; files of others, and of earlier versions, are read as ever.
#include "sgf/files/checkpoint_hashes.h"

#include "sgf/core/notice.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/safetensors.h"
#include "sgf/files/tensor_hash.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

namespace sgf::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Metadata = std::map<std::string, std::string>;

Metadata stamped(std::string_view kind = "stream") {
  Metadata metadata{{"counter", "12"}, {"order", "{\"blocks\":48}"}};
  stamp(metadata, kind);
  return metadata;
}

const std::vector<std::byte> kWeights(60, std::byte{7}), kMoments(60, std::byte{9});

std::vector<OutgoingTensor> two_tensors() {
  return {outgoing_bytes("w", DType::kF32, {3, 5}, kWeights), outgoing_bytes("m", DType::kF32, {5, 3}, kMoments)};
}

std::vector<std::byte> bytes_in(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

void write_bytes(const fs::path& path, const std::vector<std::byte>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// As every reader of checkpoints: opened, of that kind, held against its hashes.
bool is_taken(std::vector<std::byte> bytes) {
  try {
    const TensorFile file = read_tensor_file(MappedFile::from_bytes("x.safetensors", std::move(bytes)));
    check_own_file(file, "x.safetensors");
    return is_own_checkpoint(file) && has_hashes(file);
  } catch (const Error&) {
    return false;
  }
}

TEST(TensorHash, IsXxh3OfTheBytesInAnyPieces) {
  EXPECT_EQ(TensorHash().hex(), "99aa06d3014798d86001c324468d497f");  // XXH3's own value for no bytes
  TensorHash pieces;
  pieces.update("ab");
  pieces.update("c");
  EXPECT_EQ(pieces.hex(), tensor_hash_of(std::as_bytes(std::span(std::string_view("abc")))));
  EXPECT_EQ(pieces.hex().size(), std::strlen(kNoTensorHash));
}

TEST(CheckpointHashes, EveryFlippedBitOfAFileIsFound) {
  const TemporaryFolder folder;
  write_safetensors(folder / "a", two_tensors(), stamped());
  const std::vector<std::byte> whole = bytes_in(folder / "a");
  EXPECT_TRUE(is_taken(whole)) << "the control";
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> damaged = whole;
      damaged[at] ^= std::byte{1} << bit;
      EXPECT_FALSE(is_taken(damaged)) << "bit " << bit << " of byte " << at << " of " << whole.size();
    }
  }
}

TEST(CheckpointHashes, AFileThatGrewCarriesThemToo) {
  const TemporaryFolder folder;
  GrowingSafetensors growing(folder / "a", {.name = "rows", .dtype = DType::kF32, .shape = {15}}, two_tensors(),
                             stamped());
  growing.add(kWeights);
  growing.add(kMoments);
  growing.finish();
  std::vector<std::byte> bytes = bytes_in(folder / "a");
  EXPECT_TRUE(is_taken(bytes));
  bytes[bytes.size() - 200] ^= std::byte{1};
  EXPECT_FALSE(is_taken(bytes));
}

TEST(CheckpointHashes, TheRefusalNamesTheFileTheTensorAndTheWayOut) {
  const TemporaryFolder folder;
  write_safetensors(folder / "a.safetensors", two_tensors(), stamped());
  std::vector<std::byte> bytes = bytes_in(folder / "a.safetensors");
  bytes.back() ^= std::byte{1};
  write_bytes(folder / "b.safetensors", bytes);
  EXPECT_THAT(refusal_of([&] { open_checkpoint(folder / "b.safetensors", "stream"); }),
              AllOf(HasSubstr("b.safetensors: tensor 'm' is damaged: its hash is "), HasSubstr("the file says"),
                    HasSubstr("restore the file from a copy")));
  EXPECT_NO_THROW(open_checkpoint(folder / "b.safetensors", "stream", HashCheck::kHeader)) << "its header is whole";
}

// The official library sorts tensors as it likes, and keeps metadata.
TEST(CheckpointHashes, TheOrderOfTensorsAndKeysIsFree) {
  const TemporaryFolder folder;
  write_safetensors(folder / "a", two_tensors(), stamped());
  const Metadata metadata = open_checkpoint(folder / "a", "stream").metadata;
  std::vector<OutgoingTensor> reversed = two_tensors();
  std::swap(reversed[0], reversed[1]);
  write_safetensors(folder / "b", reversed, stamped());
  EXPECT_EQ(open_checkpoint(folder / "b", "stream").metadata, metadata);
}

TEST(CheckpointHashes, OfAnotherFileDoNotTravelWithItsMetadata) {
  const TemporaryFolder folder;
  write_safetensors(folder / "a", two_tensors(), stamped());
  Metadata metadata = open_checkpoint(folder / "a", "stream").metadata;
  write_safetensors(folder / "b", {two_tensors()[0]}, metadata);
  EXPECT_NO_THROW(open_checkpoint(folder / "b", "stream"));
  metadata.erase(kFormatVersionKey);
  write_safetensors(folder / "plain", two_tensors(), metadata);
  EXPECT_FALSE(has_hashes(open_tensor_file(folder / "plain")));
}

TEST(CheckpointHashes, FilesOfEarlierVersionsAreTakenWithOneWarningAndThoseOfOthersWithNone) {
  const TemporaryFolder folder;
  write_safetensors(folder / "theirs", two_tensors(), {{"format", "pt"}});
  for (const char* name : {"old", "older"}) {  // written as then: the stamp is put in afterwards
    Metadata metadata = stamped();
    metadata["sgf.format_versio_"] = metadata.extract(kFormatVersionKey).mapped();
    write_safetensors(folder / name, two_tensors(), metadata);
    std::vector<std::byte> bytes = bytes_in(folder / name);
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    bytes[text.find("versio_") + 6] = std::byte{'n'};
    write_bytes(folder / name, bytes);
  }
  forget_notices();
  std::vector<std::string> heard;
  const NoticeScope scope([&](const std::string& text) { heard.push_back(text); });
  check_own_file(open_tensor_file(folder / "theirs"), folder / "theirs");
  EXPECT_TRUE(heard.empty());
  open_checkpoint(folder / "old", "stream");
  open_checkpoint(folder / "older", "stream");
  EXPECT_THAT(heard, ElementsAre(AllOf(HasSubstr("old: written by an earlier version"), HasSubstr("without hashes"))));
}

}  // namespace
}  // namespace sgf::testing

#include "sgf/files/checkpoint_format.h"
#include "sgf/files/safetensors.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using sgf::testing::TemporaryFolder;
using ::testing::HasSubstr;

TensorFile stamped(std::map<std::string, std::string> metadata) {
  TensorFile file;
  file.metadata = std::move(metadata);
  return file;
}

TEST(CheckpointFormat, OfThisProgramAndOfOthersPasses) {
  std::map<std::string, std::string> metadata;
  stamp(metadata, "dit");
  EXPECT_NO_THROW(check_format(stamped(metadata), "x"));
  EXPECT_NO_THROW(check_format(stamped({}), "x"));
}

TEST(CheckpointFormat, NewerOrUnreadableIsRefused) {
  const auto refusal = [](const char* version) {
    return refusal_of([&] { check_format(stamped({{kFormatVersionKey, version}}), "my.safetensors"); });
  };
  EXPECT_THAT(refusal("2"),
              HasSubstr("my.safetensors: has checkpoint format 2, but this program reads formats up to 1"));
  for (const char* odd : {"", "one", "-1", "0", "1x", "99999999999999999999"}) {
    EXPECT_THAT(refusal(odd), HasSubstr("expected a version number")) << odd;
  }
}

TEST(OpenCheckpoint, WantsAStampOfTheRightKind) {
  const TemporaryFolder folder;
  std::map<std::string, std::string> metadata;
  stamp(metadata, "dit");
  write_safetensors(folder / "ours.safetensors", {}, metadata);
  write_safetensors(folder / "theirs.safetensors", {});
  std::map<std::string, std::string> read = open_checkpoint(folder / "ours.safetensors", "dit").metadata;
  remove_hashes(read);
  EXPECT_EQ(read, metadata);
  EXPECT_THAT(refusal_of([&] { open_checkpoint(folder / "ours.safetensors", "training"); }), HasSubstr("'training'"));
  EXPECT_THAT(refusal_of([&] { open_checkpoint(folder / "theirs.safetensors", "dit"); }),
              HasSubstr("is not an sgf checkpoint"));
}

}  // namespace
}  // namespace sgf

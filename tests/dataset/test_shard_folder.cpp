// Marks in a folder of shards: which of them let a shard be made again.
#include "sgf/dataset/shard_folder.h"

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <gmock/gmock.h>

namespace sgf::testing {
namespace {

using ::testing::HasSubstr;

std::optional<int> find_number(const std::filesystem::path& mark) {
  return find_mark(mark, "numbers 1", [](const nlohmann::json& json) { return json.at("number").get<int>(); });
}

TEST(ShardFolder, AWholeMarkIsFound) {
  const TemporaryFolder folder;
  write_text(folder / "mark.json", R"({"format": "numbers 1", "number": 7})");
  EXPECT_EQ(find_number(folder / "mark.json"), 7);
}

TEST(ShardFolder, NoMarkOrADamagedOneIsNothing) {
  const TemporaryFolder folder;
  write_text(folder / "torn.json", R"({"format": "numbers 1", "num)");
  write_text(folder / "other.json", R"({"format": "letters 1", "number": 7})");
  write_text(folder / "empty.json", R"({"format": "numbers 1"})");
  EXPECT_EQ(find_number(folder / "none.json"), std::nullopt);
  EXPECT_EQ(find_number(folder / "torn.json"), std::nullopt);
  EXPECT_EQ(find_number(folder / "other.json"), std::nullopt);
  EXPECT_EQ(find_number(folder / "empty.json"), std::nullopt);
}

TEST(ShardFolder, AMarkThatCannotBeOpenedIsNamed) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "mark.json");
  EXPECT_THAT(refusal_of([&] { find_number(folder / "mark.json"); }), HasSubstr("mark.json"));
}

}  // namespace
}  // namespace sgf::testing

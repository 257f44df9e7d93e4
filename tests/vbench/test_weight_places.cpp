// Where weights are looked for, and what is said when they are not there or not the original's.
#include "sgf/vbench/weight_places.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <fstream>

namespace sgf {
namespace {

using sgf::testing::TemporaryFolder;

void put(const std::filesystem::path& path) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << "weights";
}

TEST(WeightPlaces, VBenchsLayoutIsFound) {
  const TemporaryFolder folder;
  put(folder.path() / "amt_model/amt-s.pth");
  EXPECT_EQ(WeightPlaces(folder.path()).find(kAmtFile).path, folder.path() / "amt_model/amt-s.pth");
}

TEST(WeightPlaces, AFlatFolderWillDo) {
  const TemporaryFolder folder;
  put(folder / "amt-s.pth");
  EXPECT_EQ(WeightPlaces(folder.path()).find(kAmtFile).path, folder.path() / "amt-s.pth");
}

TEST(WeightPlaces, AMissingFileIsNamedWithItsPlacesAndOrigin) {
  const TemporaryFolder folder;
  const std::string said = refusal_of([&] { WeightPlaces(folder.path()).find(kRaftFile); });
  EXPECT_THAT(said, ::testing::HasSubstr("raft-things.pth is missing"));
  EXPECT_THAT(said, ::testing::HasSubstr((folder.path() / "raft_model/models/raft-things.pth").string()));
  EXPECT_THAT(said, ::testing::HasSubstr("https://"));
}

TEST(WeightPlaces, AHashThatDiffersIsAWarningWithBoth) {
  const TemporaryFolder folder;
  put(folder.path() / "clip_model/ViT-B-32.pt");
  std::string said;
  const FoundFile found = WeightPlaces(folder.path()).find(kClipB32File, [&](const std::string& text) { said = text; });
  EXPECT_THAT(said, ::testing::HasSubstr(found.sha256));
  EXPECT_THAT(said, ::testing::HasSubstr("40d365715913c9da"));
}

TEST(WeightPlaces, AFileWithoutAKnownHashIsTakenQuietly) {
  const TemporaryFolder folder;
  put(folder / "amt-s.pth");
  std::string said;
  WeightPlaces(folder.path()).find(kAmtFile, [&](const std::string& text) { said = text; });
  EXPECT_EQ(said, "");
}

}  // namespace
}  // namespace sgf

// Folders of videos: what counts as one, and which caption is whose.
#include "sgf/dataset/video_folder.h"

#include "sgf/media/png.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

void put(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> names_of(const VideoFolder& folder) {
  std::vector<std::string> names;
  for (const FolderVideo& video : folder.videos) names.push_back(video.name + ": " + video.caption);
  return names;
}

class Videos : public ::testing::Test {
 protected:
  void SetUp() override {
    put(folder_ / "b.mp4", "b");
    put(folder_ / "deep/er/a.MKV", "aa");
    put(folder_ / "notes.md", "no video");
    put(folder_ / ".hidden.mp4", "neither");
    put(folder_ / "pictures/frame_00000.png", "0");
    put(folder_ / "pictures/frame_00001.png", "1");
  }
  testing::TemporaryFolder folder_;
};

TEST_F(Videos, LieAtAnyDepthAndGetTheCaptionOfTheirName) {
  const fs::path list = folder_ / "list.csv";
  put(list, "file,caption\n./b.mp4,bee\n" + (folder_ / "deep/er/a.MKV").string() + ",ay\ngone.mp4,nobody\n");
  const VideoFolder found = read_video_folder(folder_.path(), list);
  EXPECT_THAT(names_of(found), ElementsAre("b.mp4: bee", "deep/er/a.MKV: ay"));
  EXPECT_THAT(found.uncaptioned, ElementsAre("pictures"));
  EXPECT_THAT(found.without_video, ElementsAre("gone.mp4"));
  EXPECT_EQ(found.videos[1].bytes, 2U);
}

TEST_F(Videos, HaveTheirCaptionsBesideThemWhereThereIsNoList) {
  put(folder_ / "deep/er/a.txt", " ay \n");
  put(folder_ / "pictures.txt", "painted");
  put(folder_ / "b.txt", "\n");  // none
  put(folder_ / "readme.txt", "read me");
  const VideoFolder found = read_video_folder(folder_.path(), {});
  EXPECT_THAT(names_of(found), ElementsAre("deep/er/a.MKV: ay", "pictures: painted"));
  EXPECT_THAT(found.uncaptioned, ElementsAre("b.mp4"));
  EXPECT_THAT(found.without_video, ElementsAre("readme.txt"));
  EXPECT_EQ(found.videos[1].bytes, 2U);  // of both pictures
}

TEST_F(Videos, WhoseNameOrCaptionIsNoUtf8AreNamedAndTheOthersGoOn) {
  put(folder_ / "lat\xE9in.mp4", "x");
  put(folder_ / "overlong\xE0\x80\x80.mp4", "x");  // as long as a character, but none
  put(folder_ / "b.txt", "caf\xE9");
  put(folder_ / "deep/er/a.txt", "caf\xC3\xA9");
  const VideoFolder found = read_video_folder(folder_.path(), {});
  EXPECT_THAT(names_of(found), ElementsAre("deep/er/a.MKV: caf\xC3\xA9"));
  EXPECT_THAT(found.unreadable, ElementsAre(Pair(R"('lat\xe9in.mp4')", HasSubstr("rename the file")),
                                            Pair(R"('overlong\xe0\x80\x80.mp4')", HasSubstr("rename the file")),
                                            Pair("b.mp4", HasSubstr("b.txt: is not UTF-8 text"))));
}

TEST_F(Videos, OfOneNameShareTheCaptionBesideThem) {
  put(folder_ / "b.mov", "b");
  put(folder_ / "b.txt", "bee");
  EXPECT_THAT(names_of(read_video_folder(folder_.path(), {})), ElementsAre("b.mov: bee", "b.mp4: bee"));
}

TEST_F(Videos, AreFoundOnceWhereALinkLeadsBack) {
  fs::create_directory_symlink("..", folder_ / "deep/back");
  put(folder_ / "b.txt", "bee");
  EXPECT_THAT(names_of(read_video_folder(folder_.path(), {})), ElementsAre("b.mp4: bee"));
}

TEST_F(Videos, BehindLinksThatLeadNowhereAreNamed) {
  fs::create_symlink("gone.mp4", folder_ / "lost.mp4");
  fs::create_symlink("two", folder_ / "one");
  fs::create_symlink("one", folder_ / "two");
  put(folder_ / "list.csv", "file,caption\nb.mp4,bee\nlost.mp4,nobody\n");
  for (const fs::path& list : {fs::path(folder_ / "list.csv"), fs::path()}) {
    const VideoFolder found = read_video_folder(folder_.path(), list);
    EXPECT_THAT(found.unreadable, ElementsAre(Pair("lost.mp4", HasSubstr("leads to no file"))));
    EXPECT_THAT(found.without_video, IsEmpty());
  }
}

TEST_F(Videos, OfNoneAFolderIsRefused) {
  fs::create_directories(folder_ / "empty");
  EXPECT_THAT(refusal_of([&] { read_video_folder(folder_ / "empty", {}); }), HasSubstr("contains no videos"));
  EXPECT_THAT(refusal_of([&] { read_video_folder(folder_ / "b.mp4", {}); }),
              HasSubstr("is not a folder, expected a folder of videos"));
}

TEST_F(Videos, HaveAHashThatTellsEveryPicture) {
  const std::string before = sha256_of_video(folder_ / "pictures");
  EXPECT_EQ(sha256_of_video(folder_ / "pictures"), before);
  put(folder_ / "pictures/frame_00001.png", "2");
  EXPECT_NE(sha256_of_video(folder_ / "pictures"), before);
  EXPECT_NE(sha256_of_video(folder_ / "b.mp4"), sha256_of_video(folder_ / "deep/er/a.MKV"));
}

}  // namespace
}  // namespace sgf

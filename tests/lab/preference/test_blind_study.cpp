// A blind study: which videos are pairs, what raters can see, and who is believed.
#include "lab/preference/blind_study.h"

#include "lab/preference/blinding.h"
#include "lab/preference/rater_answers.h"
#include "lab/preference/rater_page.h"
#include "sgf/files/sha256.h"

#include "../../core/refusal.h"
#include "../../core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <set>

namespace sgf {
namespace {

using sgf::testing::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::Not;

PairedVideo video_of(const std::string& file, const std::string& prompt = "", int64_t seed = 0) {
  PairedVideo video{.file = file, .sha256 = sha256_of(file)};
  if (!prompt.empty())
    take_note(video, nlohmann::json{{"prompts", {{{"at", 0}, {"prompt", prompt}}}}, {"seed", seed}}.dump());
  return video;
}

std::vector<VideoPair> some_pairs(int count) {
  std::vector<VideoPair> pairs;
  for (int i = 0; i < count; ++i) {
    const std::string name = std::to_string(i) + ".mp4";
    pairs.push_back({video_of("ours/" + name), video_of("theirs/" + name)});
  }
  return pairs;
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// An mp4 as far as boxes go: a length and a name before each body.
std::string box(const std::string& type, const std::string& body) {
  const auto size = static_cast<uint32_t>(body.size() + 8);
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(size >> shift & 255);
  return text + type + body;
}

std::string noted_mp4(const std::string& note, const std::string& pictures) {
  return box("ftyp", "isom") + box("mdat", pictures) + box("moov", box("trak", "track") + box("udta", note));
}

nlohmann::json answers_to(const BlindStudy& study, const std::string& rater, const std::string& answer) {
  nlohmann::json json{{"sgf_compare", 1}, {"study", study.id()}, {"rater", rater}};
  for (const ShownPair& pair : study.shown())
    json["pairs"].push_back({{"left", pair.left}, {"right", pair.right}, {"answer", answer}});
  return json;
}

TEST(StudyVideos, PairByPromptAndSeedWhateverTheirNames) {
  const PairedVideos paired = pair_videos(
      {video_of("a/one.mp4", "a disc", 1), video_of("a/two.mp4", "a disc", 2)},
      {video_of("b/2.mp4", "a disc", 2), video_of("b/1.mp4", "a disc", 1), video_of("b/3.mp4", "a disc", 3)});
  ASSERT_EQ(paired.pairs.size(), 2U);
  EXPECT_EQ(paired.pairs[0].b.file, "b/1.mp4");
  EXPECT_EQ(paired.pairs[1].b.file, "b/2.mp4");
  EXPECT_EQ(paired.pairs[0].caption(), "a disc");
  ASSERT_EQ(paired.left_out.size(), 1U);
  EXPECT_EQ(paired.left_out[0].file, "b/3.mp4");
}

TEST(StudyVideos, PairByNameWhereOneNotesNothing) {
  const PairedVideos paired = pair_videos({video_of("a/x.mp4", "a disc", 1)}, {video_of("b/x.mp4")});
  ASSERT_EQ(paired.pairs.size(), 1U);
  EXPECT_EQ(paired.pairs[0].caption(), "a disc");
}

TEST(StudyVideos, DoNotPairByNameWhereNotesDiffer) {
  const PairedVideos paired = pair_videos({video_of("a/x.mp4", "a disc", 1)}, {video_of("b/x.mp4", "a disc", 2)});
  EXPECT_TRUE(paired.pairs.empty());
  ASSERT_EQ(paired.left_out.size(), 2U);
  EXPECT_THAT(paired.left_out[0].why, HasSubstr("another prompt or seed"));
}

TEST(StudyVideos, AreNotTakenTwice) {
  // b/x.mp4 notes what a/one.mp4 does; a/x.mp4, which has its name alone, goes without.
  const PairedVideos paired =
      pair_videos({video_of("a/one.mp4", "a disc", 1), video_of("a/x.mp4")}, {video_of("b/x.mp4", "a disc", 1)});
  ASSERT_EQ(paired.pairs.size(), 1U);
  EXPECT_EQ(paired.pairs[0].a.file, "a/one.mp4");
  ASSERT_EQ(paired.left_out.size(), 1U);
  EXPECT_EQ(paired.left_out[0].file, "a/x.mp4");
}

TEST(StudyVideos, OfOneFolderThatNoteTheSameAreRefused) {
  EXPECT_THAT(
      refusal_of([] {
        pair_videos({video_of("a/1.mp4", "a disc", 1), video_of("a/2.mp4", "a disc", 1)}, {video_of("b/1.mp4")});
      }),
      HasSubstr("a/1.mp4 and a/2.mp4"));
}

TEST(StudyVideos, ThatAreTheSameFileAreNoPair) {
  PairedVideo copy = video_of("a/x.mp4");
  copy.file = "b/x.mp4";
  const PairedVideos paired = pair_videos({video_of("a/x.mp4")}, {copy});
  EXPECT_TRUE(paired.pairs.empty());
  EXPECT_THAT(paired.left_out.at(0).why, HasSubstr("is identical to"));
}

TEST(StudyVideos, ShowPromptsInTime) {
  PairedVideo video;
  take_note(video, R"({"seed":1,"prompts":[{"at":0,"prompt":"a disc"},{"at":2.5,"prompt":"a square"}]})");
  EXPECT_EQ(video.caption, "a disc … from 2.5 s: a square");
}

TEST(StudyVideos, TakeNoWordFromOtherComments) {
  for (const char* note : {"made by hand", "[1]", R"({"prompts":3,"seed":1})", R"({"prompts":[7],"seed":1})"}) {
    PairedVideo video;
    take_note(video, note);
    EXPECT_FALSE(video.identity.has_value()) << note;
  }
}

TEST(BlindStudy, FollowsFromItsSeedAlone) {
  std::vector<VideoPair> pairs = some_pairs(20), turned = pairs;
  std::ranges::reverse(turned);
  const std::string id = make_blind_study(pairs, {"A", "B"}, 7).id();
  EXPECT_EQ(make_blind_study(turned, {"C", "D"}, 7).id(), id);
  EXPECT_NE(make_blind_study(pairs, {"A", "B"}, 8).id(), id);
}

TEST(BlindStudy, HasAOnTheLeftInHalfOfThePairsAndNotInTurns) {
  std::set<std::string> patterns;
  for (int64_t seed = 0; seed < 20; ++seed) {
    const BlindStudy study = make_blind_study(some_pairs(10), {"A", "B"}, seed);
    std::string pattern;
    for (const BlindPair& pair : study.pairs) pattern += pair.a_is_left ? 'A' : 'B';
    EXPECT_EQ(std::ranges::count(pattern, 'A'), 5) << pattern;
    patterns.insert(pattern);
  }
  EXPECT_GT(patterns.size(), 15U);  // of 252 patterns
}

TEST(BlindStudy, OfOnePairHasAOnEitherSide) {
  std::set<bool> sides;
  for (int64_t seed = 0; seed < 20; ++seed)
    sides.insert(make_blind_study(some_pairs(1), {"A", "B"}, seed).pairs[0].a_is_left);
  EXPECT_EQ(sides.size(), 2U);
}

TEST(BlindStudy, ComesBackFromItsKey) {
  const TemporaryFolder folder;
  const BlindStudy study = make_blind_study(some_pairs(5), {"Ours", "Theirs"}, 3);
  write_text(folder / "key.json", to_json(study).dump());
  const BlindStudy back = read_blind_study(folder / "key.json");
  EXPECT_EQ(to_json(back), to_json(study));
}

TEST(BlindStudy, RefusesAKeyWhosePairsWereChanged) {
  const TemporaryFolder folder;
  nlohmann::json key = to_json(make_blind_study(some_pairs(5), {"Ours", "Theirs"}, 3));
  std::swap(key["pairs"][0], key["pairs"][1]);
  write_text(folder / "key.json", key.dump());
  EXPECT_THAT(refusal_of([&] { read_blind_study(folder / "key.json"); }), HasSubstr("the file was changed"));
}

TEST(StudyBlinding, ForgetsTheNoteAndKeepsThePictures) {
  const std::string before = noted_mp4("made by our model", "pictures");
  std::string after = before;
  forget_words(after);
  EXPECT_EQ(after.size(), before.size());
  EXPECT_THAT(after, Not(HasSubstr("our model")));
  EXPECT_THAT(after, HasSubstr("pictures"));
  EXPECT_THAT(after, HasSubstr("track"));
}

TEST(StudyBlinding, LeavesDamagedAndOtherFilesAlone) {
  std::string cut = noted_mp4("made by our model", "pictures");
  cut.resize(cut.size() - 3);  // the last box says it is longer than the file
  std::string other = "\x1a\x45\xdf\xa3 a webm file with udta in it";
  for (std::string text : {cut, other, std::string(), std::string("ftyp")}) {
    const std::string before = text;
    forget_words(text);
    EXPECT_EQ(text, before);
  }
}

class StudyPage : public ::testing::Test {
 protected:
  StudyPage() {
    std::vector<VideoPair> pairs;
    for (const char* name : {"1.mp4", "2.mp4"}) {
      VideoPair pair{video_of(folder_ / "ours" / name), video_of(folder_ / "theirs" / name)};
      for (PairedVideo* video : {&pair.a, &pair.b}) {
        write_text(video->file, noted_mp4("made by method", video->file.string()));
        video->sha256 = sha256_of_file(video->file);
        video->caption = "a disc</script><script>alert(1)</script>";
      }
      pairs.push_back(pair);
    }
    study_ = make_blind_study(pairs, {"Alpha", "Omega"}, 1);
  }

  std::string write(int64_t embed_bytes) {
    files_ = write_rater_page(study_, {.page = folder_ / "page.html", .embed_bytes = embed_bytes});
    return read_text(folder_ / "page.html");
  }

  TemporaryFolder folder_;
  BlindStudy study_;
  RaterPageFiles files_;
};

TEST_F(StudyPage, NamesNoMethodFolderOrFile) {
  for (const int64_t embed_bytes : {0, 1000000}) {
    const std::string page = write(embed_bytes);
    for (const char* word : {"Alpha", "Omega", "ours/", "theirs", "1.mp4\"", "a_is_left"})
      EXPECT_THAT(page, Not(HasSubstr(word)));
  }
}

TEST_F(StudyPage, LetsNoPromptBecomeAScript) { EXPECT_THAT(write(1000000), Not(HasSubstr("<script>alert"))); }

TEST_F(StudyPage, HoldsSmallVideosAndPutsLargeOnesBesideIt) {
  EXPECT_THAT(write(files_.video_bytes + 1000000), HasSubstr("id=\"left0\""));
  EXPECT_TRUE(files_.folder.empty());
  EXPECT_THAT(write(files_.video_bytes - 1), Not(HasSubstr("id=\"left0\"")));
  ASSERT_FALSE(files_.folder.empty());
  const std::string copy = read_text(files_.folder / "0001-left.mp4");
  EXPECT_THAT(copy, Not(HasSubstr("method")));
  const BlindPair& first = study_.pairs.front();
  EXPECT_THAT(copy, HasSubstr((first.a_is_left ? first.a : first.b).string()));  // its pictures, in this test
}

TEST_F(StudyPage, AsksTheBrowserToReachNoNetwork) { EXPECT_THAT(write(0), HasSubstr("default-src 'none'")); }

class StudyAnswers : public ::testing::Test {
 protected:
  std::filesystem::path put(const std::string& name, const nlohmann::json& json) {
    write_text(folder_ / name, json.dump());
    return folder_ / name;
  }
  std::string refusal_when(const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json json = answers_to(study_, "Ann", "left");
    change(json);
    const std::filesystem::path file = put("changed.json", json);
    return refusal_of([&] { read_answers(file); });
  }

  TemporaryFolder folder_;
  BlindStudy study_ = make_blind_study(some_pairs(4), {"A", "B"}, 1);
};

TEST_F(StudyAnswers, AreReadWithTheirGaps) {
  nlohmann::json json = answers_to(study_, "Ann", "right");
  json["pairs"][2]["answer"] = nullptr;
  const RaterAnswers answers = read_answers(put("ann.json", json));
  EXPECT_EQ(answers.rater, "Ann");
  EXPECT_EQ(answers.shown, study_.shown());
  EXPECT_EQ(answers.choices[1], RaterChoice::kRight);
  EXPECT_FALSE(answers.choices[2].has_value());
}

TEST_F(StudyAnswers, AreRefusedWithWhatIsWrong) {
  using nlohmann::json;
  EXPECT_THAT(refusal_when([](json& j) { j.erase("sgf_compare"); }), HasSubstr("is not a file of answers"));
  EXPECT_THAT(refusal_when([](json& j) { j["sgf_compare"] = 2; }), HasSubstr("version 2"));
  EXPECT_THAT(refusal_when([](json& j) { j.erase("rater"); }), HasSubstr("lacks \"rater\""));
  EXPECT_THAT(refusal_when([](json& j) { j["rater"] = " "; }), HasSubstr("fill in the name of the rater"));
  EXPECT_THAT(refusal_when([](json& j) { j["rater"] = 3; }), HasSubstr("has the wrong type"));
  EXPECT_THAT(refusal_when([](json& j) { j["pairs"] = json::array(); }), HasSubstr("must not be empty"));
  EXPECT_THAT(refusal_when([](json& j) { j["pairs"][1] = 5; }), HasSubstr("pair 2: expected an object"));
  EXPECT_THAT(refusal_when([](json& j) { j["pairs"][1]["left"] = "x"; }), HasSubstr("64 digits"));
  EXPECT_THAT(refusal_when([](json& j) { j["pairs"][1]["answer"] = "LEFT"; }), HasSubstr("pair 2: \"answer\" must be"));
  EXPECT_THAT(refusal_when([](json& j) { j["pairs"][1].erase("answer"); }), HasSubstr("lacks \"answer\""));
  EXPECT_THAT(refusal_when([](json& j) { std::swap(j["pairs"][0]["left"], j["pairs"][0]["right"]); }),
              HasSubstr("the file was changed"));
}

TEST_F(StudyAnswers, OfOneRaterCountOnce) {
  const auto first = put("1.json", answers_to(study_, "Ann", "left"));
  const auto second = put("2.json", answers_to(study_, " ann", "same"));
  const auto other = put("3.json", answers_to(study_, "Bob", "same"));
  EXPECT_THAT(refusal_of([&] { read_all_answers({first, second}); }), HasSubstr("a rater counts once"));
  EXPECT_EQ(read_all_answers({first, other}).size(), 2U);
}

TEST_F(StudyAnswers, ToDifferentStudiesAreNotMixed) {
  const auto first = put("1.json", answers_to(study_, "Ann", "left"));
  const auto second = put("2.json", answers_to(make_blind_study(some_pairs(4), {"A", "B"}, 2), "Bob", "left"));
  EXPECT_THAT(refusal_of([&] { read_all_answers({first, second}); }), HasSubstr("different studies"));
}

TEST_F(StudyAnswers, KnowTheirSidesByTheKeyAndByTheVideos) {
  std::vector<VideoPair> pairs;
  for (const char* name : {"1.mp4", "2.mp4", "3.mp4"}) {
    VideoPair pair{video_of(folder_ / "ours" / name), video_of(folder_ / "theirs" / name)};
    for (PairedVideo* video : {&pair.a, &pair.b}) {
      write_text(video->file, video->file.string());
      video->sha256 = sha256_of_file(video->file);
    }
    pairs.push_back(pair);
  }
  const BlindStudy study = make_blind_study(pairs, {"A", "B"}, 4);
  const auto ours = folder_ / "ours", theirs = folder_ / "theirs";
  EXPECT_EQ(sides_by_videos(study.shown(), ours, theirs), sides_by_key(study.shown(), study));
  EXPECT_THAT(refusal_of([&] { sides_by_key(study.shown(), study_); }), HasSubstr("but the key to"));
  EXPECT_THAT(refusal_of([&] { sides_by_videos(study_.shown(), ours, theirs); }), HasSubstr("do not belong"));
  write_text(theirs / "2.mp4", "made again");
  EXPECT_THAT(refusal_of([&] { sides_by_videos(study.shown(), ours, theirs); }), HasSubstr("do not belong"));
}

}  // namespace
}  // namespace sgf

// What an evaluation reads and leaves: lists of videos and prompts, kept scores, tables, and VBench's own files.
#include "sgf/evaluation/eval_totals.h"
#include "sgf/evaluation/result_table.h"
#include "sgf/evaluation/score_cache.h"
#include "sgf/evaluation/vbench_exchange.h"
#include "sgf/evaluation/video_list.h"
#include "sgf/files/json_file.h"
#include "sgf/media/frame_source.h"
#include "sgf/media/png.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace sgf {
namespace {

using nlohmann::json;
using sgf::testing::TemporaryFolder;

void touch(const std::filesystem::path& path, const std::string& text = "") {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST(VideoList, PromptsAreTheNameWithoutItsNumber) {
  EXPECT_EQ(prompt_of_name("v/a red disc-0.mp4"), "a red disc");
  EXPECT_EQ(prompt_of_name("a red disc.mp4"), "a red disc");
  EXPECT_EQ(prompt_of_name("black-and-white cat-12.mp4"), "black-and-white cat");
  EXPECT_EQ(prompt_of_name("black-and-white.mp4"), "black-and-white");
}

TEST(VideoList, AFolderGivesItsVideosByName) {
  const TemporaryFolder folder;
  for (const char* name : {"b-0.mp4", "a-0.MP4", "notes.txt", ".hidden.mp4"}) touch(folder / name);
  write_png((std::filesystem::create_directory(folder / "c-0"), folder / "c-0") / "frame_0.png", {1, 1, {1, 2, 3}});
  const auto videos = list_videos(folder.path(), std::nullopt);
  ASSERT_EQ(videos.size(), 3u);
  EXPECT_EQ(videos[0].prompt, "a");
  EXPECT_EQ(videos[1].prompt, "b");
  EXPECT_EQ(videos[2].file, folder / "c-0");
}

TEST(VideoList, AFolderOfPicturesHasItsNameWithASlashBehindItToo) {
  const TemporaryFolder folder;
  write_png((std::filesystem::create_directory(folder / "c-0"), folder / "c-0") / "frame_0.png", {1, 1, {1, 2, 3}});
  const auto videos = list_videos((folder / "c-0").string() + "/", std::nullopt);
  ASSERT_EQ(videos.size(), 1u);
  EXPECT_EQ(videos[0].file.filename(), "c-0");
}

TEST(VideoList, PicturesMayHaveTheirEndingInCapitals) {
  const TemporaryFolder folder;
  const auto pictures = (std::filesystem::create_directory(folder / "c-0"), folder / "c-0");
  write_png(pictures / "FRAME_0.PNG", {1, 1, {1, 2, 3}});
  ASSERT_EQ(list_videos(folder.path(), std::nullopt).size(), 1u);
  EXPECT_EQ(open_frames(pictures)->frame_count(), 1);
}

TEST(VideoList, AFolderWithoutVideosIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_of([&] { list_videos(folder.path(), std::nullopt); }),
              ::testing::HasSubstr("no video files and no folders"));
}

TEST(VideoList, PromptsAreReadFromAllFourKindsOfFiles) {
  const TemporaryFolder folder;
  const std::vector<std::string> kinds{
      R"({"v/a.mp4": "a disc"})", R"([{"prompt_en": "a disc", "video_list": ["x/a.mp4"]}, {"prompt_en": "b"}])",
      R"({"clips": [{"file": "a.mp4", "caption": "a disc"}], "world": "w"})",
      R"({"videos": [{"file": "a.mp4", "prompt": "a disc"}, {"file": "b.mp4", "prompt": null}]})"};
  for (const std::string& text : kinds) {
    touch(folder / "prompts.json", text);
    EXPECT_EQ(read_prompt_book(folder / "prompts.json").prompts,
              (std::map<std::string, std::string>{{"a.mp4", "a disc"}}))
        << text;
  }
}

TEST(VideoList, OtherJsonIsRefused) {
  const TemporaryFolder folder;
  touch(folder / "prompts.json", R"({"a.mp4": 3})");
  EXPECT_THAT(refusal_of([&] { read_prompt_book(folder / "prompts.json"); }),
              ::testing::HasSubstr("is not a list of prompts"));
}

TEST(VideoList, AVideoThatTheBookDoesNotNameHasNoPrompt) {
  const TemporaryFolder folder;
  touch(folder / "a.mp4");
  touch(folder / "b.mp4");
  const auto videos = list_videos(folder.path(), PromptBook{.prompts = {{"a.mp4", "a disc"}}, .world = ""});
  EXPECT_EQ(videos[0].prompt, "a disc");
  EXPECT_FALSE(videos[1].prompt);
}

TEST(ScoreCache, AScoreIsFoundUnderItsKeyAlone) {
  const TemporaryFolder folder;
  ScoreCache cache(folder / "scores");
  EXPECT_TRUE(cache.find({{"video", "1"}}).is_null());
  cache.keep({{"video", "1"}}, 0.5);
  EXPECT_EQ(cache.find({{"video", "1"}}), 0.5);
  EXPECT_TRUE(cache.find({{"video", "2"}}).is_null());
}

TEST(ScoreCache, ADamagedFileIsAsIfItWereNotThere) {
  const TemporaryFolder folder;
  ScoreCache cache(folder.path());
  cache.keep({{"video", "1"}}, 0.5);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) touch(entry.path(), "{\"key\":");
  EXPECT_TRUE(cache.find({{"video", "1"}}).is_null());
}

TEST(ScoreCache, AScoreThatRottedOnDiskIsComputedAgainAndOneOfAnEarlierVersionIsTaken) {
  const TemporaryFolder folder;
  ScoreCache cache(folder.path());
  const nlohmann::json key{{"video", "1"}};
  cache.keep(key, 0.5);
  const auto file = std::filesystem::directory_iterator(folder.path())->path();
  nlohmann::json entry = nlohmann::json::parse(std::ifstream(file));
  entry["value"] = 0.25;
  touch(file, entry.dump());
  EXPECT_TRUE(cache.find(key).is_null());
  entry.erase("sha256");
  touch(file, entry.dump());
  EXPECT_EQ(cache.find(key), 0.25);
}

TEST(ScoreCache, AFolderThatCannotBeMadeIsSaidOnceAndNothingIsKept) {
  const TemporaryFolder folder;
  touch(folder / "file");
  std::vector<std::string> said;
  ScoreCache cache(folder.path() / "file" / "scores", [&](const std::string& text) { said.push_back(text); });
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0], ::testing::HasSubstr("--no-cache"));
  cache.keep({{"video", "1"}}, 0.5);
  EXPECT_TRUE(cache.find({{"video", "1"}}).is_null());
  EXPECT_EQ(said.size(), 1u);
}

TEST(ScoreCache, AFolderThatGoesAwayIsSaidOnce) {
  const TemporaryFolder folder;
  std::vector<std::string> said;
  ScoreCache cache(folder / "scores", [&](const std::string& text) { said.push_back(text); });
  cache.keep({{"video", "1"}}, 0.5);
  EXPECT_TRUE(said.empty());
  std::filesystem::remove_all(folder / "scores");
  touch(folder / "scores");  // a file now
  cache.keep({{"video", "2"}}, 0.5);
  cache.keep({{"video", "3"}}, 0.5);
  EXPECT_EQ(said.size(), 1u);
}

TEST(ScoreCache, WithoutAFolderNothingIsKept) {
  ScoreCache cache("");
  cache.keep({{"video", "1"}}, 0.5);
  EXPECT_TRUE(cache.find({{"video", "1"}}).is_null());
}

LabelledResult result_of(const std::string& init, const std::string& method, const std::string& horizon, double value) {
  const json result{{"labels", {{"init", init}, {"method", method}, {"horizon", horizon}}},
                    {"totals", {{"imaging_quality", {{"value", value}}}}}};
  return labelled_result(result, "file");
}

TEST(ResultTable, MethodsOfOneInitialisationStandSideBySide) {
  const ResultTable table = tabulate({result_of("TF", "SF", "60s", 0.701), result_of("CD", "SF", "60s", 0.6),
                                      result_of("TF", "SGF", "60s", 0.718), result_of("TF", "SF", "240s", 0.5)});
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.columns[1].method, "SGF");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(shown_cell(table.rows[0].cells[0]), "0.701");
  EXPECT_EQ(shown_cell(table.rows[0].cells[1]), "0.718*");
  EXPECT_EQ(shown_cell(table.rows[0].cells[2]), "0.600");  // alone: nothing to be better than
  EXPECT_EQ(shown_cell(table.rows[1].cells[1]), "-");
  EXPECT_THAT(markdown_of(table), ::testing::HasSubstr("| 60s | Imaging | 0.701 | **0.718** | 0.600 |"));
  EXPECT_THAT(latex_of(table), ::testing::HasSubstr("60s & Imaging & 0.701 & \\textbf{0.718} & 0.600 \\\\"));
}

TEST(ResultTable, WhatIsShownAsEqualIsEquallyGood) {
  const ResultTable table = tabulate({result_of("TF", "SF", "60s", 0.99201), result_of("TF", "SGF", "60s", 0.99204)});
  EXPECT_EQ(shown_cell(table.rows[0].cells[0]), "0.992*");
  EXPECT_EQ(shown_cell(table.rows[0].cells[1]), "0.992*");
}

TEST(ResultTable, TwoResultsOfOneCellAreRefused) {
  const LabelledResult once = result_of("TF", "SF", "60s", 0.7);
  EXPECT_THAT(refusal_of([&] { tabulate({once, once}); }), ::testing::HasSubstr("--method"));
}

LabelledResult total_of(const std::string& metric, const json& labels, const std::string& protocol, double value) {
  return labelled_result({{"protocol", protocol}, {"labels", labels}, {"totals", {{metric, {{"value", value}}}}}},
                         "file_" + protocol);
}

TEST(ResultTable, OfErrorsTheSmallestIsBestAndRatiosHaveNoBest) {
  const auto shown = [](const std::string& metric) {
    const ResultTable table = tabulate(
        {total_of(metric, {{"method", "SF"}}, "world", .8), total_of(metric, {{"method", "SGF"}}, "world", .2)});
    return shown_cell(table.rows[0].cells[0]) + " " + shown_cell(table.rows[0].cells[1]);
  };
  EXPECT_EQ(shown("world_valid"), "0.800* 0.200");
  EXPECT_EQ(shown("world_rerender_error"), "0.800 0.200*");
  EXPECT_EQ(shown("world_background_drift"), "0.800 0.200*");
  EXPECT_EQ(shown("world_sharpness"), "0.800 0.200");
}

TEST(ResultTable, ARowOfTwoProtocolsIsRefusedUnlessASettingKeepsThemApart) {
  const auto of = [](const std::string& method, const std::string& setting, const std::string& protocol) {
    return total_of("imaging_quality", {{"method", method}, {"horizon", "5s"}, {"setting", setting}}, protocol, .5);
  };
  EXPECT_THAT(refusal_of([&] {
                tabulate({of("SF", "", "vbench"), of("SGF", "", "vbench-long")});
              }),
              ::testing::AllOf(::testing::HasSubstr("vbench-long"), ::testing::HasSubstr("--setting")));
  EXPECT_EQ(tabulate({of("SF", "", "vbench"), of("SGF", "", "imported")}).rows.size(), 1u);
  const ResultTable apart = tabulate({of("SF", "", "vbench"), of("SGF", "clips", "vbench-long")});
  ASSERT_EQ(apart.rows.size(), 2u);
  EXPECT_EQ(apart.rows[1].horizon, "5s, clips");
}

TEST(ResultTable, LabelsDoNotBreakTheTable) {
  const ResultTable table = tabulate({total_of("world_landmark_drift", {{"method", "a|b_1 & 5%"}}, "world", .5)});
  EXPECT_THAT(markdown_of(table), ::testing::HasSubstr(" a\\|b_1 & 5% |"));
  EXPECT_THAT(latex_of(table), ::testing::HasSubstr("& a|b\\_1 \\& 5\\% "));
  EXPECT_THAT(latex_of(table), ::testing::HasSubstr("world\\_landmark\\_drift$\\downarrow$ & 0.500"));
}

TEST(Totals, AFilterThatLetsNoClipThroughIsTheReasonThatIsGiven) {
  const json moving{{"clips", {{{"score", .9}, {"weight", 3}, {"counted", false}}}}, {"value", nullptr}};
  const json rows{{{"file", "a"}, {"prompt", "a"}, {"metrics", {{"temporal_flickering", moving}}}}};
  const json broken{{{"file", "a"}, {"prompt", "a"}, {"error", "is empty"}}};
  const EvalSwitches filtered{.static_filter = true};
  EXPECT_TRUE(metric_total(rows, VbenchMetric::kFlicker, filtered).is_null());
  EXPECT_THAT(why_no_total(rows, VbenchMetric::kFlicker, filtered), ::testing::HasSubstr("none of 1 clips"));
  EXPECT_EQ(why_no_total(broken, VbenchMetric::kFlicker, filtered), "");  // its own error says it
  EXPECT_EQ(why_no_total(rows, VbenchMetric::kFlicker, EvalSwitches{}), "");
}

TEST(Exchange, FilesAreNamedAsVBenchReadsThem) {
  const TemporaryFolder folder;
  for (const char* name : {"x", "y", "z"}) {
    std::filesystem::create_directory(folder / name);
    write_png(folder / name / "frame_0.png", {16, 16, std::vector<uint8_t>(768, 100)});
  }
  std::vector<ListedVideo> videos{{folder / "x", "a disc"}, {folder / "y", "a disc"}, {folder / "z", std::nullopt}};
  const VbenchExport exported = export_for_vbench(videos, folder / "out", 16, [](int64_t) {});
  EXPECT_EQ(exported.videos, 2);
  ASSERT_EQ(exported.failed.size(), 1u);
  EXPECT_THAT(exported.failed[0], ::testing::HasSubstr("not in the list of prompts"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out/videos/a disc-1.mp4"));
  EXPECT_EQ(read_json_file(folder.path() / "out/prompts.json"),
            (json{{"a disc-0.mp4", "a disc"}, {"a disc-1.mp4", "a disc"}}));
}

TEST(Exchange, ResultsOfVBenchAndOursMakeOneTotal) {
  const TemporaryFolder folder;
  touch(folder / "vbench.json",
        R"({"scene": [0.5, [{"video_path": "a", "video_results": 0.5}]], "object class": [0.9]})");
  touch(folder / "ours.json", R"({"protocol": "vbench", "totals": {"dynamic_degree": {"value": 0.25}}})");
  const json result = import_results({folder / "vbench.json", folder / "ours.json"});
  EXPECT_EQ(result["totals"]["scene"]["value"], 0.5);
  EXPECT_EQ(result["totals"]["object_class"]["value"], 0.9);
  EXPECT_EQ(result["totals"]["dynamic_degree"]["value"], 0.25);
  EXPECT_TRUE(result["leaderboard"]["total"].is_null());
  EXPECT_EQ(result["leaderboard"]["missing"].size(), 13u);
}

TEST(Exchange, MeasuresOfTheWorldAreNoDimensions) {
  const TemporaryFolder folder;
  touch(folder / "world.json", R"({"protocol": "world", "totals": {"valid": {"value": 0.9}}})");
  EXPECT_THAT(refusal_of([&] { import_results({folder / "world.json"}); }), ::testing::HasSubstr("built-in world"));
  touch(folder / "odd.json", R"({"protocol": 3, "totals": {"scene": {"value": 0.5}}})");
  EXPECT_EQ(import_results({folder / "odd.json"})["totals"]["scene"]["value"], 0.5);
}

TEST(Exchange, OddScoresAreRefusedByName) {
  const TemporaryFolder folder;
  const std::map<std::string, std::string> odd{{R"({"scene": [55.3, []]})", "not percent"},
                                               {R"({"scene": []})", "'scene' must be a number"},
                                               {R"({"scene": {"score": 0.5}})", "'scene' must be a number"},
                                               {R"({"scene": NaN})", "scores.json"},
                                               {R"([0.5])", "is not a result"},
                                               {R"({"totals": {}})", "no scores found in"}};
  for (const auto& [text, said] : odd) {
    touch(folder / "scores.json", text);
    EXPECT_THAT(refusal_of([&] { import_results({folder / "scores.json"}); }), ::testing::HasSubstr(said)) << text;
  }
  touch(folder / "scores.json", R"({"scene": 0.553, "dynamic degree": [true]})");  // the control
  EXPECT_EQ(import_results({folder / "scores.json"})["totals"]["dynamic_degree"]["value"], 1.0);
}

TEST(Exchange, ADimensionComesOnce) {
  const TemporaryFolder folder;
  touch(folder / "a.json", R"({"scene": [0.5]})");
  EXPECT_THAT(refusal_of([&] {
                import_results({folder / "a.json", folder / "a.json"});
              }),
              ::testing::HasSubstr("another file"));
}

}  // namespace
}  // namespace sgf

// An evaluation from files to totals: by flicker, which needs no weights, and by all metrics where weights are there.
#include "sgf/evaluation/eval_run.h"
#include "sgf/evaluation/eval_totals.h"
#include "sgf/evaluation/video_scores.h"
#include "sgf/files/sha256.h"
#include "sgf/media/png.h"
#include "sgf/vbench/slow_fast.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/vbench/legacy_pickle.h"
#include "tests/vbench/network_file.h"

#include <cstdlib>
#include <fstream>

namespace sgf {
namespace {

using nlohmann::json;
using sgf::testing::TemporaryFolder;

// A folder of grey pictures; brightness moves by `step`.
ListedVideo grey_video(const std::filesystem::path& folder, int64_t pictures, int step) {
  std::filesystem::create_directories(folder);
  for (int64_t i = 0; i < pictures; ++i) {
    const auto level = static_cast<uint8_t>(50 + (i % 2) * step);
    write_png(folder / fmt::format("frame_{:03}.png", i), {4, 6, std::vector<uint8_t>(72, level)});
  }
  return {folder, "a prompt"};
}

const EvalEvents kQuietly{.warn = [](const std::string&) {}, .go_on = [](int64_t, int64_t, int64_t) { return true; }};

EvalOrder flicker_order(const TemporaryFolder& folder) {
  EvalOrder order;
  order.metrics = {VbenchMetric::kFlicker};
  order.weights = folder.path();
  order.switches.fps = 2;
  return order;
}

TEST(Evaluate, EachVideoCountsOnceInVbench) {
  const TemporaryFolder folder;
  EvalOrder order = flicker_order(folder);
  order.videos = {grey_video(folder / "a", 3, 51), grey_video(folder / "b", 9, 0)};
  const json result = evaluate(order, kQuietly);
  EXPECT_TRUE(result["ok"]);
  EXPECT_DOUBLE_EQ(result["videos"][0]["metrics"]["temporal_flickering"]["value"], 0.8);
  EXPECT_DOUBLE_EQ(result["totals"]["temporal_flickering"]["value"], 0.9);
}

TEST(Evaluate, EachClipCountsOnceInVbenchLong) {
  const TemporaryFolder folder;
  EvalOrder order = flicker_order(folder);
  order.switches.protocol = EvalProtocol::kVbenchLong;
  order.switches.reencodes = false;
  order.videos = {grey_video(folder / "a", 4, 51), grey_video(folder / "b", 10, 0)};
  const json total = evaluate(order, kQuietly)["totals"]["temporal_flickering"];
  EXPECT_EQ(total["clips"], 4);  // one, and three that overlap
  EXPECT_NEAR(total["value"].get<double>(), (0.8 + 3) / 4, 1e-12);
  EXPECT_NEAR(total["means"]["videos"].get<double>(), 0.9, 1e-12);  // what was meant
}

TEST(Evaluate, AVideoThatFailsHasARowAndTheOthersGoOn) {
  const TemporaryFolder folder;
  EvalOrder order = flicker_order(folder);
  std::ofstream(folder / "bad.mp4") << "no video";
  order.videos = {{folder / "bad.mp4", "p"}, grey_video(folder / "one", 1, 0), grey_video(folder / "b", 3, 0)};
  order.videos.push_back({folder / "b", std::nullopt});
  const json result = evaluate(order, kQuietly);
  EXPECT_FALSE(result["ok"]);
  EXPECT_THAT(result["videos"][0]["error"].get<std::string>(), ::testing::HasSubstr("bad.mp4"));
  EXPECT_THAT(result["videos"][1]["metrics"]["temporal_flickering"]["error"].get<std::string>(),
              ::testing::StartsWith("temporal flickering needs at least 2 frames"));
  EXPECT_THAT(result["videos"][3]["error"].get<std::string>(), ::testing::HasSubstr("is not in the list of prompts"));
  EXPECT_DOUBLE_EQ(result["totals"]["temporal_flickering"]["value"], 1);
}

TEST(Evaluate, AMetricWithoutItsFileIsNamedAndTheOthersGoOn) {
  const TemporaryFolder folder;
  EvalOrder order = flicker_order(folder);
  order.metrics = {VbenchMetric::kMotion, VbenchMetric::kFlicker};
  order.videos = {grey_video(folder / "b", 3, 0)};
  const json result = evaluate(order, kQuietly);
  EXPECT_FALSE(result["ok"]);
  EXPECT_THAT(result["unavailable"]["motion_smoothness"].get<std::string>(), ::testing::HasSubstr("amt-s.pth"));
  EXPECT_TRUE(result["totals"].contains("temporal_flickering"));
  EXPECT_FALSE(result["totals"].contains("motion_smoothness"));
}

// Pictures large enough for RAFT and AMT; the same for the same seed.
ListedVideo noisy_video(const std::filesystem::path& folder, int64_t pictures, uint64_t seed) {
  std::filesystem::create_directories(folder);
  const at::Tensor bytes = testing::some_pictures(pictures, 128, 128, seed);
  for (int64_t i = 0; i < pictures; ++i) {
    const auto* begin = bytes[i].const_data_ptr<uint8_t>();
    write_png(folder / fmt::format("frame_{:03}.png", i), {128, 128, {begin, begin + bytes[i].numel()}});
  }
  return {folder, "a prompt"};
}

// amt-s.pth has its tensors below "state_dict", raft-things.pth behind "module."; both are as old as the old format.
TEST(Evaluate, LegacyPicklesScoreAsZipArchivesDo) {
  const TemporaryFolder folder;
  const NamedTensors amt = testing::weights_taken_by<Amt>(
      {.salt = {}, .prefix = {}, .gains = {{"comb_block.2.weight", 0.3}}, .is_amt = true});
  const NamedTensors raft = testing::weights_taken_by<Raft>({});
  for (const char* place : {"zip", "legacy"}) {
    std::filesystem::create_directories(folder.path() / place / "amt_model");
    std::filesystem::create_directories(folder.path() / place / "raft_model/models");
  }
  testing::write_network_file(folder.path() / "zip/amt_model/amt-s.pth", amt, "state_dict.");
  testing::write_network_file(folder.path() / "zip/raft_model/models/raft-things.pth", raft, "module.");
  testing::write_legacy_pickle(folder.path() / "legacy/amt_model/amt-s.pth", amt, "", "state_dict");
  testing::write_legacy_pickle(folder.path() / "legacy/raft_model/models/raft-things.pth", raft, "module.");
  EvalOrder order = flicker_order(folder);
  order.metrics = {VbenchMetric::kMotion, VbenchMetric::kDynamic};
  order.switches.fps = 16;  // RAFT sees the first picture and the third
  order.videos = {noisy_video(folder / "a", 3, 1), noisy_video(folder / "b", 3, 2)};
  order.weights = folder / "zip";
  const json from_zip = evaluate(order, kQuietly);
  order.weights = folder / "legacy";
  const json from_legacy = evaluate(order, kQuietly);
  EXPECT_TRUE(from_legacy["ok"]) << from_legacy;
  EXPECT_EQ(from_legacy["totals"], from_zip["totals"]);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(from_legacy["videos"][i]["metrics"], from_zip["videos"][i]["metrics"]);
  const auto value = [&](size_t i) { return from_zip["videos"][i]["metrics"]["motion_smoothness"]["value"]; };
  EXPECT_NE(value(0), value(1));
  EXPECT_NE(from_legacy["weights"][0]["sha256"], from_zip["weights"][0]["sha256"]);
}

TEST(Evaluate, AWeightFileThatIsCutOffIsAnErrorOfItsMetric) {
  const TemporaryFolder folder;
  testing::write_legacy_pickle(folder / "amt-s.pth", {{"feat_encoder.conv1.weight", at::zeros({4})}}, "", "state_dict");
  std::filesystem::resize_file(folder / "amt-s.pth", std::filesystem::file_size(folder / "amt-s.pth") - 8);
  EvalOrder order = flicker_order(folder);
  order.metrics = {VbenchMetric::kMotion, VbenchMetric::kFlicker};
  order.videos = {noisy_video(folder / "a", 3, 1)};
  const json metrics = evaluate(order, kQuietly)["videos"][0]["metrics"];
  EXPECT_THAT(metrics["motion_smoothness"]["error"].get<std::string>(), ::testing::HasSubstr("amt-s.pth"));
  EXPECT_TRUE(metrics["temporal_flickering"]["value"].is_number());
}

TEST(Evaluate, AnInterruptedEvaluationGoesOnWhereItWas) {
  const TemporaryFolder folder;
  EvalOrder order = flicker_order(folder);
  order.switches.protocol = EvalProtocol::kVbenchLong;
  order.switches.reencodes = false;
  order.cache = folder / "scores";
  order.videos = {grey_video(folder / "a", 12, 51)};
  EvalEvents stops = kQuietly;
  stops.go_on = [](int64_t, int64_t clip, int64_t) { return clip < 2; };
  EXPECT_THROW(evaluate(order, stops), EvaluationStopped);
  // Two clips were kept: a mark in their scores shows in the result, so they were not computed again.
  for (const auto& entry : std::filesystem::directory_iterator(order.cache)) {
    json kept = json::parse(std::ifstream(entry.path()));
    ASSERT_EQ(kept["value"].size(), 3u);
    EXPECT_TRUE(kept["value"][2].is_null());
    kept["value"][0]["score"] = 0.25;
    kept["sha256"] = sha256_of(kept["value"].dump());
    std::ofstream(entry.path()) << kept;
  }
  const json clips = evaluate(order, kQuietly)["videos"][0]["metrics"]["temporal_flickering"]["clips"];
  EXPECT_EQ(clips[0]["score"], 0.25);
  EXPECT_DOUBLE_EQ(clips[2]["score"], 0.8);
  order.switches.clip_seconds = 3;  // another switch, other scores
  EXPECT_DOUBLE_EQ(evaluate(order, kQuietly)["videos"][0]["metrics"]["temporal_flickering"]["clips"][0]["score"], 0.8);
}

// What stands in every file of kept scores becomes `value`.
void replace_kept(const std::filesystem::path& folder, const json& value) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    json kept = json::parse(std::ifstream(entry.path()));
    kept["value"] = value;
    kept["sha256"] = sha256_of(value.dump());
    std::ofstream(entry.path()) << kept;
  }
}

TEST(Evaluate, KeptScoresThatAreNoneAreComputedAgain) {
  const TemporaryFolder folder;
  EvalOrder order = flicker_order(folder);
  order.cache = folder / "cache";
  order.videos = {grey_video(folder / "a", 3, 51)};
  const auto total = [&] { return evaluate(order, kQuietly)["totals"]["temporal_flickering"]["value"]; };
  EXPECT_DOUBLE_EQ(total(), 0.8);
  replace_kept(order.cache, {{{"score", 0.5}, {"weight", 2}}});
  EXPECT_DOUBLE_EQ(total(), 0.5);  // what is kept counts
  for (const char* other : {R"(["text"])", R"([{"score": "0.5", "weight": 2}])", R"([{"score": 0.5}])", "[1]", "{}"}) {
    replace_kept(order.cache, json::parse(other));
    EXPECT_DOUBLE_EQ(total(), 0.8) << other;
  }
}

TEST(Totals, FusionReachesEveryClip) {
  json entry{{"clips", {{{"score", 0.9}, {"weight", 3}}, {{"score", 0.7}, {"weight", 3}}}}};
  fuse_row(entry, VbenchMetric::kSubject, 0.5);
  EXPECT_DOUBLE_EQ(entry["clips"][1]["fused"], 0.5 * 0.7 + 0.5 * kSubjectMapping[50]);
  EXPECT_DOUBLE_EQ(entry["value"], 0.5 * 0.8 + 0.5 * kSubjectMapping[50]);
}

TEST(Totals, ImagingQualityIsOfOne) {
  const json rows{{{"file", "a"},
                   {"prompt", "p"},
                   {"metrics", {{"imaging_quality", {{"clips", {{{"score", 66.0}, {"weight", 3}}}}}}}}}};
  EXPECT_DOUBLE_EQ(metric_total(rows, VbenchMetric::kImaging, {})["value"], 0.66);
}

TEST(Totals, ClipsThatTheFilterHeldBackDoNotCount) {
  json clips = json::array({{{"score", 1.0}, {"weight", 1}, {"counted", false}}, {{"score", 0.5}, {"weight", 1}}});
  const json rows{{{"file", "a"}, {"prompt", "p"}, {"metrics", {{"temporal_flickering", {{"clips", clips}}}}}}};
  const json total = metric_total(rows, VbenchMetric::kFlicker, {.static_filter = true});
  EXPECT_EQ(total["value"], 0.5);
  EXPECT_EQ(total["mean_over"], "videos");
}

// Numbers that upstream VBench gave for this clip.
TEST(Evaluate, TheReferenceClipScoresAsInVBench) {
  const char* weights = std::getenv("VBENCH_CACHE_DIR");
  const char* folder = std::getenv("SGF_REFERENCE_DIR");
  if (weights == nullptr) GTEST_SKIP() << "VBENCH_CACHE_DIR names no folder with VBench's weights";
  if (folder == nullptr) GTEST_SKIP() << "SGF_REFERENCE_DIR names no folder with ltx2.mp4";
  EvalOrder order;
  order.videos = {{std::filesystem::path(folder) / "ltx2.mp4", "a prompt"}};
  const json result = evaluate(order, kQuietly);
  const std::map<std::string, double> golden{
      {"subject_consistency", 0.9549573575}, {"background_consistency", 0.9454950926},
      {"aesthetic_quality", 0.5733335614},   {"imaging_quality", 0.6644590054},
      {"motion_smoothness", 0.9897254431},   {"dynamic_degree", 1},
      {"temporal_flickering", 0.9794516807}};
  for (const auto& [name, score] : golden) {
    if (!result["totals"].contains(name)) {
      std::cerr << "not checked: " << result["unavailable"].value(name, "no score") << "\n";
      continue;
    }
    EXPECT_NEAR(result["totals"][name]["value"].get<double>(), score, 1e-3) << name;
  }
}

}  // namespace
}  // namespace sgf

// A served stream is the video of its order, however it was directed, paused, branched, interrupted or shared.
#include "sgf/core/error.h"
#include "sgf/media/video_writer.h"
#include "sgf/serving/live_order.h"
#include "sgf/serving/media_body.h"
#include "sgf/serving/stream_engine.h"
#include "sgf/streaming/compare_videos.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/streaming/tiny_video.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

const std::string kRed = "a slow red disc and a slow green square on a grey field";
const std::string kBlue = "a fast blue disc and a slow green square on a grey field";

// An engine with the tiny video's network, in a folder of its own.
struct Served {
  explicit Served(EngineSettings settings = {}, int64_t models = 1) {
    settings.folder = folder / "sessions";
    settings_ = settings;
    models_ = models;
    start();
  }

  void start() {
    std::vector<ServedModel> models;
    for (int64_t i = 0; i < models_; ++i) {
      models.push_back({.name = fmt::format("model-{}", i), .defaults = video.order, .parts = video.parts});
      models.back().defaults.prompts.clear();
      models.back().defaults.threads = 1;
      if (i > 0) models.back().defaults.config.schedule.denoising_steps = {1000};  // another network would do too
    }
    engine = std::make_unique<StreamEngine>(settings_, std::move(models), nullptr);
  }

  std::string create(std::optional<double> seconds, bool is_live = false, int64_t ahead = 0, int64_t seed = 3) const {
    return engine->create(
        {.wishes = {.prompts = {{0, kRed}}, .seed = seed}, .seconds = seconds, .is_live = is_live, .ahead = ahead});
  }

  // Waits for a state of the stream.
  StreamView wait(const std::string& id, const std::function<bool(const StreamView&)>& is_there) const {
    for (int i = 0; i < 6000; ++i) {
      const StreamView view = engine->view(id);
      if (is_there(view)) return view;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw std::runtime_error("the stream does not get there: " + std::string(enum_name(engine->view(id).status)));
  }
  StreamView wait_blocks(const std::string& id, int64_t blocks) const {
    return wait(id, [&](const StreamView& v) { return v.made >= blocks; });
  }
  StreamView wait_status(const std::string& id, StreamStatus status) const {
    return wait(id, [&](const StreamView& v) { return v.status == status; });
  }
  std::string create_endless(int64_t seed = 3) const { return create({}, /*is_live=*/true, /*ahead=*/0, seed); }
  void stop(const std::string& id) const {
    engine->stop(id);
    wait_status(id, StreamStatus::kStopped);
  }
  void expect_gone(const std::string& id) const {
    const fs::path stream = folder / "sessions" / "streams" / id;
    for (int i = 0; i < 6000 && fs::exists(stream); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(fs::exists(stream));
  }

  // The mp4 file that a client would get.
  fs::path download(const std::string& id) const {
    const fs::path path = folder / (id + ".mp4");
    const HttpResponse response = media_download(*engine, id);
    std::ofstream file(path, std::ios::binary);
    for (Piece piece = response.source->next(4096); piece.kind != Piece::Kind::kEnd;
         piece = response.source->next(4096)) {
      if (piece.kind == Piece::Kind::kFailed) throw std::runtime_error("the download failed");
      file << piece.bytes;
    }
    return path;
  }

  // Whether the download is byte for byte what sgf generate makes of the stream's order.
  void expect_exact(const std::string& id) const {
    const fs::path served = download(id), again = folder / (id + "-again.mp4");
    const StreamView view = engine->view(id);
    generate_video(view.record.order, video.parts, view.made, {.target = again.string(), .overwrite = true});
    const auto bytes = [](const fs::path& path) {
      std::ifstream file(path, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_EQ(bytes(served).size(), bytes(again).size());
    EXPECT_TRUE(bytes(served) == bytes(again)) << id;
  }

  const TinyVideo video;
  const TemporaryFolder folder;
  std::unique_ptr<StreamEngine> engine;

 private:
  EngineSettings settings_;
  int64_t models_ = 1;
};

class StreamEngineTest : public ::testing::Test {
  void SetUp() override {
    if (!can_write_videos()) GTEST_SKIP() << "no FFmpeg here";
  }
};

TEST_F(StreamEngineTest, MakesTheVideoOfItsOrder) {
  const Served s;
  const std::string id = s.create(1.0);
  const StreamView view = s.wait_status(id, StreamStatus::kCompleted);
  EXPECT_EQ(view.made, blocks_for(1.0, view.record.order.config));
  s.expect_exact(id);
  const std::string other = s.create(1.0, false, 0, /*seed=*/4);  // the control
  s.wait_status(other, StreamStatus::kCompleted);
  EXPECT_FALSE(compare_videos(s.download(id), s.download(other)).is_identical());
}

TEST_F(StreamEngineTest, APromptHoldsFromTheNextBlock) {
  const Served s;
  const std::string id = s.create({}, /*is_live=*/true, /*ahead=*/2);
  for (const PromptSwitch how : {PromptSwitch::kRecache, PromptSwitch::kNewSink, PromptSwitch::kKeep}) {
    const int64_t next = s.wait_status(id, StreamStatus::kWaiting).begun;
    s.engine->direct(id, how == PromptSwitch::kNewSink ? kRed : kBlue, how, {});
    const GenerateOrder order = s.engine->view(id).record.order;
    EXPECT_EQ(order.prompts.back().seconds, block_seconds(order.config, next));
    EXPECT_EQ(order.prompts.back().on_switch, how);
    s.engine->played(id, block_seconds(order.config, next + 2));
    s.wait_blocks(id, next + 3);
  }
  s.stop(id);
  s.expect_exact(id);
}

TEST_F(StreamEngineTest, ALiveStreamRunsTwoBlocksAheadOfPlayback) {
  const Served s;
  const std::string id = s.create({}, /*is_live=*/true, /*ahead=*/2);
  EXPECT_EQ(s.wait_status(id, StreamStatus::kWaiting).made, 3);  // the one that is played, and two
  const Config config = s.engine->view(id).record.order.config;
  s.engine->played(id, block_seconds(config, 4));
  s.wait_blocks(id, 7);
  EXPECT_EQ(s.wait_status(id, StreamStatus::kWaiting).made, 7);
  const std::string fast = s.create(2.0);  // the control: a video is made at once
  EXPECT_GT(s.wait_status(fast, StreamStatus::kCompleted).made, 7);
}

TEST_F(StreamEngineTest, APausedStreamMakesNothingAndGoesOnExactly) {
  const Served s;
  const std::string id = s.create_endless();
  s.wait_blocks(id, 2);
  s.engine->pause(id);
  const int64_t made = s.wait(id, [](const StreamView& v) { return v.made == v.begun; }).made;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(s.engine->view(id).made, made);
  EXPECT_EQ(s.engine->view(id).status, StreamStatus::kPaused);
  s.engine->resume(id);
  s.wait_blocks(id, made + 2);
  s.stop(id);
  s.expect_exact(id);
}

// From states that are there, and from a beginning without any.
TEST_F(StreamEngineTest, ABranchHasItsParentsBlocksAndItsOwnPromptAndSeed) {
  for (const int64_t budget : {int64_t{1} << 30, int64_t{0}}) {
    const Served s({.snapshot_bytes = budget});
    const std::string id = s.create(2.0);
    const StreamView parent = s.wait_status(id, StreamStatus::kCompleted);
    const Config& config = parent.record.order.config;
    const std::string branch = s.engine->branch(id, {.at = block_seconds(config, 5) + 0.01,
                                                     .prompt = kBlue,
                                                     .on_switch = PromptSwitch::kRecache,
                                                     .seed = 77,
                                                     .seconds = 2.0});
    s.wait_status(branch, StreamStatus::kWaiting);
    s.engine->played(branch, 2.0);
    const StreamView view = s.wait_status(branch, StreamStatus::kCompleted);
    EXPECT_EQ(view.record.branch_block, 5);
    EXPECT_EQ(view.record.parent, id);
    s.expect_exact(branch);
    const VideoDifference difference = compare_videos(s.download(id), s.download(branch));
    EXPECT_EQ(difference.first_picture, pictures_for(5, config)) << "the first frame after the branch";
    const std::string first = s.engine->branch(id, {.at = 0, .seed = 5, .seconds = 0.5});  // nothing is shared
    s.engine->played(first, 2.0);
    s.wait_status(first, StreamStatus::kCompleted);
    s.expect_exact(first);
  }
}

TEST_F(StreamEngineTest, ABranchWithoutAPromptKeepsWhatItsParentHadPlanned) {
  const Served s;
  const std::string id =
      s.engine->create({.wishes = {.prompts = {{0, kRed}, {1.0, kBlue, PromptSwitch::kRecache}}, .seed = 3},
                        .seconds = 2.0,
                        .is_live = false});
  s.wait_status(id, StreamStatus::kCompleted);
  const std::string same = s.engine->branch(id, {.at = 0.5, .seconds = 2.0});
  EXPECT_EQ(s.engine->view(same).record.order.prompts.size(), 2u);
  s.engine->played(same, 2.0);
  s.wait_status(same, StreamStatus::kCompleted);
  EXPECT_TRUE(compare_videos(s.download(id), s.download(same)).is_identical());
  const std::string own = s.engine->branch(id, {.at = 0.5, .prompt = kRed, .seconds = 2.0});  // the control
  EXPECT_EQ(s.engine->view(own).record.order.prompts.size(), 2u);
  EXPECT_EQ(s.engine->view(own).record.order.prompts.back().prompt, kRed);
}

// After a stop the state is on disk; after a kill, which the removed state stands for, the blocks are made again.
TEST_F(StreamEngineTest, ARestartedServerContinuesExactly) {
  for (const bool keeps_state : {true, false}) {
    Served s;
    const std::string id = s.create({}, /*is_live=*/true, /*ahead=*/2);
    s.wait_status(id, StreamStatus::kWaiting);
    s.engine->direct(id, kBlue, PromptSwitch::kRecache, {});
    s.engine->played(id, 0.5);
    s.wait_blocks(id, 4);
    s.engine.reset();
    const fs::path state = s.folder / "sessions" / "streams" / id / "state.safetensors";
    EXPECT_TRUE(fs::exists(state));
    if (!keeps_state) fs::remove(state);
    s.start();
    const StreamView saved = s.engine->view(id);
    EXPECT_EQ(saved.status, StreamStatus::kSaved);
    EXPECT_GE(saved.made, 4);
    s.engine->resume(id);
    s.engine->played(id, 2.0);
    s.wait_blocks(id, saved.made + 3);
    s.stop(id);
    s.expect_exact(id);
  }
}

TEST_F(StreamEngineTest, ADamagedStateIsRecomputed) {
  Served s;
  const std::string id = s.create_endless();
  s.wait_blocks(id, 4);
  s.engine.reset();
  const fs::path state = s.folder / "sessions" / "streams" / id / "state.safetensors";
  std::fstream(state, std::ios::in | std::ios::out | std::ios::binary).seekp(-9, std::ios::end) << 'x';
  s.start();
  const int64_t made = s.engine->view(id).made;
  s.engine->resume(id);
  s.wait_blocks(id, made + 2);
  s.stop(id);
  s.expect_exact(id);
}

TEST_F(StreamEngineTest, StreamsTakeTurnsAndOthersWaitForAPlace) {
  const Served s({.loaded_streams = 2});
  std::vector<std::string> ids;
  for (int64_t seed = 0; seed < 4; ++seed) ids.push_back(s.create_endless(seed));
  s.wait_blocks(ids[1], 1);
  const int64_t other = s.engine->view(ids[1]).made, made = s.engine->view(ids[0]).made;
  s.wait_blocks(ids[0], made + 5);
  EXPECT_GE(s.engine->view(ids[1]).made, other + 4) << "a block each";
  EXPECT_EQ(s.engine->view(ids[2]).status, StreamStatus::kQueued);
  EXPECT_EQ(s.engine->view(ids[2]).queue_place, 1);
  EXPECT_EQ(s.engine->view(ids[3]).queue_place, 2);
  for (const std::string& id : ids) {
    s.wait_blocks(id, 2);
    s.stop(id);
    s.expect_exact(id);
  }
  for (int i = 0; i < 6000 && s.engine->totals().loaded > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(s.engine->totals().loaded, 0);
}

TEST_F(StreamEngineTest, APausedStreamGivesItsPlaceToOneThatWaits) {
  const Served s({.loaded_streams = 1});
  const std::string first = s.create_endless(), second = s.create(1.0, false, 0, 9);
  s.wait_blocks(first, 2);
  EXPECT_EQ(s.engine->view(second).status, StreamStatus::kQueued) << "the control";
  s.engine->pause(first);
  s.wait_status(second, StreamStatus::kCompleted);
  const int64_t made = s.engine->view(first).made;
  s.engine->resume(first);
  s.wait_blocks(first, made + 2);
  s.stop(first);
  s.expect_exact(first);
  s.expect_exact(second);
}

TEST_F(StreamEngineTest, APairIsStreamedInStep) {
  const Served s({}, /*models=*/2);
  const std::string id =
      s.engine->create({.wishes = {.prompts = {{0, kRed}}, .seed = 3}, .is_live = true, .ahead = 3, .beside = true});
  const std::string pair = s.engine->view(id).record.pair;
  s.wait_status(id, StreamStatus::kWaiting);
  EXPECT_EQ(s.engine->view(pair).record.order.config.run.seed, 3);
  s.engine->direct(id, kBlue, {}, {});
  EXPECT_EQ(s.engine->view(pair).record.order.prompts, s.engine->view(id).record.order.prompts);
  s.engine->played(pair, 1.0);
  s.wait_blocks(id, 6);
  const std::vector<StreamView> both = s.engine->views();  // at one moment
  EXPECT_LE(std::abs(both.at(0).made - both.at(1).made), 2);
  s.engine->stop(pair);
  s.wait_status(id, StreamStatus::kStopped);
  s.wait_status(pair, StreamStatus::kStopped);
  s.expect_exact(id);
  s.expect_exact(pair);
}

TEST_F(StreamEngineTest, RefusesWhatCannotBe) {
  const Served s({.most_streams = 1});
  const auto ask = [&](const StreamWishes& wishes) {
    return refusal_of([&] { s.engine->create({.wishes = wishes, .seconds = 1.0, .is_live = false}); });
  };
  EXPECT_THAT(ask({.prompts = {{0, "a purple elephant"}}}), HasSubstr("purple"));
  EXPECT_THAT(ask({.prompts = {{0, kRed}}, .size = PictureSize{7, 9}}), HasSubstr("multiples"));
  EXPECT_THAT(ask({.prompts = {{0, kRed}}, .steps = 5000}), HasSubstr("5000"));
  EXPECT_THAT(ask({.prompts = {{0, kRed}, {0, kBlue}}}), HasSubstr("order of time"));
  EXPECT_THAT(refusal_of([&] { s.engine->view("s-0099"); }), HasSubstr("s-0099"));
  EXPECT_THAT(refusal_of([&] {
                s.engine->create({.wishes = {.prompts = {{0, kRed}}}, .beside = true});
              }),
              HasSubstr("one model"));
  const std::string id = s.create({}, true, 2);
  EXPECT_THAT(refusal_of([&] { s.create(1.0); }), HasSubstr("limit"));
  s.engine->stop(id);
  EXPECT_THAT(refusal_of([&] { s.engine->direct(id, kBlue, {}, {}); }), HasSubstr("stopped"));
  s.wait_status(s.create(1.0), StreamStatus::kCompleted);  // the control
}

TEST_F(StreamEngineTest, ADeletedStreamLeavesNothingAndItsBranchStays) {
  const Served s;
  const std::string id = s.create(2.0);
  s.wait_blocks(id, 4);
  const std::string branch = s.engine->branch(id, {.at = 0.3, .prompt = kBlue, .seconds = 1.0});
  s.engine->remove(id);
  EXPECT_THAT(refusal_of([&] { s.engine->view(id); }), HasSubstr("does not exist"));
  s.engine->played(branch, 2.0);
  s.wait_status(branch, StreamStatus::kCompleted);
  s.expect_exact(branch);
  s.expect_gone(id);
}

TEST_F(StreamEngineTest, ADeletedStreamGoesWhileOthersAreMade) {
  const Served s;
  const std::string busy = s.create_endless(), id = s.create(0.5);
  s.wait_status(id, StreamStatus::kCompleted);
  s.engine->remove(id);
  s.expect_gone(id);
  EXPECT_EQ(s.engine->view(busy).status, StreamStatus::kRunning) << "the control: it never had nothing to do";
}

TEST_F(StreamEngineTest, NothingIsMadeBeyondTheLimitOfTheDisk) {
  const Served s({.disk_bytes = 60'000});
  const std::string id = s.create(60.0);
  EXPECT_THAT(s.wait_status(id, StreamStatus::kFailed).error, HasSubstr("--disk"));
  EXPECT_THAT(refusal_of([&] { s.create(1.0); }), HasSubstr("limit"));
  s.expect_exact(id);
  s.engine->remove(id);
  s.expect_gone(id);
  s.wait_status(s.create(0.3), StreamStatus::kCompleted);  // the control
}

TEST_F(StreamEngineTest, AStreamThatNobodyWatchesIsStopped) {
  const Served s({.idle = std::chrono::seconds(1)});
  const std::string id = s.create({}, /*is_live=*/true, /*ahead=*/2);
  EXPECT_LE(s.wait_status(id, StreamStatus::kStopped).made, 3);
  s.wait(id, [&](const StreamView& v) {  // a viewer, on a machine that may stand still for longer than a second
    if (v.status == StreamStatus::kStopped) s.engine->resume(id);
    s.engine->played(id, 1.0);
    return v.made >= 5;
  });
  s.wait_status(id, StreamStatus::kStopped);
  s.expect_exact(id);
}

}  // namespace
}  // namespace sgf

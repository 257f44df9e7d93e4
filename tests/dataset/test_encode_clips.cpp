// Videos to clips and clips to runs: what a folder holds, how making goes on, who gets which clip, exact resume.
#include "sgf/dataset/encode_clips.h"

#include "sgf/assembly/start_file.h"
#include "sgf/dataset/clip_reader.h"
#include "sgf/dataset/clip_shards.h"
#include "sgf/dataset/clip_text.h"
#include "sgf/dataset/pair_manifest.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/sha256.h"
#include "sgf/files/tensors.h"
#include "sgf/media/png.h"
#include "sgf/training/distributed/sample_share.h"
#include "sgf/training/make_pairs.h"
#include "sgf/world/codec.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/small_run.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::small_run;
using testing::TemporaryFolder;
using testing::train;

constexpr int64_t kSide = 16, kClipFrames = 6, kTextLen = 5, kTextDim = 32;

// A row a letter, as far as they fit; the empty prompt has one of its own. Counts what it is asked.
class LetterEncoder final : public PromptEncoder {
 public:
  int64_t text_len() const override { return kTextLen; }
  int64_t text_dim() const override { return kTextDim; }
  std::vector<EncodedPrompt> encode(const std::vector<std::string>& cleaned) const override {
    std::vector<EncodedPrompt> all;
    for (const std::string& prompt : cleaned) {
      const std::string text = prompt.empty() ? "0" : prompt.substr(0, kTextLen);
      at::Tensor rows = at::empty({static_cast<int64_t>(text.size()), kTextDim});
      for (size_t i = 0; i < text.size(); ++i) rows[static_cast<int64_t>(i)].fill_(static_cast<double>(text[i]) / 100);
      all.push_back({rows, 0});
      ++encoded;
    }
    return all;
  }
  mutable int64_t encoded = 0;
};

// Pictures of one grey each, `first` and one more a picture.
void write_pictures(const fs::path& folder, int64_t count, uint8_t first, int64_t side = kSide) {
  fs::create_directories(folder);
  for (int64_t i = 0; i < count; ++i)
    write_png(
        folder / fmt::format("frame_{:05}.png", i),
        {side, side, std::vector<uint8_t>(static_cast<size_t>(3 * side * side), static_cast<uint8_t>(first + i))});
}

class EncodedVideos : public ::testing::Test {
 protected:
  void SetUp() override {
    write_pictures(folder_ / "videos/short", kClipFrames, 10);
    write_pictures(folder_ / "videos/long", 3 * kClipFrames + 2, 100);
    write_pictures(folder_ / "videos/large", kClipFrames, 200, 2 * kSide);
    std::ofstream(captions()) << "file,caption\nshort,aa\nlong,bb\nlarge,cc\n";
  }

  fs::path captions() const { return folder_ / "captions.csv"; }
  EncodeRequest request(const std::string& out = "clips") const {
    return {.videos = folder_ / "videos",
            .captions = captions(),
            .out = folder_ / out,
            .cut = {.frames = kClipFrames, .height = kSide, .width = kSide, .fps = 16, .stride = kClipFrames},
            .negative_prompt = "no",
            .vae = "world",
            .text_encoder = "letters",
            .dtype = "float32",
            .progress = ProgressMode::kQuiet};
  }
  EncodeResult encode(const EncodeRequest& r) const { return encode_clips(r, codec_, text_); }
  std::string hash(const std::string& out, const std::string& video) const {
    return sha256_of_file(clip_shard(folder_ / out, video));
  }

  TemporaryFolder folder_;
  WorldCodec codec_{world_preset("world-tiny")};
  LetterEncoder text_;
};

TEST_F(EncodedVideos, AreClipsOfTheirPicturesWithTheRowsOfTheirCaptions) {
  const EncodeResult result = encode(request());
  EXPECT_EQ(result.clips, 5);  // three of the long one, the rest of it is too short
  EXPECT_TRUE(result.left_out.empty());
  const ClipShards shards(folder_ / "clips", 1);
  EXPECT_EQ(shards.order().latent, std::vector<int64_t>({6, 12, 8, 8}));
  const ClipBatch epoch = shards.clips(0, 5, kClipFrames, at::kCPU);
  std::map<int64_t, std::string> caption_of_first_grey;
  for (int64_t i = 0; i < 5; ++i) {
    const double grey = codec_.decode(epoch.latents[i].unsqueeze(0))[0][0].mean().item<double>() * 255;
    caption_of_first_grey[std::llround(grey)] = epoch.captions[static_cast<size_t>(i)];
  }
  EXPECT_EQ(caption_of_first_grey,
            (std::map<int64_t, std::string>{{10, "aa"}, {100, "bb"}, {106, "bb"}, {112, "bb"}, {200, "cc"}}));
  EXPECT_TRUE(at::equal(*shards.text_rows("bb"), text_.encode({"bb"})[0].rows));
  EXPECT_TRUE(at::equal(*shards.text_rows(""), text_.encode({""})[0].rows));
  EXPECT_TRUE(at::equal(*shards.text_rows("no"), text_.encode({"no"})[0].rows));
  EXPECT_FALSE(shards.text_rows("dd").has_value());
}

TEST_F(EncodedVideos, WithoutAStrideGiveTheirBeginnings) {
  EncodeRequest r = request();
  r.cut.stride = 0;
  EXPECT_EQ(encode(r).clips, 3);
  r.out = folder_ / "overlapping";
  r.cut.stride = 2;
  EXPECT_EQ(encode(r).clips, 1 + 8 + 1);
}

TEST_F(EncodedVideos, ThatAreBadAreNamedWithTheReasonAndTheRestGoesOn) {
  write_pictures(folder_ / "videos/tiny", 3, 0);
  fs::create_directories(folder_ / "videos/broken");
  std::ofstream(folder_ / "videos/broken/frame_00000.png") << "no picture";
  write_pictures(folder_ / "videos/mute", kClipFrames, 0);
  std::ofstream(captions(), std::ios::app) << "tiny,dd\nbroken,ee\nnowhere,ff\n";
  std::vector<std::string> said;
  EncodeRequest r = request();
  r.say = [&](const std::string& line) { said.push_back(line); };
  const EncodeResult result = encode(r);
  EXPECT_THAT(said, ElementsAre(HasSubstr("1 video has no caption and is skipped: mute"),
                                HasSubstr("1 caption has no video: nowhere")));
  ASSERT_EQ(result.left_out.size(), 3U);
  EXPECT_THAT(result.left_out[0].problem, HasSubstr("frame_00000.png"));
  EXPECT_EQ(result.left_out[1].problem, "no caption");
  EXPECT_THAT(result.left_out[2].problem, HasSubstr("too short: 3 frames at 16 per second, but a clip has 6"));
  EXPECT_EQ(read_clip_manifest(folder_ / "clips").clips(), 5);
  // Known to be bad: not tried again, and said again.
  const EncodeResult again = encode(r);
  EXPECT_EQ(again.made, 0);
  EXPECT_EQ(again.left_out.size(), 3U);
  r.retry = true;
  const EncodeResult retried = encode(r);
  EXPECT_EQ(retried.made, 0);  // tried, and bad still
  EXPECT_EQ(retried.left_out.size(), 3U);
}

TEST_F(EncodedVideos, GoOnAfterAKillWithTheSameBytes) {
  encode(request());
  const std::string shorts = hash("clips", "short"), longs = hash("clips", "long");
  fs::remove(clip_mark(folder_ / "clips", "short"));                  // killed before the mark
  fs::resize_file(clip_shard(folder_ / "clips", "long"), 100);        // a disk that lost something
  std::ofstream(clip_mark(folder_ / "clips", "large")) << "{\"form";  // and a torn mark
  fs::remove(manifest_file(folder_ / "clips"));
  EXPECT_THAT(refusal_of([&] { ClipShards(folder_ / "clips", 1); }), HasSubstr("not all videos are encoded yet"));
  EXPECT_EQ(encode(request()).made, 3);
  EXPECT_EQ(hash("clips", "short"), shorts);
  EXPECT_EQ(hash("clips", "long"), longs);
  EXPECT_EQ(encode(request()).made, 0);
}

// Hands out latents that are counted while anybody holds them.
class CountingCodec final : public VideoCodec {
 public:
  explicit CountingCodec(const VideoCodec& codec) : codec_(codec) {}
  int64_t latent_channels() const override { return codec_.latent_channels(); }
  int64_t spatial_factor() const override { return codec_.spatial_factor(); }
  int64_t latent_frames(int64_t frames) const override { return codec_.latent_frames(frames); }
  int64_t picture_frames(int64_t latents) const override { return codec_.picture_frames(latents); }
  at::Tensor encode(const at::Tensor& video) const override {
    at::Tensor latents = codec_.encode(video).contiguous();
    most_held = std::max(most_held, ++held);
    const auto let_go = [this, latents](void*) { --held; };
    return at::from_blob(latents.data_ptr(), latents.sizes(), let_go, latents.options());
  }
  at::Tensor decode(const at::Tensor& latents) const override { return codec_.decode(latents); }
  std::unique_ptr<DecoderStream> stream_decoder() const override { return codec_.stream_decoder(); }
  std::unique_ptr<EncoderStream> stream_encoder() const override { return codec_.stream_encoder(); }
  mutable int held = 0, most_held = 0;

 private:
  const VideoCodec& codec_;
};

TEST_F(EncodedVideos, AreHeldAClipAtATimeHoweverLongTheyAre) {
  write_pictures(folder_ / "videos/long", 20 * kClipFrames, 100);
  const CountingCodec codec(codec_);
  EXPECT_EQ(encode_clips(request(), codec, text_).clips, 22);
  EXPECT_EQ(codec.most_held, 1);
  EXPECT_EQ(codec.held, 0);
}

TEST_F(EncodedVideos, LeaveNoHalfShardsOfAKillBehind) {
  const fs::path half = folder_ / ("clips/." + clip_shard("", "long").string() + ".123-0.tmp");
  encode(request());
  fs::remove(clip_mark(folder_ / "clips", "long"));
  std::ofstream(half) << "half";
  AtomicFile others(clip_shard(folder_ / "clips", "elsewhere"));  // another worker is writing it just now
  EXPECT_EQ(encode(request()).made, 1);
  EXPECT_FALSE(fs::exists(half));
  EXPECT_NO_THROW(others.commit());
}

TEST_F(EncodedVideos, ThatWereTamperedWithAreRefusedWhenTheyAreRead) {
  encode(request());
  std::fstream shard(clip_shard(folder_ / "clips", "short"), std::ios::in | std::ios::out | std::ios::binary);
  shard.seekp(-3, std::ios::end);
  shard << 'x';
  shard.close();
  const ClipShards shards(folder_ / "clips", 1);
  EXPECT_NO_THROW(shards.text_rows("bb"));  // of another one
  EXPECT_THAT(refusal_of([&] { shards.clips(0, 5, 1, at::kCPU); }),
              HasSubstr("the shard of short does not match the manifest"));
}

TEST_F(EncodedVideos, DamagedPromptsAreEncodedAgain) {
  encode(request());
  const fs::path prompts = prompts_shard(folder_ / "clips");
  const std::string before = sha256_of_file(prompts);
  const auto flip_last_byte = [&] {
    std::fstream file(prompts, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file << '\x7f';
  };
  const auto clear = [&] { std::ofstream(prompts, std::ios::trunc); };
  for (const std::function<void()>& damage : {std::function<void()>(flip_last_byte), std::function<void()>(clear)}) {
    damage();
    EXPECT_NE(sha256_of_file(prompts), before);
    encode(request());
    EXPECT_EQ(sha256_of_file(prompts), before);
    EXPECT_EQ(read_clip_manifest(folder_ / "clips").prompts_sha256, before);
  }
}

TEST_F(EncodedVideos, AreEncodedAgainWhereTheyChangedAndOnlyThere) {
  encode(request());
  const std::string identity = clip_identity(read_clip_manifest(folder_ / "clips"));
  const std::string before = hash("clips", "short");
  write_pictures(folder_ / "videos/short", kClipFrames, 11);  // as many bytes, or nearly
  EXPECT_EQ(encode(request()).made, 1);
  EXPECT_NE(hash("clips", "short"), before);
  EXPECT_NE(clip_identity(read_clip_manifest(folder_ / "clips")), identity);
  write_pictures(folder_ / "videos/short", kClipFrames, 10);
  EXPECT_EQ(encode(request()).made, 1);
  EXPECT_EQ(clip_identity(read_clip_manifest(folder_ / "clips")), identity);
}

TEST_F(EncodedVideos, OfAnotherTimeButTheSameBytesStay) {
  encode(request());
  for (const auto& entry : fs::directory_iterator(folder_ / "videos/short"))
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(encode(request()).made, 0);
}

TEST_F(EncodedVideos, AreHashedAgainWhenAsked) {
  encode(request());
  std::fstream shard(clip_shard(folder_ / "clips", "short"), std::ios::in | std::ios::out | std::ios::binary);
  shard.seekp(-3, std::ios::end);
  shard << 'x';
  shard.close();
  EXPECT_EQ(encode(request()).made, 0);  // the size is right
  EncodeRequest r = request();
  r.check_all = true;
  EXPECT_EQ(encode(r).made, 1);
}

TEST_F(EncodedVideos, ANewCaptionCostsItsEmbeddingAlone) {
  encode(request());
  const at::Tensor before = map_tensor(open_tensor_file(clip_shard(folder_ / "clips", "short")), "latents").clone();
  std::ofstream(captions()) << "file,caption\nshort,xx\nlong,bb\nlarge,cc\n";
  // Pictures that nobody reads: their time is put back.
  const fs::path picture = folder_ / "videos/short/frame_00003.png";
  const auto time = fs::last_write_time(picture);
  const auto bytes = fs::file_size(picture);
  std::ofstream(picture) << std::string(bytes, 'x');
  fs::last_write_time(picture, time);
  EXPECT_EQ(encode(request()).made, 1);
  const TensorFile shard = open_tensor_file(clip_shard(folder_ / "clips", "short"));
  EXPECT_TRUE(at::equal(map_tensor(shard, "latents"), before));
  EXPECT_TRUE(at::equal(map_tensor(shard, "text"), text_.encode({"xx"})[0].rows));
}

TEST_F(EncodedVideos, AreMadeByManyWorkersAsByOne) {
  encode(request());
  for (const int64_t worker : {1, 0}) {
    EncodeRequest part = request("parts");
    part.worker = worker;
    part.workers = 2;
    EXPECT_EQ(encode(part).made, worker == 0 ? 2 : 1);
    EXPECT_EQ(fs::exists(manifest_file(folder_ / "parts")), worker == 0);  // the last one writes it
  }
  EXPECT_EQ(clip_identity(read_clip_manifest(folder_ / "parts")), clip_identity(read_clip_manifest(folder_ / "clips")));
}

TEST_F(EncodedVideos, OfAnotherOrderAreRefusedByWhatDiffers) {
  encode(request());
  EncodeRequest r = request();
  r.cut.fps = 24;
  EXPECT_THAT(refusal_of([&] { encode(r); }), HasSubstr("fps is 16.0 in order.json, 24.0 in this command"));
  r.out = folder_ / "videos";
  EXPECT_THAT(refusal_of([&] { encode(r); }), HasSubstr("files that are not clips"));
  r.cut.height = 15;
  EXPECT_THAT(refusal_of([&] { encode(r); }), HasSubstr("multiples of 2"));
}

// The sampler: places of an endless run.
TEST_F(EncodedVideos, ComeOnceAnEpochInAnOrderOfSeedAndEpochAlone) {
  encode(request());
  const ClipShards shards(folder_ / "clips", 1);
  std::vector<at::Tensor> epochs;
  for (int64_t epoch = 0; epoch < 8; ++epoch) {
    epochs.push_back(shards.clips(epoch * 5, 5, 1, at::kCPU).latents);
    std::set<double> seen;
    for (int64_t i = 0; i < 5; ++i) seen.insert(epochs.back()[i].sum().item<double>());
    EXPECT_EQ(seen.size(), 5U);
    // Whoever asks, in what portions: ranks that share out the places share out the clips.
    EXPECT_TRUE(at::equal(shards.clips(epoch * 5 + 3, 2, 1, at::kCPU).latents, epochs.back().slice(0, 3)));
    EXPECT_TRUE(at::equal(ClipShards(folder_ / "clips", 1).clips(epoch * 5, 5, 1, at::kCPU).latents, epochs.back()));
  }
  const auto differs = [&](const at::Tensor& other) { return !at::equal(other, epochs[0]); };
  EXPECT_TRUE(std::any_of(epochs.begin() + 1, epochs.end(), differs));
  bool differs_by_seed = false;
  for (uint64_t seed = 2; seed < 8; ++seed)
    differs_by_seed |= differs(ClipShards(folder_ / "clips", seed).clips(0, 5, 1, at::kCPU).latents);
  EXPECT_TRUE(differs_by_seed);
}

// Five updates of three samples are three epochs of five clips, whoever runs which sample.
TEST_F(EncodedVideos, AreSharedOutAmongRanksWithoutOverlap) {
  encode(request());
  constexpr int64_t kRanks = 2, kBatch = 3, kSteps = 5;
  std::map<double, int> times;
  for (int64_t rank = 0; rank < kRanks; ++rank) {
    const ClipShards shards(folder_ / "clips", 7);  // each rank has its own
    const SampleShare share = share_of(kBatch, kRanks, rank);
    for (int64_t step = 0; step < kSteps; ++step) {
      const at::Tensor clips = shards.clips(step * kBatch + share.first, share.count, 1, at::kCPU).latents;
      for (int64_t i = 0; i < share.count; ++i) ++times[clips[i].sum().item<double>()];
    }
  }
  ASSERT_EQ(times.size(), 5U);
  for (const auto& [clip, count] : times) EXPECT_EQ(count, 3);
}

TEST_F(EncodedVideos, HaveNoRowsForOtherPromptsUnlessAnEncoderStandsBeside) {
  encode(request());
  const auto shards = std::make_shared<ClipShards>(folder_ / "clips", 1);
  const ClipText text(shards, at::kDouble);
  const at::Tensor rows = text.encode({"aa", ""});
  EXPECT_EQ(rows.sizes(), at::IntArrayRef({2, kTextLen, kTextDim}));
  EXPECT_EQ(rows[0][2].abs().max().item<double>(), 0);  // padded
  EXPECT_THAT(refusal_of([&] { text.encode({"dd"}); }), HasSubstr("no embedding of 'dd'; set data.wan"));
}

Config run_on(const fs::path& clips, StageChoice stage) {
  Config c = small_run(stage, 8);
  c.data.world.clear();
  c.data.clips = clips.string();
  c.model.text_len = kTextLen;
  c.video.frames = kClipFrames;
  c.negative_prompt = "no";
  return c;
}

std::string metrics_of(const fs::path& run) {
  std::ifstream file(run / "metrics.jsonl", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class EveryClipStage : public EncodedVideos, public ::testing::WithParamInterface<StageChoice> {
 protected:
  Config config() const {
    Config c = run_on(folder_ / "clips", GetParam());
    if (GetParam() == StageChoice::kCausalCd)
      c.train.start_from = c.distil.teacher = find_start_file(folder_ / "teacher").path.string();
    if (GetParam() != StageChoice::kCausalOde) return c;
    c.train.start_from = (folder_ / "teacher").string();
    c.data.pairs = (folder_ / "pairs").string();
    return c;
  }
  // Paths that the clips lead, for the stage that learns them.
  void trace_paths() const {
    if (GetParam() != StageChoice::kCausalOde) return;
    const PairResult made = make_pairs({.config = config(),
                                        .teacher = find_start_file(folder_ / "teacher").path.string(),
                                        .out = folder_ / "pairs",
                                        .count = 5,
                                        .per_shard = 2,
                                        .steps = 8,
                                        .progress = ProgressMode::kQuiet});
    EXPECT_EQ(made.made, 3);
  }
};

// Three steps stop in the middle of the second epoch.
TEST_P(EveryClipStage, GoesOnWithTheClipsItWouldHaveMetBitForBit) {
  encode(request());
  train(run_on(folder_ / "clips", StageChoice::kTeacherForcing), folder_ / "teacher");
  trace_paths();
  EXPECT_EQ(train(config(), folder_ / "whole").end, TrainEnd::kDone);
  EXPECT_EQ(train(config(), folder_ / "parts", false, 3).end, TrainEnd::kStopped);
  EXPECT_EQ(train(config(), folder_ / "parts", true).steps_done, 8);
  EXPECT_EQ(metrics_of(folder_ / "whole"), metrics_of(folder_ / "parts"));
  const std::string weights = "checkpoints/step_00000008/generator.safetensors";
  EXPECT_EQ(sha256_of_file(folder_ / ("whole/" + weights)), sha256_of_file(folder_ / ("parts/" + weights)));
  Config other = config();
  other.run.seed = 2;
  train(other, folder_ / "other");  // the control
  EXPECT_NE(metrics_of(folder_ / "whole"), metrics_of(folder_ / "other"));
}

INSTANTIATE_TEST_SUITE_P(Stages, EveryClipStage,
                         ::testing::Values(StageChoice::kFlowMatching, StageChoice::kTeacherForcing,
                                           StageChoice::kCausalCd, StageChoice::kCausalOde),
                         [](const auto& stage) { return std::string(enum_name(stage.param)); });

TEST_F(EncodedVideos, LeadThePathsOfTheirNumbersUnderTheirCaptions) {
  encode(request());
  train(run_on(folder_ / "clips", StageChoice::kTeacherForcing), folder_ / "teacher");
  Config c = run_on(folder_ / "clips", StageChoice::kCausalOde);
  c.data.pairs = (folder_ / "pairs").string();
  make_pairs({.config = c,
              .teacher = find_start_file(folder_ / "teacher").path.string(),
              .out = folder_ / "pairs",
              .count = 5,
              .steps = 8,
              .progress = ProgressMode::kQuiet});
  const TensorFile shard = open_tensor_file(shard_file(folder_ / "pairs", 0));
  const ClipBatch clips =
      ClipShards(folder_ / "clips", static_cast<uint64_t>(c.run.seed)).clips(0, 5, kClipFrames, at::kCPU);
  EXPECT_TRUE(at::equal(map_tensor(shard, "data"), clips.latents));
  EXPECT_EQ(nlohmann::json::parse(shard.metadata.at("captions")), nlohmann::json(clips.captions));
}

TEST_F(EncodedVideos, ThatChangedAreNotGoneOnWithWhileAMovedFolderIs) {
  encode(request());
  const Config c = run_on(folder_ / "clips", StageChoice::kFlowMatching);
  train(c, folder_ / "run", false, 3);
  fs::rename(folder_ / "clips", folder_ / "moved");
  EXPECT_EQ(train(run_on(folder_ / "moved", StageChoice::kFlowMatching), folder_ / "run", true, 2).steps_done, 5);
  write_pictures(folder_ / "videos/short", kClipFrames, 50);
  encode(request("moved"));
  EXPECT_THAT(refusal_of([&] { train(run_on(folder_ / "moved", StageChoice::kFlowMatching), folder_ / "run", true); }),
              HasSubstr("data.clips: the run started with other content in"));
}

TEST_F(EncodedVideos, AreHeldAgainstTheNetwork) {
  encode(request());
  const auto refused = [&](const std::function<void(Config&)>& change) {
    Config c = run_on(folder_ / "clips", StageChoice::kFlowMatching);
    change(c);
    return refusal_of([&] { train(c, folder_ / "refused"); });
  };
  EXPECT_THAT(refused([](Config& c) { c.video.height = 4; }),
              HasSubstr("latents of [12, 8, 8], but this config needs [12, 4, 8]"));
  EXPECT_THAT(refused([](Config& c) { c.video.frames = 9; }),
              HasSubstr("clips have 6 latent frames, but video.frames is 9"));
  EXPECT_THAT(refused([](Config& c) { c.model.text_len = 7; }), HasSubstr("text embeddings of 5x32"));
  EXPECT_THAT(refused([](Config& c) { c.data.world = "world-tiny"; }), HasSubstr("leave one of them empty"));
  EXPECT_THAT(refused([](Config& c) { c.output.sample_every = 1; }), HasSubstr("set data.wan"));
  EXPECT_THAT(refused([](Config& c) { c.data.clips = "/nowhere"; }), HasSubstr("sgf data encode"));
}

}  // namespace
}  // namespace sgf

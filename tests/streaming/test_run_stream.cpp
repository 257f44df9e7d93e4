// Denoising, decoding and delivery beside one another give what they give in sequence, and end together.
#include "sgf/core/error.h"
#include "sgf/streaming/run_stream.h"
#include "sgf/world/codec.h"
#include "tests/core/refusal.h"
#include "tests/model/tiny_dit.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace sgf {
namespace {

using testing::draw;

// A network that speaks the tiny world's latents.
DitConfig world_config() {
  DitConfig config = testing::small_config(2, 2);
  config.in_dim = config.out_dim = 12;
  return config;
}

struct WorldStream {
  CausalDit dit{world_config(), random_dit_weights(world_config(), 4, at::kFloat)};
  WorldCodec codec{world_preset("world-tiny")};
  StreamSettings settings{.latents = {.policy = {.sink_frames = 3, .fifo_frames = 6},
                                      .positions = {PositionKind::kTopAligned, 12},
                                      .block_frames = 3,
                                      .first_block_frames = 3,
                                      .timesteps = {1000.0, 625.0},
                                      .latent = {12, 8, 8}},
                          .fps = 16,
                          .seed = 5};
  std::vector<StreamScene> scenes{{{0, "one"}, {draw(6, 0, {1, 4, 10}, at::kFloat), {}}},
                                  {{0.5, "other"}, {draw(6, 1, {1, 4, 10}, at::kFloat), {}}}};

  StreamSession session(const at::Tensor& given = {}) const {
    return StreamSession(dit, codec, settings, scenes, given);
  }
};

at::Tensor pictures_of(StreamSession& session, int64_t blocks) {
  std::vector<at::Tensor> pictures;
  for (int64_t i = 0; i < blocks; ++i) pictures.push_back(session.next().pictures[0]);
  return at::cat(pictures).clamp(0, 1).mul(255).add(0.5).floor().to(at::kByte);
}

TEST(StreamSession, ChangesThePromptAtTheFirstBlockOfItsTime) {
  WorldStream w;
  StreamSession both = w.session();
  const at::Tensor changing = pictures_of(both, 6);
  w.scenes.pop_back();
  StreamSession first = w.session();
  const at::Tensor constant = pictures_of(first, 6);
  // Half a second is frame 8: block [9, 12) is the first that begins after it.
  EXPECT_TRUE(at::equal(changing.slice(0, 0, 9), constant.slice(0, 0, 9)));
  EXPECT_FALSE(at::equal(changing.slice(0, 9, 12), constant.slice(0, 9, 12)));
}

TEST(StreamSession, BeginsWithWhatIsGiven) {
  const WorldStream w;
  const at::Tensor given = draw(7, 0, {1, 6, 12, 8, 8}, at::kFloat);
  StreamSession session = w.session(given);
  EXPECT_TRUE(at::equal(session.next().latents, given.slice(1, 0, 3)));
  EXPECT_TRUE(at::equal(session.next().latents, given.slice(1, 3, 6)));
  StreamSession without = w.session();
  without.next(), without.next();
  EXPECT_FALSE(at::equal(session.next().latents, without.next().latents));
}

TEST(RunStream, DeliversWhatTheSessionGivesInSequence) {
  const WorldStream w;
  StreamSession plain = w.session(), overlapped = w.session();
  const at::Tensor expected = pictures_of(plain, 8);
  std::vector<at::Tensor> delivered;
  const StreamSpeed speed =
      run_stream(overlapped.latents(), overlapped.decoder(), {.blocks = 8}, [&](const DeliveredBlock& block) {
        EXPECT_EQ(block.index, static_cast<int64_t>(delivered.size()));
        EXPECT_FALSE(block.snapshot.has_value());
        delivered.push_back(block.pictures.clone());
      });
  EXPECT_TRUE(at::equal(at::cat(delivered), expected));
  EXPECT_EQ(speed.blocks, 8);
  EXPECT_EQ(speed.pictures, 24);
  EXPECT_GT(speed.fps, 0);
  EXPECT_LE(speed.first_picture_s, speed.wall_s);
}

TEST(RunStream, GoesOnFromASnapshotBitForBit) {
  const WorldStream w;
  StreamSession whole = w.session(), part = w.session(), rest = w.session();
  const at::Tensor expected = pictures_of(whole, 9);
  std::optional<StreamSnapshot> snapshot;
  run_stream(part.latents(), part.decoder(), {.blocks = 7, .snapshot_every = 5}, [&](const DeliveredBlock& block) {
    if (block.snapshot) snapshot = block.snapshot;
  });
  ASSERT_TRUE(snapshot.has_value());
  rest.latents().restore(snapshot->latents);
  rest.decoder().restore(snapshot->decoder);
  EXPECT_EQ(rest.latents().blocks(), 5);
  std::vector<at::Tensor> delivered;
  run_stream(rest.latents(), rest.decoder(), {.blocks = 9},
             [&](const DeliveredBlock& block) { delivered.push_back(block.pictures.clone()); });
  EXPECT_TRUE(at::equal(at::cat(delivered), expected.slice(0, 15)));
}

TEST(RunStream, StopsWhenAskedAndTheLastBlockCanBeGoneOnFrom) {
  const WorldStream w;
  StreamSession session = w.session();
  int64_t last = -1;
  bool last_has_snapshot = false;
  run_stream(session.latents(), session.decoder(),
             {.blocks = 100, .should_stop = [&] { return session.latents().blocks() == 4; }},
             [&](const DeliveredBlock& block) {
               last = block.index;
               last_has_snapshot = block.snapshot.has_value();
             });
  EXPECT_EQ(last, 3);
  EXPECT_TRUE(last_has_snapshot);
}

TEST(RunStream, AnErrorOfDeliveryEndsItAll) {
  const WorldStream w;
  StreamSession session = w.session();
  const std::string message = refusal_of([&] {
    run_stream(session.latents(), session.decoder(), {.blocks = 1000},
               [&](const DeliveredBlock& block) { SGF_CHECK(block.index < 2, "no room for block {}", block.index); });
  });
  EXPECT_NE(message.find("no room for block 2"), std::string::npos);
  EXPECT_LT(session.latents().blocks(), 20);
}

TEST(RunStream, ANetworkThatRanAwayMakesNoVideo) {
  WorldStream w;
  DitWeights broken = random_dit_weights(world_config(), 4, at::kFloat);
  broken.head.weight.fill_(std::nan(""));
  w.dit = CausalDit(world_config(), broken);
  StreamSession session = w.session();
  int64_t delivered = 0;
  const std::string message = refusal_of([&] {
    run_stream(session.latents(), session.decoder(), {.blocks = 4}, [&](const DeliveredBlock&) { ++delivered; });
  });
  EXPECT_NE(message.find("block 1 has latents that are not finite"), std::string::npos);
  EXPECT_EQ(delivered, 0);
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

TEST(RunStream, NeedsNoMoreMemoryAfterAThousandBlocksThanAfterTwoHundred) {
  WorldStream w;
  w.settings.latents.latent = {12, 4, 4};
  StreamSession session = w.session();
  int64_t at_200 = 0, at_end = 0;
  run_stream(session.latents(), session.decoder(), {.blocks = 1000}, [&](const DeliveredBlock& block) {
    if (block.index == 200) at_200 = resident_bytes();
    at_end = resident_bytes();
  });
  EXPECT_LT(at_end - at_200, 2 << 20);
}

}  // namespace
}  // namespace sgf

// A stream of latents: the rollout's blocks, without end; its prompts change, and it can be saved.
#include "sgf/core/error.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/streaming/latent_stream.h"
#include "tests/model/tiny_dit.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::draw;
using testing::relative_l2;
using testing::small_config;

constexpr std::array<int64_t, 3> kLatent{3, 4, 6};

struct Streamed {
  CausalDit dit{small_config(2, 2), random_dit_weights(small_config(2, 2), 4, at::kFloat)};
  StreamText text{draw(6, 0, {1, 4, 10}, at::kFloat), draw(6, 1, {1, 4, 10}, at::kFloat)};
  StreamText other{draw(6, 2, {1, 4, 10}, at::kFloat), draw(6, 1, {1, 4, 10}, at::kFloat)};
  LatentStreamSettings settings{.policy = {.sink_frames = 3, .fifo_frames = 6},
                                .positions = {PositionKind::kTopAligned, 12},
                                .block_frames = 3,
                                .first_block_frames = 3,
                                .timesteps = {1000.0, 937.5, 625.0},
                                .latent = kLatent};

  LatentStream stream(uint64_t seed = 8) const {
    return LatentStream(dit, settings, sample_noise(seed, 1, kLatent, at::kFloat), text);
  }
};

at::Tensor blocks_of(LatentStream& stream, int64_t count) {
  std::vector<at::Tensor> blocks;
  for (int64_t i = 0; i < count; ++i) blocks.push_back(stream.next());
  return at::cat(blocks, 1);
}

at::Tensor rolled_out(const Streamed& s, int64_t frames, uint64_t seed = 8) {
  const RolloutSettings settings{
      s.settings.policy,    BlockLayout(frames, s.settings.block_frames, s.settings.first_block_frames),
      s.settings.timesteps, CacheLatents::kExit,
      s.settings.positions,
      /*sigma=*/{},
      /*context_sigma=*/0,  s.settings.first_timesteps};
  return roll_out(s.dit, s.dit.prepare(s.text.cond), settings, static_cast<int64_t>(s.settings.timesteps.size()),
                  sample_noise(seed, 1, kLatent, at::kFloat))
      .prediction;
}

struct StreamCase {
  ContextPolicy policy;
  PositionRule positions;
  int64_t block, first;
};

class StreamedRollout : public ::testing::TestWithParam<StreamCase> {};

TEST_P(StreamedRollout, IsPassOneBitForBit) {
  Streamed s;
  s.settings.policy = GetParam().policy;
  s.settings.positions = GetParam().positions;
  s.settings.block_frames = GetParam().block;
  s.settings.first_block_frames = GetParam().first;
  const int64_t count = 1 + (21 - GetParam().first) / GetParam().block;
  LatentStream stream = s.stream();
  const at::Tensor streamed = blocks_of(stream, count);
  EXPECT_TRUE(at::equal(streamed, rolled_out(s, streamed.size(1))));
  EXPECT_FALSE(at::equal(streamed, rolled_out(s, streamed.size(1), /*seed=*/9)));
}

INSTANTIATE_TEST_SUITE_P(Policies, StreamedRollout,
                         ::testing::Values(StreamCase{{3, 6}, {PositionKind::kTopAligned, 12}, 3, 3},
                                           StreamCase{{4, 16}, {PositionKind::kTopAligned, 21}, 1, 1},
                                           StreamCase{{4, 16}, {PositionKind::kAbsolute}, 1, 1},
                                           StreamCase{{2, 5}, {PositionKind::kContiguous}, 4, 1},
                                           StreamCase{{0, 3}, {PositionKind::kContiguous}, 3, 3}));

TEST(LatentStream, AFirstBlockWithStepsOfItsOwnIsThatOfPassOneToo) {
  Streamed s;
  LatentStream usual = s.stream();
  const at::Tensor without = blocks_of(usual, 3);
  s.settings.first_timesteps = {1000.0, 900.0};
  LatentStream stream = s.stream();
  const at::Tensor streamed = blocks_of(stream, 3);
  EXPECT_TRUE(at::equal(streamed, rolled_out(s, 9)));
  for (int64_t block = 0; block < 3; ++block)  // the first by its steps, the others by what they see
    EXPECT_FALSE(at::equal(streamed.slice(1, 3 * block, 3 * block + 3), without.slice(1, 3 * block, 3 * block + 3)));
  LatentStream from_given = s.stream();  // a given first block is not denoised: only later steps count
  s.settings.first_timesteps.clear();
  LatentStream from_given_too = s.stream();
  from_given.give(without.slice(1, 0, 3));
  from_given_too.give(without.slice(1, 0, 3));
  EXPECT_TRUE(at::equal(from_given.next(), from_given_too.next()));
}

TEST(LatentStream, GoesOnFromItsStateAsIfNothingHadHappened) {
  for (const PromptSwitch how : {PromptSwitch::kKeep, PromptSwitch::kRecache, PromptSwitch::kNewSink}) {
    Streamed s;
    s.settings.on_switch = how;
    LatentStream unbroken = s.stream();
    blocks_of(unbroken, 5);
    unbroken.change_prompt(s.other);
    blocks_of(unbroken, 2);
    NamedTensors state;
    for (const auto& [name, tensor] : unbroken.state()) state.emplace_back(name, tensor.clone());
    const at::Tensor expected = blocks_of(unbroken, 6);
    LatentStream resumed = s.stream();
    resumed.restore(state);
    resumed.read_prompt(s.other);
    EXPECT_TRUE(at::equal(blocks_of(resumed, 6), expected));
    LatentStream forgetful = s.stream();  // the control: without its state it is another video
    forgetful.read_prompt(s.other);
    EXPECT_FALSE(at::equal(blocks_of(forgetful, 6), expected));
  }
}

TEST(LatentStream, RefusesTheStateOfAnotherWindow) {
  Streamed s;
  LatentStream small = s.stream();
  s.settings.policy.fifo_frames = 9;
  LatentStream large = s.stream();
  EXPECT_THROW(large.restore(small.state()), Error);
}

TEST(LatentStream, RecordedCallsGiveTheNumbersOfCallsLaunchByLaunch) {
  Streamed s;
  LatentStream recorded = s.stream();
  s.settings.record_launches = false;
  LatentStream plain = s.stream();
  EXPECT_TRUE(at::equal(blocks_of(recorded, 9), blocks_of(plain, 9)));  // the window is full after three
  recorded.change_prompt(s.other);
  plain.change_prompt(s.other);
  EXPECT_TRUE(at::equal(blocks_of(recorded, 3), blocks_of(plain, 3)));
  LatentStream resumed = s.stream();
  resumed.restore(recorded.state());
  resumed.read_prompt(s.other);
  EXPECT_TRUE(at::equal(resumed.next(), recorded.next()));
}

TEST(LatentStream, HoldsTheSameNumberOfFramesForever) {
  const Streamed s;
  LatentStream stream = s.stream();
  blocks_of(stream, 5);
  const auto held = [](const LatentStream& some) {
    int64_t bytes = 0;
    for (const auto& [name, tensor] : some.state()) bytes += static_cast<int64_t>(tensor.nbytes());
    return bytes;
  };
  const int64_t bytes = held(stream);
  blocks_of(stream, 40);
  EXPECT_EQ(held(stream), bytes);
}

TEST(PromptSwitch, TheSamePromptAgainChangesNothingWhileAllIsInSight) {
  Streamed s;
  s.settings.on_switch = PromptSwitch::kRecache;
  LatentStream plain = s.stream(), again = s.stream();
  EXPECT_TRUE(at::equal(blocks_of(plain, 3), blocks_of(again, 3)));  // sink 3 and FIFO 6: all nine frames
  again.change_prompt(s.text);
  EXPECT_TRUE(at::equal(blocks_of(plain, 3), blocks_of(again, 3)));
}

TEST(PromptSwitch, KeepLeavesTheCacheAndRecacheWritesItUnderTheNewPrompt) {
  Streamed s;
  const auto next_after = [&](PromptSwitch how) {
    s.settings.on_switch = how;
    LatentStream stream = s.stream();
    blocks_of(stream, 3);
    stream.change_prompt(s.other);
    return stream.next();
  };
  // By hand: the same latents, written by the new prompt from the beginning.
  LatentStream source = s.stream();
  const at::Tensor made = blocks_of(source, 3);
  LatentStream by_hand(s.dit, s.settings, sample_noise(8, 1, kLatent, at::kFloat), s.other);
  for (int64_t i = 0; i < 3; ++i) by_hand.give(made.slice(1, 3 * i, 3 * i + 3));
  const at::Tensor expected = by_hand.next();
  EXPECT_TRUE(at::equal(next_after(PromptSwitch::kRecache), expected));
  EXPECT_GT(relative_l2(next_after(PromptSwitch::kKeep), expected), 1e-4);
}

TEST(PromptSwitch, RecacheSeesWhatIsKeptAndNoMore) {
  Streamed s;
  s.settings.on_switch = PromptSwitch::kRecache;
  LatentStream stream = s.stream();
  const at::Tensor made = blocks_of(stream, 6);  // the next block sees the sink [0, 3) and [12, 18)
  stream.change_prompt(s.other);
  const at::Tensor streamed = stream.next();
  ContextPolicy policy = s.settings.policy;
  policy.recent_begin = 12;
  KvCache cache(policy, s.dit.cache_shape(made, 3, 0), at::kFloat);
  const PromptText text = s.dit.prepare(s.other.cond);
  for (const FrameSpan block : {FrameSpan{0, 3}, FrameSpan{12, 15}, FrameSpan{15, 18}})
    s.dit.write(made.slice(1, block.begin, block.end), text, Serial{cache, block, s.settings.positions});
  const at::Tensor by_hand = denoise_block(s.dit, text, Serial{cache, {18, 21}, s.settings.positions},
                                           {s.settings.timesteps, 3}, sample_noise(8, 1, kLatent, at::kFloat))
                                 .prediction;
  EXPECT_TRUE(at::equal(streamed, by_hand));
}

TEST(PromptSwitch, ANewSinkIsOfTheBlocksAfterTheSwitch) {
  Streamed s;
  s.settings.on_switch = PromptSwitch::kNewSink;
  LatentStream stream = s.stream();
  blocks_of(stream, 5);
  stream.change_prompt(s.other);
  const at::Tensor after = blocks_of(stream, 5);  // frames [15, 30)
  // By hand: what block [30, 33) sees are [15, 18) as its sink and [24, 30), each as the cache holds it.
  NamedTensors state = stream.state();
  LatentStream resumed = s.stream();
  resumed.restore(state);
  resumed.read_prompt(s.other);
  const at::Tensor next = stream.next();
  EXPECT_TRUE(at::equal(next, resumed.next()));
  s.settings.on_switch = PromptSwitch::kKeep;
  LatentStream kept = s.stream();
  blocks_of(kept, 5);
  kept.change_prompt(s.other);
  EXPECT_FALSE(at::equal(blocks_of(kept, 5), after));
}

TEST(PromptSwitch, ANewSinkTakesNothingFromSightThatTheFifoStillReaches) {
  Streamed s;
  const auto after_two = [&](PromptSwitch how, int64_t blocks) {
    s.settings.on_switch = how;
    LatentStream stream = s.stream();
    blocks_of(stream, 2);
    stream.change_prompt(s.other);
    return blocks_of(stream, blocks);
  };
  // The next block sees [0, 6) either way, as sink and FIFO or as FIFO alone; the one after next does not.
  EXPECT_TRUE(at::equal(after_two(PromptSwitch::kNewSink, 1), after_two(PromptSwitch::kKeep, 1)));
  EXPECT_FALSE(at::equal(after_two(PromptSwitch::kNewSink, 3), after_two(PromptSwitch::kKeep, 3)));
}

TEST(Guidance, TowardsTheSameTextIsNone) {
  Streamed s;
  LatentStream plain = s.stream();
  const at::Tensor expected = blocks_of(plain, 4);
  s.settings.guidance = 3;
  StreamText same{s.text.cond, s.text.cond};
  LatentStream guided(s.dit, s.settings, sample_noise(8, 1, kLatent, at::kFloat), same);
  EXPECT_LT(relative_l2(blocks_of(guided, 4), expected), 1e-5);
  LatentStream steered = s.stream();  // the control: away from another text
  EXPECT_GT(relative_l2(blocks_of(steered, 4), expected), 1e-3);
}

TEST(Guidance, WantsANegativeText) {
  Streamed s;
  s.settings.guidance = 3;
  s.text.uncond = at::Tensor();
  EXPECT_THROW(s.stream(), Error);
}

}  // namespace
}  // namespace sgf

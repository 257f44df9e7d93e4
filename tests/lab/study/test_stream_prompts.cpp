// Videos streamed as one batch and measured by many threads: what each would be alone.
#include "lab/study/segment_scores.h"
#include "lab/study/stream_prompts.h"
#include "sgf/assembly/networks_from_config.h"
#include "sgf/core/error.h"
#include "sgf/streaming/stream_parts.h"
#include "sgf/world/caption.h"
#include "sgf/world/codec.h"
#include "sgf/world/render.h"
#include "sgf/world/source.h"
#include "sgf/world/text.h"
#include "tests/core/refusal.h"
#include "tests/lab/study/small_study.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

struct SmallStream {
  Config config = testing::small_world();
  WorldPreset world = world_preset("world-tiny");
  CausalDit dit = build_network(config, "", at::kCPU);
  WorldCodec codec{world};
  std::vector<std::string> captions = WorldSource(world, 1).prompts(0, 3);
  LatentStreamSettings settings = latent_settings({.config = config});

  at::Tensor text(size_t first, size_t count) const {
    const auto begin = captions.begin() + static_cast<int64_t>(first);
    return WorldTextEncoder(world).encode({begin, begin + static_cast<int64_t>(count)});
  }

  at::Tensor watched(const WatchedFrames& frames, int64_t first, int64_t count) const {
    return stream_watched({dit, settings, sample_noise(9, count, settings.latent, at::kFloat, first),
                           text(static_cast<size_t>(first), static_cast<size_t>(count)), codec},
                          frames);
  }

  // All frames of one video, by the stream that a viewer has.
  at::Tensor alone(int64_t video, int64_t blocks) const {
    LatentStream stream(dit, settings, sample_noise(9, 1, settings.latent, at::kFloat, video),
                        {text(static_cast<size_t>(video), 1), {}});
    std::vector<at::Tensor> latents;
    for (int64_t i = 0; i < blocks; ++i) latents.push_back(stream.next());
    return codec.decode(at::cat(latents, 1))[0].clamp(0, 1);
  }
};

TEST(StreamPrompts, ABatchIsTheVideosThatEachPromptHasAlone) {
  const SmallStream s;
  const WatchedFrames frames(6, 4, {1, 3});
  const at::Tensor together = s.watched(frames, 0, 3);
  ASSERT_EQ(together.sizes(), (std::vector<int64_t>{3, 12, 3, 16, 16}));
  for (int64_t video = 0; video < 3; ++video) {
    const at::Tensor whole = s.alone(video, 6);  // 18 frames
    const at::Tensor expected = at::cat({whole.slice(0, 0, 6), whole.slice(0, 12, 18)});
    EXPECT_LT((together[video] - expected).abs().max().item<double>(), 1e-4);
    EXPECT_GT((together[(video + 1) % 3] - expected).abs().max().item<double>(), 1e-2);
  }
}

TEST(StreamPrompts, AVideoDoesNotDependOnItsBatch) {
  const SmallStream s;
  const WatchedFrames frames(6, 4, {1, 2});
  EXPECT_LT((s.watched(frames, 0, 3)[2] - s.watched(frames, 2, 1)[0]).abs().max().item<double>(), 1e-4);
}

struct TrueVideos {
  WorldPreset world = world_preset("world-tiny");
  WatchedFrames watched{6, 4, {1, 3}};
  MeasuringOrder order{.world = world,
                       .captions = WorldSource(world, 1).prompts(0, 5),
                       .watched = watched,
                       .window_frames = 4,
                       .threads = 3,
                       .waiting = 2};

  at::Tensor video(int64_t number) const {
    const WorldScene scene = draw_scene(world, 1, number);
    return at::cat({render(world, scene, {0, 6}), render(world, scene, {12, 18})});
  }
  at::Tensor videos(int64_t first, int64_t count) const {
    std::vector<at::Tensor> all;
    for (int64_t i = first; i < first + count; ++i) all.push_back(video(i));
    return at::stack(all);
  }
};

TEST(MeasuringPool, GivesEachVideoTheScoresOfMeasuringItAlone) {
  const TrueVideos t;
  const int before = at::get_num_threads();
  MeasuringPool pool(t.order);
  pool.add(0, t.videos(0, 3));
  pool.add(3, t.videos(3, 2));
  const ScoreTable table = pool.finish();
  EXPECT_EQ(pool.most_torch_threads(), 1);
  EXPECT_EQ(at::get_num_threads(), before);
  for (size_t i = 0; i < 5; ++i) {
    const WorldScore alone = measure(t.video(static_cast<int64_t>(i)), parse_caption(t.order.captions[i]), t.world,
                                     {.segment_frames = 6, .window_frames = 4});
    for (size_t segment = 0; segment < 2; ++segment)
      for (const StudyMetric& metric : study_metrics())
        EXPECT_EQ(table.find(metric.name)->second[segment][i], metric_of(alone.segments[segment], metric.name))
            << metric.name;
  }
}

TEST(MeasuringPool, SaysWhatWentWrongAndDoesNotWaitForever) {
  const TrueVideos t;
  EXPECT_THAT(refusal_of([&] {
                MeasuringPool pool(t.order);
                pool.add(0, at::zeros({5, 12, 3, 9, 9}));
                pool.finish();
              }),
              ::testing::HasSubstr("a video of world-tiny must be"));
  EXPECT_THAT(refusal_of([&] {
                MeasuringPool pool(t.order);
                pool.add(0, t.videos(0, 1));
                pool.finish();
              }),
              ::testing::HasSubstr("has no video"));
  EXPECT_THAT(refusal_of([&] { MeasuringPool(t.order).add(4, t.videos(0, 2)); }),
              ::testing::HasSubstr("have no captions"));
}

TEST(MeasureSpans, RefusesASpanThatTheVideoDoesNotHave) {
  const TrueVideos t;
  const WorldCaption caption = parse_caption(t.order.captions[0]);
  EXPECT_THAT(refusal_of([&] {
                measure_spans(t.video(0), caption, t.world, 4, {{6, 13}});
              }),
              ::testing::HasSubstr("frames 6 to 13 are not within a video of 12"));
}

}  // namespace
}  // namespace sgf

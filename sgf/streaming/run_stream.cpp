#include "sgf/streaming/run_stream.h"

#include "sgf/core/error.h"

#include <chrono>

namespace sgf {
namespace {

using SteadyClock = std::chrono::steady_clock;

// All blocks of one stream, with the time from one delivery to the next.
void run_blocks(SceneStream& latents, DecoderStream& decoder, const StreamRunSettings& settings,
                const std::function<void(const DeliveredBlock&)>& deliver, SpeedMeter& meter) {
  SteadyClock::time_point last = SteadyClock::now();
  bool stops = false;
  BlockTurn turn{.latents = &latents, .decoder = &decoder, .decodes = settings.decodes, .deliver = deliver};
  turn.wants_snapshot = [&] {
    stops = settings.should_stop && settings.should_stop();
    return stops || (settings.snapshot_every > 0 && latents.blocks() % settings.snapshot_every == 0);
  };
  turn.timed = [&](BlockTimes times) {
    const SteadyClock::time_point now = SteadyClock::now();
    times.since_last = std::chrono::duration<double, std::milli>(now - last).count();
    last = now;
    meter.add(times);
  };
  const bool prepares = settings.decodes && !latents.device().is_cpu();
  BlockPipeline pipeline(latents.device(), [&] {
    if (prepares) warm_up_decoder(latents);
  });
  try {
    while (!stops && latents.blocks() < settings.blocks && pipeline.denoise(turn)) {
    }
  } catch (...) {
    pipeline.abandon();
    throw;
  }
  pipeline.finish();
}

}  // namespace

StreamSpeed run_stream(SceneStream& latents, DecoderStream& decoder, const StreamRunSettings& settings,
                       const std::function<void(const DeliveredBlock&)>& deliver) {
  SGF_CHECK(settings.blocks >= 1, "blocks must be at least 1, got {}", settings.blocks);
  const LatentStreamSettings& s = latents.settings().latents;
  const int64_t window = s.policy.sink_frames + s.policy.fifo_frames;
  SpeedMeter meter(1 + (window + s.block_frames - 1) / s.block_frames);
  run_blocks(latents, decoder, settings, deliver, meter);
  StreamSpeed speed{.sink = s.policy.sink_frames, .fifo = s.policy.fifo_frames, .block = s.block_frames};
  meter.fill(speed);
  return speed;
}

}  // namespace sgf

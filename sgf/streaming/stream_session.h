// One stream: turns prompts and noise into frames, without a limit, and holds cache and codec state.
#pragma once

#include "sgf/media/video_codec.h"
#include "sgf/streaming/latent_stream.h"

#include <memory>
#include <string>
#include <vector>

namespace sgf {

// An encoded prompt of the timeline.
struct StreamScene {
  TimedPrompt prompt;
  StreamText text;
};

struct StreamSettings {
  LatentStreamSettings latents;
  double fps = 16;
  uint64_t seed = 0;
  int64_t video = 0;                   // index among several videos of the seed
  std::vector<SeedChange> seeds = {};  // after `seed`
};

struct StreamBlock {
  int64_t index = 0;
  FrameSpan frames;     // latent frames
  at::Tensor latents;   // [1, c, C, H, W]
  at::Tensor pictures;  // [1, F, 3, H, W], about [0, 1]
};

// The latent half: switches prompts and seeds at their times. The `given` blocks come first.
class SceneStream {
 public:
  SceneStream(const CausalDit& dit, const VideoCodec& codec, StreamSettings settings, std::vector<StreamScene> scenes,
              const at::Tensor& given = {});

  StreamBlock next();  // without frames

  // Replaces the timeline. Prompts of blocks that exist already must stay as they were.
  void change_timeline(std::vector<StreamScene> scenes);

  int64_t blocks() const { return stream_.blocks(); }
  // The number of frames of this many blocks.
  int64_t pictures_after(int64_t blocks) const;
  int64_t cache_bytes() const { return stream_.cache_bytes(); }
  const StreamSettings& settings() const { return settings_; }
  const VideoCodec& codec() const { return codec_; }
  c10::Device device() const { return device_; }

  NamedTensors state() const { return stream_.state(); }
  void restore(const NamedTensors& state);

 private:
  const StreamScene& scene_at(FrameSpan block) const;
  void follow_timeline();

  const VideoCodec& codec_;
  c10::Device device_;
  StreamSettings settings_;
  std::vector<StreamScene> scenes_;
  at::Tensor given_;  // [1, n, C, H, W], whole blocks; undefined: none
  LatentStream stream_;
  TimedPrompt current_;  // the prompt of the last block
};

// Both halves in sequence. `run_stream` overlaps them.
class StreamSession {
 public:
  StreamSession(const CausalDit& dit, const VideoCodec& codec, StreamSettings settings, std::vector<StreamScene> scenes,
                const at::Tensor& given = {});

  StreamBlock next();

  SceneStream& latents() { return latents_; }
  DecoderStream& decoder() { return *decoder_; }

 private:
  SceneStream latents_;
  std::unique_ptr<DecoderStream> decoder_;
};

}  // namespace sgf

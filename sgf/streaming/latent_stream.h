// Clean latents, block after block, for as long as they are asked for: a cache, a noise stream and a prompt. It calls
// the function that denoises a block in Pass 1, and holds no more after a day than after a minute.
#pragma once

#include "sgf/rollout/denoise_block.h"
#include "sgf/streaming/prompt_timeline.h"

#include <array>
#include <map>
#include <memory>

namespace sgf {

struct LatentStreamSettings {
  ContextPolicy policy;
  PositionRule positions;
  int64_t block_frames = 1;
  int64_t first_block_frames = 1;
  std::vector<double> timesteps;    // the student's warped list, noisiest first
  std::array<int64_t, 3> latent{};  // C, H, W
  double guidance = 1;              // uncond + guidance (cond - uncond); 1: no second call
  PromptSwitch on_switch = PromptSwitch::kKeep;
  SigmaRule sigma;
  bool record_launches = true;  // use CUDA graphs once the window is full; results are the same without
};

// Rows of text [B, L, text_dim]; `uncond` is read where guidance is not 1. One video mostly; several that are streamed
// together are each what it would be alone, to rounding.
struct StreamText {
  at::Tensor cond;
  at::Tensor uncond;
};

class LatentStream {
 public:
  LatentStream(const CausalDit& dit, LatentStreamSettings settings, BlockNoise noise, const StreamText& text);
  ~LatentStream();

  // The next block, [B, c, C, H, W]: denoised, and written to the cache.
  at::Tensor next();
  // `clean` [B, c, C, H, W] is the next block: an image, or a block of another video.
  void give(const at::Tensor& clean);
  // From the next block on. The second leaves the memory as it is, whatever the settings say of a switch.
  void change_prompt(const StreamText& text);
  void read_prompt(const StreamText& text);

  FrameSpan block_at(int64_t index) const;
  FrameSpan next_block() const { return block_at(blocks_); }
  int64_t blocks() const { return blocks_; }  // so far
  const LatentStreamSettings& settings() const { return settings_; }
  int64_t cache_bytes() const;

  // All but network, noise and text, which the next one is made with.
  NamedTensors state() const;
  void restore(const NamedTensors& state);

 private:
  class Side;  // a prompt with a cache of its own

  at::Tensor predict(const at::Tensor& noisy, NoiseLevel level);
  void write(const at::Tensor& clean, FrameSpan block);
  void keep(const at::Tensor& clean, FrameSpan block);
  void write_again();
  at::Tensor kept(FrameSpan frames) const;
  const ContextPolicy& policy() const;
  void change_policy(const ContextPolicy& policy);

  const CausalDit& dit_;
  LatentStreamSettings settings_;
  int64_t videos_;
  BlockNoise noise_;
  std::vector<std::unique_ptr<Side>> sides_;  // cond, and uncond where there is guidance
  std::map<int64_t, at::Tensor> kept_;        // clean latents [B, 1, C, H, W] of the frames in sight
  int64_t blocks_ = 0;
};

}  // namespace sgf

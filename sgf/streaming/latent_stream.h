// Generates clean latents block by block, without a limit, from a cache, a noise stream and a prompt. It calls the same
// function as Pass 1 to denoise a block. Its memory does not grow.
#pragma once

#include "sgf/rollout/denoise_block.h"
#include "sgf/streaming/prompt_timeline.h"

#include <array>
#include <map>
#include <memory>
#include <optional>

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
  bool record_launches = true;               // use CUDA graphs once the window is full; results are the same without
  std::vector<double> first_timesteps = {};  // of the first block, if it has steps of its own; empty: timesteps
};

// Text embeddings [B, L, text_dim]; `uncond` is only used if guidance is not 1. B is usually 1. Several videos streamed
// together equal single ones up to rounding.
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
  // Uses `clean` [B, c, C, H, W] as the next block: an image, or a block of another video.
  void give(const at::Tensor& clean);
  // Switch the prompt from the next block on. The second one leaves the cache unchanged, regardless of the settings.
  void change_prompt(const StreamText& text, std::optional<PromptSwitch> on_switch = {});
  void read_prompt(const StreamText& text);

  FrameSpan block_at(int64_t index) const;
  FrameSpan next_block() const { return block_at(blocks_); }
  int64_t blocks() const { return blocks_; }  // so far
  const LatentStreamSettings& settings() const { return settings_; }
  int64_t cache_bytes() const;

  // The state except network, noise and text, which the next stream is constructed with.
  NamedTensors state() const;
  void restore(const NamedTensors& state);

 private:
  class Side;  // a prompt with its own cache

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
  std::map<int64_t, at::Tensor> kept_;        // clean latents [B, 1, C, H, W] of the frames in the window
  int64_t blocks_ = 0;
};

}  // namespace sgf

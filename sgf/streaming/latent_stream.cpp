#include "sgf/streaming/latent_stream.h"

#include "sgf/context/kv_cache.h"
#include "sgf/core/error.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/schedule/flow_match.h"
#include "sgf/streaming/stream_calls.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <utility>

namespace sgf {
namespace {

constexpr const char* kCountersName = "counters";
constexpr const char* kKeptName = "kept";
constexpr const char* kKeptFramesName = "kept_frames";

void check_settings(const LatentStreamSettings& s) {
  SGF_CHECK(s.block_frames > 0 && s.first_block_frames > 0,
            "block_frames and first_block_frames must be at least 1, got {} and {}", s.first_block_frames,
            s.block_frames);
  SGF_CHECK(!s.timesteps.empty(), "a block needs at least one denoising step");
}

// The end of the block that holds `frame`.
int64_t end_of_block(const LatentStreamSettings& s, int64_t frame) {
  if (frame < s.first_block_frames) return s.first_block_frames;
  return s.first_block_frames + ((frame - s.first_block_frames) / s.block_frames + 1) * s.block_frames;
}

const at::Tensor& stored(const NamedTensors& state, const std::string& name) {
  const auto found = std::ranges::find(state, name, &NamedTensors::value_type::first);
  SGF_CHECK(found != state.end(), "the saved stream lacks {}", name);
  return found->second;
}

// The tensors whose names begin with the prefix, which is removed.
NamedTensors part_of(const NamedTensors& state, const std::string& prefix) {
  NamedTensors part;
  for (const auto& [name, tensor] : state)
    if (name.starts_with(prefix)) part.emplace_back(name.substr(prefix.size()), tensor);
  return part;
}

}  // namespace

class LatentStream::Side {
 public:
  Side(const CausalDit& dit, const LatentStreamSettings& s, const at::Tensor& rows, const at::Tensor& like)
      : text(dit.prepare(rows)),
        cache(s.policy, dit.cache_shape(like, std::max(s.block_frames, s.first_block_frames), /*max_frames=*/0),
              dit.weights().head.weight.options().requires_grad(false)),
        calls(dit, cache, s.positions, s.record_launches) {}

  // In place if the sizes match, because CUDA graphs read it there.
  void read(const PromptText& prompt) {
    if (prompt.embedded.sizes() != text.embedded.sizes()) {
      text = prompt;
      calls.forget();
      return;
    }
    text.embedded.copy_(prompt.embedded);
    for (size_t layer = 0; layer < prompt.per_layer.size(); ++layer) {
      text.per_layer[layer].keys.copy_(prompt.per_layer[layer].keys);
      text.per_layer[layer].values.copy_(prompt.per_layer[layer].values);
    }
  }

  PromptText text;
  KvCache cache;
  StreamCalls calls;
};

LatentStream::LatentStream(const CausalDit& dit, LatentStreamSettings settings, BlockNoise noise,
                           const StreamText& text)
    : dit_(dit), settings_(std::move(settings)), videos_(text.cond.size(0)), noise_(std::move(noise)) {
  const at::NoGradGuard no_grad;
  check_settings(settings_);
  const auto& [channels, height, width] = settings_.latent;
  const at::Tensor like = at::empty({videos_, 1, channels, height, width}, at::kMeta);
  sides_.push_back(std::make_unique<Side>(dit_, settings_, text.cond, like));
  if (settings_.guidance == 1) return;
  SGF_CHECK(text.uncond.defined(), "guidance {} needs the embedding of a negative prompt", settings_.guidance);
  sides_.push_back(std::make_unique<Side>(dit_, settings_, text.uncond, like));
}

LatentStream::~LatentStream() = default;

FrameSpan LatentStream::block_at(int64_t index) const {
  if (index == 0) return {0, settings_.first_block_frames};
  const int64_t begin = settings_.first_block_frames + (index - 1) * settings_.block_frames;
  return {begin, begin + settings_.block_frames};
}

const ContextPolicy& LatentStream::policy() const { return sides_.front()->cache.policy(); }

void LatentStream::change_policy(const ContextPolicy& policy) {
  for (const auto& side : sides_) side->cache.change_policy(policy);
}

int64_t LatentStream::cache_bytes() const {
  int64_t bytes = 0;
  for (const auto& side : sides_) bytes += side->cache.bytes();
  return bytes;
}

at::Tensor LatentStream::predict(const at::Tensor& noisy, NoiseLevel level) {
  const at::Tensor t = block_timesteps(noisy, level);
  const auto by = [&](Side& side) {
    return x0_from_flow(noisy, side.calls.flow(next_block(), side.text, noisy, t), level.sigma);
  };
  const at::Tensor cond = by(*sides_[0]);
  if (sides_.size() == 1) return cond;
  const at::Tensor uncond = by(*sides_[1]);  // clean latents are linear in the flow, so guidance applies to them too
  return uncond + (cond - uncond) * settings_.guidance;
}

void LatentStream::write(const at::Tensor& clean, FrameSpan block) {
  for (const auto& side : sides_) side->calls.write(block, side->text, clean);
}

at::Tensor LatentStream::next() {
  const at::NoGradGuard no_grad;
  const bool has_own_steps = blocks_ == 0 && !settings_.first_timesteps.empty();
  const std::vector<double>& timesteps = has_own_steps ? settings_.first_timesteps : settings_.timesteps;
  const DenoisingSteps way{timesteps, static_cast<int64_t>(timesteps.size()), settings_.sigma};
  const BlockPrediction step = [this](const at::Tensor& noisy, NoiseLevel level) { return predict(noisy, level); };
  const at::Tensor clean = denoise_block(step, next_block(), way, noise_).prediction;
  give(clean);
  return clean;
}

void LatentStream::give(const at::Tensor& clean) {
  const at::NoGradGuard no_grad;
  const FrameSpan block = next_block();
  SGF_CHECK(clean.dim() == 5 && clean.size(0) == videos_ && clean.size(1) == block.frames() &&
                std::ranges::equal(clean.sizes().slice(2), settings_.latent),
            "the next block must have {} latent frames of {} x {} x {}, got a tensor of {} dimensions, {} frames",
            block.frames(), settings_.latent[0], settings_.latent[1], settings_.latent[2], clean.dim(),
            clean.dim() > 1 ? clean.size(1) : 0);
  write(clean, block);
  keep(clean, block);
}

// Keeps the clean latents in the window of the next block, for rewriting them with a new prompt.
void LatentStream::keep(const at::Tensor& clean, FrameSpan block) {
  for (int64_t frame = block.begin; frame < block.end; ++frame)
    kept_[frame] = clean.narrow(1, frame - block.begin, 1).clone();
  ++blocks_;
  const ContextView view = policy().visible_to(next_block());
  std::erase_if(kept_, [&](const auto& entry) { return !view.contains(entry.first); });
}

at::Tensor LatentStream::kept(FrameSpan frames) const {
  std::vector<at::Tensor> latents;
  for (int64_t frame = frames.begin; frame < frames.end; ++frame) latents.push_back(kept_.at(frame));
  return at::cat(latents, 1);
}

// The frames in the window, grouped by their original blocks.
void LatentStream::write_again() {
  ContextPolicy policy = this->policy();
  const ContextView view = policy.visible_to(next_block());
  policy.recent_begin = view.recent.begin;
  change_policy(policy);
  for (const auto& side : sides_) side->cache.clear();
  for (const FrameSpan run : view.runs()) {
    for (int64_t begin = run.begin; begin < run.end;) {
      const FrameSpan part{begin, std::min(end_of_block(settings_, begin), run.end)};
      write(kept(part), part);
      begin = part.end;
    }
  }
}

void LatentStream::read_prompt(const StreamText& text) {
  const at::NoGradGuard no_grad;
  sides_[0]->read(dit_.prepare(text.cond));
  if (sides_.size() > 1 && text.uncond.defined()) sides_[1]->read(dit_.prepare(text.uncond));
}

void LatentStream::change_prompt(const StreamText& text, std::optional<PromptSwitch> on_switch) {
  const at::NoGradGuard no_grad;
  read_prompt(text);
  if (blocks_ == 0) return;
  const PromptSwitch how = on_switch.value_or(settings_.on_switch);
  if (how == PromptSwitch::kRecache) write_again();
  if (how == PromptSwitch::kNewSink) {
    ContextPolicy policy = this->policy();
    policy.sink_begin = next_block().begin;
    change_policy(policy);
  }
}

NamedTensors LatentStream::state() const {
  NamedTensors state;
  for (size_t i = 0; i < sides_.size(); ++i)
    for (const auto& [name, tensor] : sides_[i]->cache.state())
      state.emplace_back(fmt::format("{}.{}", i, name), tensor);
  std::vector<int64_t> frames;
  std::vector<at::Tensor> latents;
  for (const auto& [frame, latent] : kept_) frames.push_back(frame), latents.push_back(latent);
  if (!latents.empty()) state.emplace_back(kKeptName, at::cat(latents, 1));
  state.emplace_back(kKeptFramesName, at::tensor(frames, at::kLong));
  const std::vector<int64_t> counters{blocks_, policy().sink_begin, policy().recent_begin};
  state.emplace_back(kCountersName, at::tensor(counters, at::kLong));
  return state;
}

void LatentStream::restore(const NamedTensors& state) {
  const at::NoGradGuard no_grad;
  const at::Tensor counters = stored(state, kCountersName).to(at::kCPU, at::kLong).contiguous();
  SGF_CHECK(counters.numel() == 3, "the saved stream must have 3 counters, got {}", counters.numel());
  const int64_t* count = counters.const_data_ptr<int64_t>();
  ContextPolicy policy = settings_.policy;
  policy.sink_begin = count[1];
  policy.recent_begin = count[2];
  for (size_t i = 0; i < sides_.size(); ++i) sides_[i]->cache.restore(part_of(state, fmt::format("{}.", i)), policy);
  kept_.clear();
  blocks_ = count[0];
  const at::Tensor frames = stored(state, kKeptFramesName).to(at::kCPU, at::kLong).contiguous();
  if (frames.numel() == 0) return;
  const at::Tensor latents = stored(state, kKeptName).to(dit_.weights().head.weight.device());
  for (int64_t i = 0; i < frames.numel(); ++i)
    kept_[frames.const_data_ptr<int64_t>()[i]] = latents.narrow(1, i, 1).clone();
}

}  // namespace sgf

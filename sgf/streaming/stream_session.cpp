#include "sgf/streaming/stream_session.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <iterator>
#include <map>
#include <utility>

namespace sgf {
namespace {

const StreamText& first_text(const std::vector<StreamScene>& scenes) {
  SGF_CHECK(!scenes.empty() && scenes.front().prompt.seconds == 0, "a stream needs a prompt that starts at 0:00");
  return scenes.front().text;
}

// Noise by block, from the seed that holds there.
BlockNoise noise_over_time(const StreamSettings& s, c10::Device device) {
  const auto noise_of = [&](uint64_t seed) {
    return sample_noise(seed, 1, s.latents.latent, at::TensorOptions(at::kFloat).device(device), s.video);
  };
  if (s.seeds.empty()) return noise_of(s.seed);
  std::map<int64_t, BlockNoise> from{{0, noise_of(s.seed)}};  // by latent frame
  for (const SeedChange& change : s.seeds)
    from[s.latents.first_block_frames + (change.block - 1) * s.latents.block_frames] =
        noise_of(static_cast<uint64_t>(change.seed));
  return
      [from](FrameSpan block, int64_t draw) { return std::prev(from.upper_bound(block.begin))->second(block, draw); };
}

}  // namespace

SceneStream::SceneStream(const CausalDit& dit, const VideoCodec& codec, StreamSettings settings,
                         std::vector<StreamScene> scenes, const at::Tensor& given)
    : codec_(codec),
      device_(dit.weights().head.weight.device()),
      settings_(std::move(settings)),
      scenes_(std::move(scenes)),
      given_(given),
      stream_(dit, settings_.latents, noise_over_time(settings_, device_), first_text(scenes_)),
      current_(scenes_.front().prompt) {
  SGF_CHECK(settings_.fps > 0, "fps must be positive, got {}", settings_.fps);
}

int64_t SceneStream::pictures_after(int64_t blocks) const {
  if (blocks == 0) return 0;
  const LatentStreamSettings& s = stream_.settings();
  return codec_.picture_frames(s.first_block_frames + (blocks - 1) * s.block_frames);
}

// The last prompt that starts at or before the block's first frame.
const StreamScene& SceneStream::scene_at(FrameSpan block) const {
  const double now = static_cast<double>(block.begin == 0 ? 0 : codec_.picture_frames(block.begin)) / settings_.fps;
  size_t last = 0;
  while (last + 1 < scenes_.size() && scenes_[last + 1].prompt.seconds <= now) ++last;
  return scenes_[last];
}

void SceneStream::follow_timeline() {
  const StreamScene& due = scene_at(stream_.next_block());
  if (due.prompt == current_) return;
  current_ = due.prompt;
  stream_.change_prompt(due.text, due.prompt.on_switch);
}

void SceneStream::change_timeline(std::vector<StreamScene> scenes) {
  first_text(scenes);  // throws if the list is empty
  scenes_ = std::move(scenes);
}

StreamBlock SceneStream::next() {
  const at::NoGradGuard no_grad;
  follow_timeline();
  StreamBlock block{.index = stream_.blocks(), .frames = stream_.next_block()};
  if (given_.defined() && block.frames.begin < given_.size(1)) {
    SGF_CHECK(block.frames.end <= given_.size(1), "given frames must be whole blocks, got {}", given_.size(1));
    block.latents = given_.slice(1, block.frames.begin, block.frames.end);
    stream_.give(block.latents);
    return block;
  }
  block.latents = stream_.next();
  return block;
}

// The saved stream has already switched to the prompt of its last block: its cache must not be changed twice.
void SceneStream::restore(const NamedTensors& state) {
  stream_.restore(state);
  if (stream_.blocks() == 0) return;
  const StreamScene& last = scene_at(stream_.block_at(stream_.blocks() - 1));
  current_ = last.prompt;
  stream_.read_prompt(last.text);
}

StreamSession::StreamSession(const CausalDit& dit, const VideoCodec& codec, StreamSettings settings,
                             std::vector<StreamScene> scenes, const at::Tensor& given)
    : latents_(dit, codec, std::move(settings), std::move(scenes), given), decoder_(codec.stream_decoder()) {}

StreamBlock StreamSession::next() {
  const at::NoGradGuard no_grad;
  StreamBlock block = latents_.next();
  block.pictures = decoder_->next(block.latents);
  return block;
}

}  // namespace sgf

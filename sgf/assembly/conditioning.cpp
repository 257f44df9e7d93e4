#include "sgf/assembly/conditioning.h"

#include "sgf/assembly/codec_and_text.h"
#include "sgf/assembly/config_parts.h"
#include "sgf/assembly/networks_from_config.h"
#include "sgf/assembly/train_needs.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/dataset/clip_shards.h"
#include "sgf/dataset/clip_text.h"
#include "sgf/dataset/prompt_list.h"
#include "sgf/files/weight_identity.h"
#include "sgf/weights/wan_folder.h"
#include "sgf/world/source.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sgf {
namespace {

void check_world_sizes(const Config& c, const WorldPreset& world, const VideoCodec& codec) {
  const int64_t side = world.size / codec.spatial_factor();
  SGF_CHECK(c.video.height == side && c.video.width == side,
            "the latents of {} are {}x{}, got video.height {} and video.width {}", world.name, side, side,
            c.video.height, c.video.width);
  SGF_CHECK(c.model.in_dim == codec.latent_channels() && c.model.out_dim == codec.latent_channels(),
            "the latents of {} have {} channels, got model.in_dim {} and model.out_dim {}", world.name,
            codec.latent_channels(), c.model.in_dim, c.model.out_dim);
  SGF_CHECK(c.model.text_dim == world.text_dim && c.model.text_len == world.text_len,
            "the text embeddings of {} are {}x{}, got model.text_len {} and model.text_dim {}", world.name,
            world.text_len, world.text_dim, c.model.text_len, c.model.text_dim);
}

Conditioning world_conditioning(const Config& c, const PartSource& source) {
  const WorldPreset world = world_preset(c.data.world);
  Conditioning conditioning{build_text_encoder(c, source), build_codec(c, source), c.output.sample_prompts};
  check_world_sizes(c, world, *conditioning.codec);
  if (conditioning.sample_prompts.empty())
    conditioning.sample_prompts = world_prompts(c, kFirstSampleClip, kSamplePrompts);
  check_words(*conditioning.text, conditioning.sample_prompts, "output.sample_prompts");
  check_words(*conditioning.text, {c.negative_prompt}, "negative_prompt");
  return conditioning;
}

// The VAE is needed for samples only.
Conditioning prompt_conditioning(const Config& c, const PartSource& source) {
  Conditioning conditioning{.sample_prompts = c.output.sample_prompts};
  if (conditioning.sample_prompts.empty()) {  // before the VAE is on the device: the file may be unusable
    conditioning.sample_prompts = read_prompts(c.data.prompts);
    conditioning.sample_prompts.resize(std::min<size_t>(conditioning.sample_prompts.size(), kSamplePrompts));
  }
  conditioning.text = build_text_encoder(c, source);
  if (c.output.sample_every > 0) conditioning.codec = build_codec(c, source);
  return conditioning;
}

// Sizes of encoded videos must match the network that learns them.
void check_clips_fit(const Config& c, const ClipShardOrder& order) {
  const std::vector<int64_t> sizes(order.latent.begin() + 1, order.latent.end());
  SGF_CHECK(sizes == latent_shape(c), "data.clips {}: holds latents of [{}], but this config needs [{}]", c.data.clips,
            fmt::join(sizes, ", "), fmt::join(latent_shape(c), ", "));
  SGF_CHECK(c.video.frames <= order.latent.front(),
            "data.clips {}: its clips have {} latent frames, but video.frames is {}", c.data.clips,
            order.latent.front(), c.video.frames);
  SGF_CHECK(order.text_len == c.model.text_len && order.text_dim == c.model.text_dim,
            "data.clips {}: holds text embeddings of {}x{}, got model.text_len {} and model.text_dim {}", c.data.clips,
            order.text_len, order.text_dim, c.model.text_len, c.model.text_dim);
}

// An encoder for prompts without embedding in the clips; none if the clips hold all that the run needs.
std::shared_ptr<const TextEncoder> encoder_beside(const ClipShards& shards, const Config& c, const PartSource& source) {
  std::vector<std::string> prompts = c.output.sample_every > 0 ? c.output.sample_prompts : std::vector<std::string>{};
  if (is_student_stage(c.train.stage)) prompts.push_back(c.negative_prompt);  // for the guidance of the teacher
  const auto is_held = [&](const std::string& prompt) { return shards.text_rows(prompt).has_value(); };
  if (source.wan.empty() || std::ranges::all_of(prompts, is_held)) return nullptr;
  const std::filesystem::path file = WanFolder(source.wan).text_encoder();
  SGF_CHECK(weight_identity(open_tensor_file(file)) == shards.order().text_encoder,
            "{}: differs from the text encoder that {} was encoded with", file.string(), c.data.clips);
  return build_text_encoder(c, source);
}

// The Wan folder is for samples, and for prompts that are not captions.
Conditioning clip_conditioning(const Config& c, const PartSource& source) {
  const auto shards = std::make_shared<ClipShards>(c.data.clips, static_cast<uint64_t>(c.run.seed));
  check_clips_fit(c, shards->order());
  Conditioning conditioning{
      .text = std::make_shared<ClipText>(shards, at::TensorOptions().device(source.device).dtype(compute_type(c)),
                                         encoder_beside(*shards, c, source)),
      .sample_prompts = c.output.sample_prompts};
  if (c.output.sample_every > 0) conditioning.codec = build_codec(c, source);
  if (conditioning.sample_prompts.empty()) conditioning.sample_prompts = shards->first_captions(kSamplePrompts);
  return conditioning;
}

}  // namespace

std::vector<std::string> world_prompts(const Config& c, int64_t first, int64_t count) {
  return WorldSource(world_preset(c.data.world), static_cast<uint64_t>(c.run.seed)).prompts(first, count);
}

void check_words(const TextEncoder& text, const std::vector<std::string>& prompts, const std::string& source) {
  for (size_t i = 0; i < prompts.size(); ++i) {
    try {
      text.encode({prompts[i]});
    } catch (const Error& error) {
      const std::string place = source.empty() ? "prompt" : fmt::format("{}: prompt {},", source, i + 1);
      fail("{} {}: {}", place, in_quotes(prompts[i]), error.what());
    }
  }
}

Conditioning build_conditioning(const Config& c, c10::Device device, const Log& warn) {
  const std::vector<std::string> needs = unmet_needs(c);
  SGF_CHECK(needs.empty(), "{}", needs.front());
  const PartSource source{.wan = c.data.wan, .device = device, .warn = warn};
  if (!c.data.clips.empty()) return clip_conditioning(c, source);
  return c.data.world.empty() ? prompt_conditioning(c, source) : world_conditioning(c, source);
}

}  // namespace sgf

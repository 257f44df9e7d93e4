#include "sgf/streaming/stream_parts.h"

#include "sgf/assembly/codec_and_text.h"
#include "sgf/assembly/networks_from_config.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/streaming/order_loras.h"

#include <ATen/ATen.h>

#include <cmath>

namespace sgf {
namespace {

int64_t first_block(const Config& c) { return c.context.first_block(); }

// Sizes and lengths are planned with the shape alone, before the codec is loaded.
void check_shape(const VideoCodec& codec, const CodecShape& shape) {
  SGF_CHECK(codec.spatial_factor() == shape.spatial && codec.picture_frames(2) == shape.pictures(2),
            "the VAE must be Wan's with 5 frames from 2 latent frames and 8 pixels per latent pixel, got {} and {}",
            codec.picture_frames(2), codec.spatial_factor());
}

}  // namespace

LatentStreamSettings latent_settings(const GenerateOrder& order) {
  const Config& c = order.config;
  return {.policy = c.context.policy(),
          .positions = c.context.position_rule(),
          .block_frames = c.context.block_frames,
          .first_block_frames = first_block(c),
          .timesteps = c.schedule.timesteps(),
          .latent = {c.model.in_dim, c.video.height, c.video.width},
          .guidance = order.guidance,
          .on_switch = order.on_switch,
          .sigma = c.schedule.sigma_rule(),
          .first_timesteps = c.schedule.first_block_timesteps()};
}

StreamSettings stream_settings(const GenerateOrder& order) {
  return {.latents = latent_settings(order),
          .fps = order.config.video.fps,
          .seed = static_cast<uint64_t>(order.config.run.seed),
          .video = order.number,
          .seeds = order.seeds};
}

PictureSize picture_size(const Config& c) {
  const int64_t factor = codec_shape(c).spatial;
  return {c.video.height * factor, c.video.width * factor};
}

StreamParts build_conditioning_parts(const GenerateOrder& order, c10::Device device,
                                     const std::function<void(const std::string&)>& warn,
                                     EmbeddingCache::Use cache_use) {
  const PartSource source{.wan = order.wan, .device = device, .warn = warn, .cache_use = cache_use};
  StreamParts parts{.device = device};
  parts.text = build_text_encoder(order.config, source);
  parts.codec = build_codec(order.config, source);
  check_shape(*parts.codec, codec_shape(order.config));
  return parts;
}

void add_network(StreamParts& parts, const GenerateOrder& order) {
  parts.dit = std::make_shared<CausalDit>(build_network(order.config, order.model, parts.device, lora_uses(order)));
}

StreamParts build_parts(const GenerateOrder& order, const std::function<void(const std::string&)>& warn,
                        EmbeddingCache::Use cache_use) {
  StreamParts parts = build_conditioning_parts(order, device_of(order.config.run.device), warn, cache_use);
  add_network(parts, order);
  return parts;
}

std::vector<StreamScene> encode_scenes(const GenerateOrder& order, const StreamParts& parts) {
  std::vector<std::string> prompts;  // in one call: a large encoder is loaded once
  for (const TimedPrompt& prompt : order.prompts) prompts.push_back(prompt.prompt);
  if (order.guidance != 1) prompts.push_back(order.negative);
  const at::Tensor rows = parts.text->encode(prompts).to(parts.device, compute_type(order.config));
  const at::Tensor uncond = order.guidance == 1 ? at::Tensor() : rows.slice(0, -1);
  std::vector<StreamScene> scenes;
  for (size_t i = 0; i < order.prompts.size(); ++i)
    scenes.push_back({order.prompts[i], {rows.narrow(0, static_cast<int64_t>(i), 1), uncond}});
  return scenes;
}

at::Tensor given_of(const GenerateOrder& order, const StreamParts& parts) {
  const Config& c = order.config;
  const auto options = at::TensorOptions().device(parts.device).dtype(at::kFloat);
  const PictureSize size = picture_size(c);
  if (!order.image.empty()) return given_image(*parts.codec, order.image, size, first_block(c), options);
  if (order.video.empty()) return {};
  const GivenBlocks blocks{.first_block_frames = first_block(c),
                           .block_frames = c.context.block_frames,
                           .most_frames = c.context.sink_frames + c.context.fifo_frames};
  return given_video(*parts.codec, order.video, size, blocks, options);
}

int64_t blocks_for(double seconds, const Config& c) {
  SGF_CHECK(seconds > 0 && seconds < 1e9, "the length of a video must be more than 0 and less than 1e9 seconds, got {}",
            seconds);
  const auto pictures = static_cast<int64_t>(std::ceil(seconds * c.video.fps - 1e-6));
  const int64_t temporal = codec_shape(c).temporal;
  const int64_t latents = 1 + (pictures - 1 + temporal - 1) / temporal;
  const int64_t rest = std::max<int64_t>(latents - first_block(c), 0);
  return 1 + (rest + c.context.block_frames - 1) / c.context.block_frames;
}

int64_t pictures_for(int64_t blocks, const Config& c) {
  return blocks == 0 ? 0 : codec_shape(c).pictures(first_block(c) + (blocks - 1) * c.context.block_frames);
}

}  // namespace sgf

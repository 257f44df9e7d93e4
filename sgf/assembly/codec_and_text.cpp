#include "sgf/assembly/codec_and_text.h"

#include "sgf/assembly/networks_from_config.h"
#include "sgf/assembly/wan_survey.h"
#include "sgf/core/error.h"
#include "sgf/text/wan_text_encoder.h"
#include "sgf/vae/wan_vae_codec.h"
#include "sgf/weights/wan_folder.h"
#include "sgf/world/codec.h"
#include "sgf/world/text.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

WanFolder wan_folder(const Config& config, const PartSource& source) {
  SGF_CHECK(!source.wan.empty(),
            "{} needs a text encoder and a VAE: pass --wan DIR, a Wan folder with models_t5_umt5-xxl-enc-bf16.pth, "
            "google/umt5-xxl/spiece.model and Wan2.1_VAE.pth",
            config.name);
  return WanFolder(source.wan);
}

at::TensorOptions options_of(const Config& config, const PartSource& source) {
  return at::TensorOptions().device(source.device).dtype(compute_type(config));
}

std::shared_ptr<const TextEncoder> wan_text_encoder(const Config& config, const PartSource& source) {
  const WanFolder folder = wan_folder(config, source);
  check_text_files(folder.text_encoder(), folder.tokenizer());
  std::shared_ptr<const TextEncoder> text = open_wan_text_encoder({.encoder = folder.text_encoder(),
                                                                   .tokenizer = folder.tokenizer(),
                                                                   .text_len = config.model.text_len,
                                                                   .options = options_of(config, source),
                                                                   .cache = default_embedding_folder(),
                                                                   .cache_use = source.cache_use,
                                                                   .warn = source.warn});
  SGF_CHECK(text->text_dim() == config.model.text_dim,
            "{}: this text encoder gives embeddings of width {}, the network reads width {}",
            folder.text_encoder().string(), text->text_dim(), config.model.text_dim);
  return text;
}

// From the header: a VAE of another model does not reach the device. What is no Wan VAE is refused when it is loaded.
void check_vae_fits(const std::filesystem::path& path, const Config& config) {
  const TensorFile file = open_tensor_file(path);
  const std::optional<VaeIndex> vae = find_vae(file);
  if (!vae) return;
  const int64_t channels = infer_vae_config(*vae).z_dim;
  SGF_CHECK(channels == config.model.in_dim, "{}: the latents of this VAE have {} channels, the network reads {}",
            path.string(), channels, config.model.in_dim);
}

std::shared_ptr<const VideoCodec> wan_codec(const Config& config, const PartSource& source) {
  const WanFolder folder = wan_folder(config, source);
  check_vae_fits(folder.vae(), config);
  return std::make_shared<WanVaeCodec>(WanVaeCodec::load(folder.vae(), options_of(config, source)));
}

}  // namespace

std::shared_ptr<const TextEncoder> build_text_encoder(const Config& config, const PartSource& source) {
  if (config.data.world.empty()) return wan_text_encoder(config, source);
  return std::make_shared<WorldTextEncoder>(world_preset(config.data.world), at::TensorOptions().device(source.device));
}

std::shared_ptr<const VideoCodec> build_codec(const Config& config, const PartSource& source) {
  if (config.data.world.empty()) return wan_codec(config, source);
  return std::make_shared<WorldCodec>(world_preset(config.data.world));
}

CodecShape codec_shape(const Config& config) {
  if (config.data.world.empty()) return {};
  return {.spatial = world_preset(config.data.world).codec_patch, .temporal = 1};
}

}  // namespace sgf

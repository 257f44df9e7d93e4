#include "sgf/assembly/wan_conditioning.h"

#include "sgf/assembly/networks_from_config.h"
#include "sgf/assembly/wan_survey.h"
#include "sgf/core/error.h"
#include "sgf/text/embedding_cache.h"
#include "sgf/text/wan_text_encoder.h"
#include "sgf/vae/wan_vae_codec.h"
#include "sgf/weights/wan_folder.h"

#include <ATen/ATen.h>

namespace sgf {

std::shared_ptr<const TextEncoder> wan_text(const WanSource& source, const Config& config) {
  const WanFolder folder(source.folder);
  check_text_files(folder.text_encoder(), folder.tokenizer());
  std::shared_ptr<const TextEncoder> text =
      open_wan_text_encoder({.encoder = folder.text_encoder(),
                             .tokenizer = folder.tokenizer(),
                             .text_len = config.model.text_len,
                             .options = at::TensorOptions().device(source.device).dtype(compute_type(config)),
                             .cache = default_embedding_folder(),
                             .cache_use = source.cache_use,
                             .warn = source.warn});
  SGF_CHECK(text->text_dim() == config.model.text_dim,
            "{}: this text encoder gives embeddings of width {}, the network reads width {}",
            folder.text_encoder().string(), text->text_dim(), config.model.text_dim);
  return text;
}

std::shared_ptr<const VideoCodec> wan_codec(const WanSource& source, const Config& config) {
  const WanFolder folder(source.folder);
  const auto options = at::TensorOptions().device(source.device).dtype(compute_type(config));
  auto codec = std::make_shared<WanVaeCodec>(WanVaeCodec::load(folder.vae(), options));
  SGF_CHECK(codec->latent_channels() == config.model.in_dim,
            "{}: the latents of this VAE have {} channels, the network reads {}", folder.vae().string(),
            codec->latent_channels(), config.model.in_dim);
  return codec;
}

}  // namespace sgf

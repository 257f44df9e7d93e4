#include "sgf/training/wan_surroundings.h"

#include "sgf/core/error.h"
#include "sgf/core/wan_folder.h"
#include "sgf/text/embedding_cache.h"
#include "sgf/text/wan_text_encoder.h"
#include "sgf/training/configured_passes.h"
#include "sgf/vae/wan_vae_codec.h"

#include <ATen/ATen.h>

namespace sgf {

std::shared_ptr<const TextEncoder> wan_text(const WanSource& source, const Config& config) {
  const WanFolder folder(source.folder);
  std::shared_ptr<const TextEncoder> text =
      open_wan_text_encoder({.encoder = folder.text_encoder(),
                             .tokenizer = folder.tokenizer(),
                             .text_len = config.model.text_len,
                             .options = at::TensorOptions().device(source.device).dtype(compute_type(config)),
                             .residence = source.residence,
                             .cache = default_embedding_folder(),
                             .warn = source.warn});
  check(text->text_dim() == config.model.text_dim, "training",
        "{}: this text encoder writes rows of {}, the network reads rows of {}", folder.text_encoder().string(),
        text->text_dim(), config.model.text_dim);
  return text;
}

std::shared_ptr<const VideoCodec> wan_codec(const WanSource& source, const Config& config) {
  const WanFolder folder(source.folder);
  const auto options = at::TensorOptions().device(source.device).dtype(compute_type(config));
  auto codec = std::make_shared<WanVaeCodec>(WanVaeCodec::load(folder.vae(), options));
  check(codec->latent_channels() == config.model.in_dim, "training",
        "{}: this VAE has latents of {} channels, the network reads {}", folder.vae().string(),
        codec->latent_channels(), config.model.in_dim);
  return codec;
}

}  // namespace sgf

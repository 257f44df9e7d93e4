// Between pictures and the latents that the network speaks. The world's
// space-to-depth and a video VAE look alike from here on.
#pragma once

#include <ATen/core/Tensor.h>

#include "sgf/files/tensors.h"

#include <cstdint>
#include <memory>

namespace sgf {

// Decodes a stream block by block; holds what the codec must remember from one block to the next.
class DecoderStream {
 public:
  virtual ~DecoderStream() = default;

  // Latents [B, F, C, h, w] that follow those of the last call -> the pictures they add, [B, F', 3, H, W].
  virtual at::Tensor next(const at::Tensor& latents) = 0;

  // What it remembers. A fresh stream that is handed this goes on as this one would, to the bit.
  virtual NamedTensors state() const = 0;
  virtual void restore(const NamedTensors& state) = 0;
};

// Encodes a stream in pieces of any length. A picture too few for the next latent waits for those that follow.
class EncoderStream {
 public:
  virtual ~EncoderStream() = default;

  // Pictures [B, F, 3, H, W] that follow those of the last call -> the latents they complete, [B, F', C, h, w]; F' may
  // be 0.
  virtual at::Tensor next(const at::Tensor& pictures) = 0;
};

class VideoCodec {
 public:
  virtual ~VideoCodec() = default;

  virtual int64_t latent_channels() const = 0;
  virtual int64_t spatial_factor() const = 0;                 // pixels a latent pixel, along one side
  virtual int64_t latent_frames(int64_t frames) const = 0;    // how many latents so many pictures become
  virtual int64_t picture_frames(int64_t latents) const = 0;  // and how many pictures so many latents

  // [B, F, 3, H, W] in [0, 1] -> [B, F', C, h, w] of about zero mean and unit
  // variance.
  virtual at::Tensor encode(const at::Tensor& video) const = 0;
  // And back. Pictures may leave [0, 1] where latents are not those of a
  // picture; whoever shows them clamps.
  virtual at::Tensor decode(const at::Tensor& latents) const = 0;

  virtual std::unique_ptr<DecoderStream> stream_decoder() const = 0;
  virtual std::unique_ptr<EncoderStream> stream_encoder() const = 0;
};

}  // namespace sgf

// Between frames and the latents that the network uses. The world's space-to-depth codec and a video VAE have the same
// interface.
#pragma once

#include <ATen/core/Tensor.h>

#include "sgf/files/tensors.h"

#include <cstdint>
#include <memory>

namespace sgf {

// Decodes a stream block by block; holds the codec's state between blocks.
class DecoderStream {
 public:
  virtual ~DecoderStream() = default;

  // Latents [B, F, C, h, w] that follow those of the last call -> the frames that they add, [B, F', 3, H, W].
  virtual at::Tensor next(const at::Tensor& latents) = 0;

  // The stream's state. A fresh stream that is given this state continues bit for bit as this one would.
  virtual NamedTensors state() const = 0;
  virtual void restore(const NamedTensors& state) = 0;
};

// Encodes a stream in pieces of any length. Frames that do not complete a latent frame wait for the next call.
class EncoderStream {
 public:
  virtual ~EncoderStream() = default;

  // Frames [B, F, 3, H, W] that follow those of the last call -> the latents that they complete, [B, F', C, h, w]; F'
  // may be 0.
  virtual at::Tensor next(const at::Tensor& pictures) = 0;
};

class VideoCodec {
 public:
  virtual ~VideoCodec() = default;

  virtual int64_t latent_channels() const = 0;
  virtual int64_t spatial_factor() const = 0;                 // pixels per latent pixel, along one side
  virtual int64_t latent_frames(int64_t frames) const = 0;    // latent frames from this many frames
  virtual int64_t picture_frames(int64_t latents) const = 0;  // frames from this many latent frames

  // [B, F, 3, H, W] in [0, 1] -> [B, F', C, h, w] with about zero mean and unit variance.
  virtual at::Tensor encode(const at::Tensor& video) const = 0;
  // The inverse. Values may leave [0, 1] if the latents are not those of a real video; clamp them for display.
  virtual at::Tensor decode(const at::Tensor& latents) const = 0;

  virtual std::unique_ptr<DecoderStream> stream_decoder() const = 0;
  virtual std::unique_ptr<EncoderStream> stream_encoder() const = 0;
};

}  // namespace sgf

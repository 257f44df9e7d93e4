// Noise as tensors. The same key gives the same number on every device (uniforms bit for bit, normals up to rounding)
// and in every dtype: float64 widens the float32 draw, bfloat16 rounds it.
#pragma once

#include "sgf/core/noise.h"

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

namespace sgf {

// Element i, in row-major order, is draw i of the key's stream. Options give the dtype (float64, float32, bfloat16) and
// the device (CPU, CUDA); anything else throws.
at::Tensor normal(const NoiseKey& key, at::IntArrayRef shape, const at::TensorOptions& options);

// In [0, 1); a bfloat16 may round up to 1.
at::Tensor uniform(const NoiseKey& key, at::IntArrayRef shape, const at::TensorOptions& options);

// shape [B, ...]: row b is normal() of sample `first.sample + b`, so a sample's noise does not depend on the batching.
at::Tensor normal_per_sample(const NoiseKey& first, at::IntArrayRef shape, const at::TensorOptions& options);
at::Tensor uniform_per_sample(const NoiseKey& first, at::IntArrayRef shape, const at::TensorOptions& options);

}  // namespace sgf

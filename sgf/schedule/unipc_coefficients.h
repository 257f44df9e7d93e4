// The coefficients of UniPC (Zhao et al. 2023), B(h) = e^h - 1 ("bh2"), on predicted clean latents. Torch-free: one
// step is a weighted sum of a latent and up to three predictions.
#pragma once

#include <cstdint>
#include <span>

namespace sgf {

// Weights of a step from sigmas[k] to sigmas[k + 1]; m_i is the clean latent predicted at sigmas[i].
struct UniPcWeights {
  double x = 0;         // the latent at sigmas[k]
  double current = 0;   // m_k
  double previous = 0;  // m_{k-1}, used by order 2
  double next = 0;      // m_{k+1}, used by the corrector
};

// Order 1 or 2; order 2 needs k >= 1 and a step that does not end at sigma 0.
UniPcWeights unipc_predictor(std::span<const double> sigmas, int64_t k, int order);

// Repeats the step once the prediction at its end is known. Never used for a step that ends at sigma 0: nothing is
// predicted there.
UniPcWeights unipc_corrector(std::span<const double> sigmas, int64_t k, int order);

}  // namespace sgf

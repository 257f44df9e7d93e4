// Mean and deviation of each latent channel: networks see (latent - mean) / deviation.
#pragma once

#include <cstdint>
#include <vector>

namespace sgf {

struct LatentScale {
  std::vector<double> mean;
  std::vector<double> deviation;

  // Throws unless there is one mean and one deviation per channel, and every deviation is positive.
  void validate(int64_t channels) const;
};

// The values published with Wan 2.1 for its 16 channels; 0 and 1 for any other number.
LatentScale usual_latent_scale(int64_t channels);

}  // namespace sgf

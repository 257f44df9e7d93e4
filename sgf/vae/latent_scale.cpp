#include "sgf/vae/latent_scale.h"

#include "sgf/core/error.h"

#include <algorithm>
#include <cmath>

namespace sgf {

void LatentScale::validate(int64_t channels) const {
  const auto count = static_cast<size_t>(channels);
  SGF_CHECK(mean.size() == count && deviation.size() == count,
            "latents of {} channels need one mean and one deviation per channel, got {} and {}", channels, mean.size(),
            deviation.size());
  SGF_CHECK(std::ranges::all_of(deviation, [](double d) { return std::isfinite(d) && d > 0; }),
            "deviations of latent channels must be finite and positive");
}

LatentScale usual_latent_scale(int64_t channels) {
  const auto count = static_cast<size_t>(channels);
  if (channels != 16) return {std::vector<double>(count, 0.0), std::vector<double>(count, 1.0)};
  return {{-0.7571, -0.7089, -0.9113, 0.1075, -0.1745, 0.9653, -0.1517, 1.5508, 0.4134, -0.0715, 0.5517, -0.3632,
           -0.1922, -0.9497, 0.2503, -0.2921},
          {2.8184, 1.4541, 2.3275, 2.6558, 1.2196, 1.7708, 2.6052, 2.0743, 3.2687, 2.1526, 2.8652, 1.5579, 1.6382,
           1.1253, 2.8251, 1.9160}};
}

}  // namespace sgf

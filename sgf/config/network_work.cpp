#include "sgf/config/network_work.h"

namespace sgf {
namespace {

// In double: a product of sizes that nobody has checked may leave 63 bits.
double work_of_frames(const Config& c, double frames) {
  const double pixels = frames * static_cast<double>(c.video.height) * static_cast<double>(c.video.width);
  const double tokens = pixels / static_cast<double>(c.model.patch_volume());
  return tokens * static_cast<double>(c.model.dim) * static_cast<double>(c.model.ffn_dim);
}

}  // namespace

double work_of_block(const Config& config) {
  return work_of_frames(config, static_cast<double>(config.context.block_frames));
}

double work_of_clips(const Config& config, int64_t clips) {
  return work_of_frames(config, static_cast<double>(clips) * static_cast<double>(config.video.frames));
}

}  // namespace sgf

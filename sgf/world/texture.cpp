#include "sgf/world/texture.h"

#include "sgf/world/render.h"

#include <ATen/ATen.h>

#include <map>
#include <mutex>
#include <utility>

namespace sgf {
namespace {

constexpr uint64_t kTruthSeed = 0x7472757468;  // used by no training clip
constexpr int64_t kTruthFrames = 21;

}  // namespace

double motion_energy(const at::Tensor& video) {
  if (video.size(0) < 2) return 0;
  return (video.slice(0, 1) - video.slice(0, 0, -1)).square().mean().item<double>();
}

double sharpness(const at::Tensor& video) {
  const at::Tensor light = video.mean(1);
  const int64_t last = light.size(1) - 1;
  const at::Tensor inner = light.slice(1, 1, last).slice(2, 1, last);
  const at::Tensor around = light.slice(1, 0, last - 1).slice(2, 1, last) + light.slice(1, 2).slice(2, 1, last) +
                            light.slice(1, 1, last).slice(2, 0, last - 1) + light.slice(1, 1, last).slice(2, 2);
  return (around - 4 * inner).abs().mean().item<double>();
}

at::Tensor true_clip(const WorldCaption& caption, const WorldPreset& preset, int64_t clip, int64_t frames) {
  return render(preset, draw_scene(preset, kTruthSeed, clip, caption), {0, frames});
}

namespace {

Texture make_true_texture(const WorldCaption& caption, const WorldPreset& preset) {
  Texture texture;
  for (int64_t clip = 0; clip < kTextureClips; ++clip) {
    const at::Tensor video = true_clip(caption, preset, clip, kTruthFrames);
    texture.motion_energy += sgf::motion_energy(video) / kTextureClips;
    texture.sharpness += sgf::sharpness(video) / kTextureClips;
  }
  return texture;
}

}  // namespace

// A pure function of a few words, needed for every video. References to map values stay valid. Other threads do not
// wait while a texture is computed: two threads that compute the same one get equal results.
const Texture& true_texture(const WorldCaption& caption, const WorldPreset& preset) {
  static std::mutex mutex;
  static std::map<std::pair<WorldCaption, WorldPreset>, Texture> known;
  const std::pair key{caption, preset};
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end()) return found->second;
  }
  const Texture made = make_true_texture(caption, preset);
  const std::lock_guard lock(mutex);
  return known.try_emplace(key, made).first->second;
}

}  // namespace sgf

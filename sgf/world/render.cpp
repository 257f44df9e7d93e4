#include "sgf/world/render.h"

#include "sgf/core/counted.h"
#include "sgf/core/error.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace sgf {
namespace {

// Renders one batch. Factors are collected on the host in float64 and copied to the device as small tensors.
class Painter {
 public:
  Painter(const WorldPreset& preset, const std::vector<ClipSpan>& clips, c10::Device device)
      : preset_(preset), clips_(clips), device_(device), frames_(clips.front().frames.frames()) {
    const at::Tensor pixel = at::arange(preset.size, at::device(device).dtype(at::kFloat)) + 0.5;
    x_ = pixel.view({1, 1, 1, -1});
    y_ = pixel.view({1, 1, -1, 1});
  }

  at::Tensor paint() {
    paint_background();
    for (int64_t i = 0; i < preset_.max_landmarks; ++i) paint_landmark(static_cast<size_t>(i));
    at::Tensor video = background_.expand({-1, frames_, -1, -1, -1});
    for (int64_t i = 0; i < preset_.objects; ++i) video = paint_object(video, static_cast<size_t>(i));
    return video.contiguous().clamp_(0, 1);
  }

 private:
  using OfClip = std::function<double(const WorldScene&)>;
  using OfFrame = std::function<double(const WorldScene&, int64_t frame)>;

  at::Tensor numbers(const std::vector<float>& values, at::IntArrayRef shape) const {
    const auto options = at::TensorOptions(at::kFloat).pinned_memory(!device_.is_cpu());
    at::Tensor out = at::empty({static_cast<int64_t>(values.size())}, options);
    std::copy(values.begin(), values.end(), out.data_ptr<float>());
    return out.view(shape).to(device_, /*non_blocking=*/true);  // pinned memory: no waiting for the device
  }

  // One number per clip, [B, 1, 1, 1].
  at::Tensor per_clip(const OfClip& value) const {
    std::vector<float> values;
    for (const ClipSpan& clip : clips_) values.push_back(static_cast<float>(value(clip.scene)));
    return numbers(values, {-1, 1, 1, 1});
  }

  // One number per frame, [B, F, 1, 1].
  at::Tensor per_frame(const OfFrame& value) const {
    std::vector<float> values;
    for (const ClipSpan& clip : clips_) {
      for (int64_t f = clip.frames.begin; f < clip.frames.end; ++f) {
        values.push_back(static_cast<float>(value(clip.scene, f)));
      }
    }
    return numbers(values, {-1, frames_, 1, 1});
  }

  // One colour per clip, [B, 1, 3, 1, 1].
  at::Tensor colours(const std::function<Rgb(const WorldScene&)>& colour) const {
    std::vector<float> values;
    for (const ClipSpan& clip : clips_) {
      for (const double channel : colour(clip.scene)) values.push_back(static_cast<float>(channel));
    }
    return numbers(values, {-1, 1, 3, 1, 1});
  }

  // 1 inside, 0 outside, soft over the pixel that the outline crosses.
  static at::Tensor coverage(const at::Tensor& distance) { return (0.5 - distance).clamp(0, 1); }

  void paint_background() {
    const at::Tensor colour = colours([](const WorldScene& s) { return colour_of(s.background); });
    const at::Tensor slope = per_clip([](const WorldScene& s) { return s.gradient; });
    const at::Tensor height = y_ * (2.0 / static_cast<double>(preset_.size)) - 1;
    background_ = (colour + (slope * height).unsqueeze(2)).expand({-1, 1, 3, preset_.size, preset_.size});
  }

  // A clip with fewer landmarks than `index` gets one of radius -1, which covers nothing.
  void paint_landmark(size_t index) {
    const auto has = [=](const WorldScene& s) { return index < s.landmarks.size(); };
    const auto of = [=](const WorldScene& s) { return has(s) ? s.landmarks[index] : Landmark{}; };
    const at::Tensor x = x_ - per_clip([&](const WorldScene& s) { return of(s).centre.x; });
    const at::Tensor y = y_ - per_clip([&](const WorldScene& s) { return of(s).centre.y; });
    const at::Tensor radius = per_clip([&](const WorldScene& s) { return has(s) ? preset_.landmark_radius : -1.0; });
    const at::Tensor colour =
        colours([&](const WorldScene& s) { return rgb_of_hsv(of(s).hue, kLandmarkSaturation, kLandmarkValue); });
    background_ = at::lerp(background_, colour, coverage(disc_distance(x, y, radius)).unsqueeze(2));
  }

  at::Tensor paint_object(const at::Tensor& video, size_t index) const {
    const auto of = [=](const WorldScene& s) -> const SceneObject& { return s.objects[index]; };
    const at::Tensor x = x_ - per_frame([&](const WorldScene& s, int64_t f) { return of(s).centre(f).x; });
    const at::Tensor y = y_ - per_frame([&](const WorldScene& s, int64_t f) { return of(s).centre(f).y; });
    const at::Tensor colour =
        colours([&](const WorldScene& s) { return rgb_of_hsv(of(s).hue, kObjectSaturation, kObjectValue); });
    const at::Tensor shaded = colour * (1 - kPatternDepth * pattern(index, x, y)).unsqueeze(2);
    return at::lerp(video, shaded, coverage(distance(index, x, y)).unsqueeze(2));
  }

  // A batch mixes shapes: each clip uses the outline of its own word.
  at::Tensor distance(size_t index, const at::Tensor& x, const at::Tensor& y) const {
    const auto shape = [=](const WorldScene& s) { return s.objects[index].words.shape; };
    const at::Tensor radius = per_clip([&](const WorldScene& s) { return s.objects[index].radius; });
    at::Tensor chosen = disc_distance(x, y, radius);
    for (const ShapeWord word : {ShapeWord::kSquare, ShapeWord::kTriangle}) {
      const auto has_word = [&](const ClipSpan& clip) { return shape(clip.scene) == word; };
      if (std::none_of(clips_.begin(), clips_.end(), has_word)) continue;
      const at::Tensor is_word = per_clip([&](const WorldScene& s) { return shape(s) == word ? 1.0 : 0.0; }) > 0.5;
      chosen = at::where(is_word, shape_distance(word, x, y, radius), chosen);
    }
    return chosen;
  }

  // [B, F, H, W] in [0, 1], where 1 is darkest. Stripes are a wave along `angle`; dots are the product of two
  // perpendicular waves.
  at::Tensor pattern(size_t index, const at::Tensor& x, const at::Tensor& y) const {
    const auto of = [=](const WorldScene& s) -> const SurfacePattern& { return s.objects[index].pattern; };
    const auto per_pixel = [](const SurfacePattern& p) { return 2 * std::numbers::pi / p.period; };
    const at::Tensor along = per_clip([&](const WorldScene& s) { return std::cos(of(s).angle) * per_pixel(of(s)); });
    const at::Tensor across = per_clip([&](const WorldScene& s) { return std::sin(of(s).angle) * per_pixel(of(s)); });
    const at::Tensor phase = per_clip([&](const WorldScene& s) { return of(s).phase; });
    const at::Tensor dots = per_clip([&](const WorldScene& s) { return of(s).kind == PatternKind::kDots ? 1.0 : 0.0; });
    const at::Tensor wave = 0.5 + 0.5 * at::sin(x * along + y * across + phase);
    const at::Tensor second = 0.5 + 0.5 * at::sin(y * along - x * across + phase);
    return wave * at::lerp(at::ones_like(second), second, dots);
  }

  const WorldPreset& preset_;
  const std::vector<ClipSpan>& clips_;
  c10::Device device_;
  int64_t frames_;
  at::Tensor x_;           // [1, 1, 1, W], pixel centres
  at::Tensor y_;           // [1, 1, H, 1]
  at::Tensor background_;  // [B, 1, 3, H, W]
};

void check_clips(const WorldPreset& preset, const std::vector<ClipSpan>& clips) {
  preset.validate();
  SGF_CHECK(!clips.empty(), "no clips to render");
  for (const ClipSpan& clip : clips) {
    SGF_CHECK(clip.frames.begin >= 0 && !clip.frames.empty() && clip.frames.frames() == clips.front().frames.frames(),
              "clips of a batch must have the same number of frames, at least 1 and from 0 "
              "on, got [{}, {})",
              clip.frames.begin, clip.frames.end);
    SGF_CHECK(static_cast<int64_t>(clip.scene.objects.size()) == preset.objects &&
                  static_cast<int64_t>(clip.scene.landmarks.size()) <= preset.max_landmarks,
              "a scene of {} and {} does not fit {}", counted(std::ssize(clip.scene.objects), "object"),
              counted(std::ssize(clip.scene.landmarks), "landmark"), preset.name);
  }
}

}  // namespace

at::Tensor render(const WorldPreset& preset, const std::vector<ClipSpan>& clips, c10::Device device) {
  check_clips(preset, clips);
  return Painter(preset, clips, device).paint();
}

at::Tensor render(const WorldPreset& preset, const WorldScene& scene, FrameSpan frames, c10::Device device) {
  return render(preset, {ClipSpan{scene, frames}}, device).squeeze(0);
}

}  // namespace sgf

#include "sgf/world/reference.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sgf {
namespace {

constexpr double kInside = -0.75;       // pixels from the outline: far enough inside to avoid the background
constexpr double kFlatPattern = 0.015;  // standard deviation of brightness below
                                        // which a surface has no pattern
constexpr double kFlatMarks = 0.004;    // root mean square below which a background has no landmarks

void add_colour(Rgb& sum, const Rgb& value, double weight) {
  for (size_t c = 0; c < 3; ++c) sum[c] += weight * value[c];
}

double squared_distance(const Rgb& a, const Rgb& b) {
  const double distance = colour_distance(a, b);
  return distance * distance;
}

double brightness(const Rgb& c) { return std::max({c[0], c[1], c[2]}); }

// Pixel centres are at .5; edge pixels repeat beyond the edge.
Rgb sample_at(const FrameView& frame, Point at) {
  const double limit = static_cast<double>(frame.size) - 1;
  const double x = std::clamp(at.x - 0.5, 0.0, limit), y = std::clamp(at.y - 0.5, 0.0, limit);
  const auto left = static_cast<int64_t>(x), top = static_cast<int64_t>(y);
  const int64_t right = std::min(left + 1, frame.size - 1), bottom = std::min(top + 1, frame.size - 1);
  const double fx = x - static_cast<double>(left), fy = y - static_cast<double>(top);
  Rgb colour{};
  add_colour(colour, frame.at(top, left), (1 - fx) * (1 - fy));
  add_colour(colour, frame.at(top, right), fx * (1 - fy));
  add_colour(colour, frame.at(bottom, left), (1 - fx) * fy);
  add_colour(colour, frame.at(bottom, right), fx * fy);
  return colour;
}

// Sums for the correlation of two series.
class Correlation {
 public:
  void add(double a, double b) { n_ += 1, a_ += a, b_ += b, aa_ += a * a, bb_ += b * b, ab_ += a * b; }

  // Correlation about the means; 0 if either series spreads less than `flat`.
  double centred(double flat) const {
    if (n_ < 2) return 0;
    const double va = aa_ / n_ - a_ / n_ * (a_ / n_), vb = bb_ / n_ - b_ / n_ * (b_ / n_);
    if (va < flat * flat || vb < flat * flat) return 0;
    return (ab_ / n_ - a_ / n_ * (b_ / n_)) / std::sqrt(va * vb);
  }

  double about_zero(double flat) const {
    if (n_ < 2 || aa_ < n_ * flat * flat || bb_ < n_ * flat * flat) return 0;
    return ab_ / std::sqrt(aa_ * bb_);
  }

 private:
  double n_ = 0, a_ = 0, b_ = 0, aa_ = 0, bb_ = 0, ab_ = 0;
};

// The object as its words alone describe it: its colour at medium size, with an unknown pattern.
ObjectLook look_from_words(const WorldPreset& preset, const ObjectWords& words) {
  ObjectLook look{.radius = preset.radius.middle(), .hue = hue_of(words.colour)};
  look.reach = static_cast<int64_t>(std::ceil(1.5 * preset.radius.high));
  const Rgb colour = rgb_of_hsv(look.hue, kObjectSaturation, kObjectValue * (1 - kPatternDepth / 3));
  look.patch.assign(static_cast<size_t>((2 * look.reach + 1) * (2 * look.reach + 1)), colour);
  return look;
}

void add_to_patch(std::vector<Rgb>& patch, int64_t reach, const FrameView& frame, Point centre) {
  size_t i = 0;
  for (int64_t y = -reach; y <= reach; ++y) {
    for (int64_t x = -reach; x <= reach; ++x) {
      add_colour(patch[i++], sample_at(frame, {centre.x + static_cast<double>(x), centre.y + static_cast<double>(y)}),
                 1);
    }
  }
}

Point pixel_from(Point centre, int64_t y, int64_t x) {
  return {static_cast<double>(x) + 0.5 - centre.x, static_cast<double>(y) + 0.5 - centre.y};
}

// The value that a repainted frame has at a pixel.
Rgb repaint_pixel(const SeenFrame& frame, int64_t y, int64_t x, Rgb colour, const std::vector<ObjectLook>& looks,
                  const WorldCaption& caption) {
  for (size_t i = 0; i < looks.size(); ++i) {
    if (!frame.factors.objects[i]) continue;
    const Point from = pixel_from(frame.factors.objects[i]->centre, y, x);
    const double share = shape_coverage(caption.objects[i].shape, from, looks[i].radius);
    if (share <= 0) continue;
    const Rgb surface = looks[i].at(from);
    for (size_t c = 0; c < 3; ++c) colour[c] += share * (surface[c] - colour[c]);
  }
  return colour;
}

// Squared distances of an object's surface from the background, summed over its pixels.
double cost_of_absence(const ObjectLook& look, const Rgb& background) {
  Rgb mean{};
  for (const Rgb& pixel : look.patch) add_colour(mean, pixel, 1.0 / static_cast<double>(look.patch.size()));
  const Rgb centre = look.at({0, 0});
  const double area = std::numbers::pi * look.radius * look.radius;
  return area * std::max(squared_distance(centre, background), squared_distance(mean, background));
}

}  // namespace

Rgb ObjectLook::at(Point from_centre) const {
  const auto limit = static_cast<double>(2 * reach);
  const double x = std::clamp(from_centre.x + static_cast<double>(reach), 0.0, limit);
  const double y = std::clamp(from_centre.y + static_cast<double>(reach), 0.0, limit);
  const int64_t width = 2 * reach + 1, left = std::min<int64_t>(static_cast<int64_t>(x), width - 2);
  const int64_t top = std::min<int64_t>(static_cast<int64_t>(y), width - 2);
  const double fx = x - static_cast<double>(left), fy = y - static_cast<double>(top);
  const auto corner = static_cast<size_t>(top * width + left), below = corner + static_cast<size_t>(width);
  Rgb colour{};
  add_colour(colour, patch[corner], (1 - fx) * (1 - fy));
  add_colour(colour, patch[corner + 1], fx * (1 - fy));
  add_colour(colour, patch[below], (1 - fx) * fy);
  add_colour(colour, patch[below + 1], fx * fy);
  return colour;
}

Rgb BackgroundLook::at(int64_t y, int64_t x, int64_t size) const {
  Rgb colour = fit.at(height_of(y, size));
  add_colour(colour, marks[static_cast<size_t>(y * size + x)], 1);
  return colour;
}

ObjectLook look_of_object(std::span<const SeenFrame> frames, size_t object, const WorldPreset& preset,
                          const ObjectWords& words) {
  ObjectLook look = look_from_words(preset, words);
  std::vector<Rgb> sum(look.patch.size());
  double radius = 0, turn = 0;
  for (const SeenFrame& frame : frames) {
    const std::optional<FoundObject>& found = frame.factors.objects[object];
    if (!found || !is_named(*found, words, preset)) continue;
    add_to_patch(sum, look.reach, frame.picture, found->centre);
    radius += found->radius;
    turn += std::remainder(found->hue - hue_of(words.colour), 360.0);
    ++look.frames;
  }
  if (look.frames == 0) return look;
  const auto n = static_cast<double>(look.frames);
  for (Rgb& pixel : sum) pixel = {pixel[0] / n, pixel[1] / n, pixel[2] / n};
  look.patch = std::move(sum);
  look.radius = radius / n;
  look.hue = hue_of(words.colour) + turn / n;
  return look;
}

BackgroundLook look_of_background(std::span<const SeenFrame> frames, int64_t size) {
  const auto pixels = static_cast<size_t>(size * size);
  BackgroundLook look{.marks = std::vector<Rgb>(pixels), .seen = std::vector<int64_t>(pixels, 0)};
  for (const SeenFrame& frame : frames) {
    const BackgroundFit& fit = frame.factors.background;
    add_colour(look.fit.middle, fit.middle, 1.0 / static_cast<double>(frames.size()));
    add_colour(look.fit.slope, fit.slope, 1.0 / static_cast<double>(frames.size()));
    for (size_t i = 0; i < pixels; ++i) {
      if (frame.factors.covered[i] != 0) continue;
      const auto y = static_cast<int64_t>(i) / size, x = static_cast<int64_t>(i) % size;
      add_colour(look.marks[i], frame.picture.at(y, x), 1);
      add_colour(look.marks[i], fit.at(height_of(y, size)), -1);
      ++look.seen[i];
    }
  }
  for (size_t i = 0; i < pixels; ++i) {
    const auto n = static_cast<double>(std::max<int64_t>(look.seen[i], 1));
    for (double& channel : look.marks[i]) channel /= n;
  }
  return look;
}

double pattern_match(const ObjectLook& look, const FrameView& frame, const FoundObject& found, ShapeWord shape) {
  Correlation correlation;
  const double radius = std::min(look.radius, found.radius);
  for (int64_t y = -look.reach; y <= look.reach; ++y) {
    for (int64_t x = -look.reach; x <= look.reach; ++x) {
      const Point from{static_cast<double>(x), static_cast<double>(y)};
      if (shape_distance(shape, from.x, from.y, radius) > kInside) continue;
      const Rgb now = sample_at(frame, {found.centre.x + from.x, found.centre.y + from.y});
      correlation.add(brightness(look.at(from)), brightness(now));
    }
  }
  return correlation.centred(kFlatPattern);
}

double landmark_match(const BackgroundLook& a, const BackgroundLook& b) {
  Correlation correlation;
  for (size_t i = 0; i < a.marks.size(); ++i) {
    if (a.seen[i] == 0 || b.seen[i] == 0) continue;
    for (size_t c = 0; c < 3; ++c) correlation.add(a.marks[i][c], b.marks[i][c]);
  }
  return correlation.about_zero(kFlatMarks);
}

double repaint_error(const SeenFrame& frame, const BackgroundLook& background, const std::vector<ObjectLook>& looks,
                     const WorldCaption& caption) {
  const int64_t size = frame.picture.size;
  double sum = 0, pixels = 0;
  for (int64_t y = 0; y < size; ++y) {
    for (int64_t x = 0; x < size; ++x) {
      const bool known = background.seen[static_cast<size_t>(y * size + x)] > 0;
      if (!known && !frame.factors.is_covered(y, x, size)) continue;
      sum += squared_distance(frame.picture.at(y, x),
                              repaint_pixel(frame, y, x, background.at(y, x, size), looks, caption));
      pixels += 1;
    }
  }
  for (size_t i = 0; i < looks.size(); ++i) {
    if (!frame.factors.objects[i]) sum += cost_of_absence(looks[i], background.fit.middle);
  }
  return sum / (3 * std::max(pixels, 1.0));
}

}  // namespace sgf

#include "sgf/world/vision.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sgf {
namespace {

using std::numbers::pi;

// Objects have a chroma of .51 on their darkest marks and .86 elsewhere;
// backgrounds at most .20, landmarks .28.
constexpr double kObjectChroma = 0.38;
constexpr double kSmallestShare = 0.35;  // of the smallest object's area: a smaller blob is not an object
constexpr double kSizeTolerance = 1.25;  // a radius may exceed the world's range by this factor
constexpr double kNamedOverlap = 0.7;    // with the outline of the named object
constexpr int64_t kEdgePixels = 2;       // around an object, for its soft edge

struct Hsv {
  double hue = 0;  // degrees
  double chroma = 0;
};

Hsv hue_and_chroma(const Rgb& c) {
  const double high = std::max({c[0], c[1], c[2]}), low = std::min({c[0], c[1], c[2]}), chroma = high - low;
  if (chroma <= 0) return {};
  double sector = 0;
  if (high == c[0]) {
    sector = (c[1] - c[2]) / chroma;
  } else if (high == c[1]) {
    sector = 2 + (c[2] - c[0]) / chroma;
  } else {
    sector = 4 + (c[0] - c[1]) / chroma;
  }
  return {60 * sector, chroma};
}

// Connected pixels of one colour word.
struct Blob {
  int64_t colour = 0;
  std::vector<int64_t> pixels;
};

// Divides a frame into blobs: each saturated pixel gets the nearest colour word, and equal neighbours are joined.
class Segmentation {
 public:
  explicit Segmentation(const FrameView& frame) : frame_(frame), words_(static_cast<size_t>(frame.size * frame.size)) {
    for (int64_t i = 0; i < frame.size * frame.size; ++i) {
      const Hsv pixel = hue_and_chroma(frame.at(i / frame.size, i % frame.size));
      const auto word = static_cast<int64_t>(std::lround(pixel.hue / 60 + 6)) % word_count<ColourWord>();
      words_[static_cast<size_t>(i)] = pixel.chroma >= kObjectChroma ? static_cast<int8_t>(word) : kNone;
    }
  }

  std::vector<Blob> blobs(double smallest_area) {
    std::vector<Blob> blobs;
    for (int64_t i = 0; i < frame_.size * frame_.size; ++i) {
      if (words_[static_cast<size_t>(i)] == kNone) continue;
      Blob blob = take_blob(i);
      if (static_cast<double>(blob.pixels.size()) >= smallest_area) blobs.push_back(std::move(blob));
    }
    return blobs;
  }

 private:
  static constexpr int8_t kNone = -1;

  Blob take_blob(int64_t first) {
    const int8_t word = words_[static_cast<size_t>(first)];
    Blob blob{word, {first}};
    words_[static_cast<size_t>(first)] = kNone;
    for (size_t next = 0; next < blob.pixels.size(); ++next) {
      const int64_t y = blob.pixels[next] / frame_.size, x = blob.pixels[next] % frame_.size;
      for (const auto& [dy, dx] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) take_pixel(blob, word, y + dy, x + dx);
    }
    return blob;
  }

  void take_pixel(Blob& blob, int8_t word, int64_t y, int64_t x) {
    if (y < 0 || x < 0 || y >= frame_.size || x >= frame_.size) return;
    int8_t& label = words_[static_cast<size_t>(y * frame_.size + x)];
    if (label != word) return;
    label = kNone;
    blob.pixels.push_back(y * frame_.size + x);
  }

  const FrameView& frame_;
  std::vector<int8_t> words_;  // [size, size]: colour word, or kNone
};

// Intersection over union of a blob with an outline of the same area around its centre of mass.
double overlap_with(ShapeWord shape, const std::vector<uint8_t>& mask, int64_t size, Point centre, double radius) {
  double both = 0, either = 0;
  const auto reach = static_cast<int64_t>(std::ceil(2 * radius)) + 1;
  const int64_t top = std::max<int64_t>(0, std::lround(centre.y) - reach);
  const int64_t left = std::max<int64_t>(0, std::lround(centre.x) - reach);
  for (int64_t y = top; y < std::min(size, top + 2 * reach); ++y) {
    for (int64_t x = left; x < std::min(size, left + 2 * reach); ++x) {
      const double in_blob = mask[static_cast<size_t>(y * size + x)];
      const double in_shape = shape_coverage(
          shape, {static_cast<double>(x) + 0.5 - centre.x, static_cast<double>(y) + 0.5 - centre.y}, radius);
      both += std::min(in_blob, in_shape);
      either += std::max(in_blob, in_shape);
    }
  }
  return both / std::max(either, 1.0);
}

// Averages over a blob. Hues are averaged as vectors, so that 359 and 1 meet at 0.
FoundObject describe(const Blob& blob, const FrameView& frame) {
  std::vector<uint8_t> mask(static_cast<size_t>(frame.size * frame.size), 0);
  Point mass;
  double sine = 0, cosine = 0;
  for (const int64_t pixel : blob.pixels) {
    mask[static_cast<size_t>(pixel)] = 1;
    const int64_t y = pixel / frame.size, x = pixel % frame.size;
    mass.x += static_cast<double>(x) + 0.5;
    mass.y += static_cast<double>(y) + 0.5;
    const Hsv colour = hue_and_chroma(frame.at(y, x));
    sine += colour.chroma * std::sin(colour.hue * pi / 180);
    cosine += colour.chroma * std::cos(colour.hue * pi / 180);
  }
  const auto area = static_cast<double>(blob.pixels.size());
  FoundObject found{.radius = std::sqrt(area / pi), .hue = std::atan2(sine, cosine) * 180 / pi};
  mass = {mass.x / area, mass.y / area};
  for (const auto& word : enum_names(ShapeWord{})) {
    const Point centre{mass.x, mass.y - mass_offset(word.value) * found.radius};
    const double overlap = overlap_with(word.value, mask, frame.size, centre, found.radius);
    if (overlap <= found.overlap) continue;
    found.shape = word.value;
    found.overlap = overlap;
    found.centre = centre;
  }
  return found;
}

std::vector<uint8_t> cover(const std::vector<Blob>& blobs, int64_t size) {
  std::vector<uint8_t> covered(static_cast<size_t>(size * size), 0);
  for (const Blob& blob : blobs) {
    for (const int64_t pixel : blob.pixels) {
      const int64_t y = pixel / size, x = pixel % size;
      for (int64_t v = std::max<int64_t>(0, y - kEdgePixels); v <= std::min(size - 1, y + kEdgePixels); ++v) {
        const int64_t left = std::max<int64_t>(0, x - kEdgePixels), right = std::min(size - 1, x + kEdgePixels);
        std::fill_n(covered.begin() + v * size + left, right - left + 1, uint8_t{1});
      }
    }
  }
  return covered;
}

const Blob* largest_of(ColourWord colour, const std::vector<Blob>& blobs) {
  const Blob* largest = nullptr;
  for (const Blob& blob : blobs) {
    if (blob.colour != static_cast<int64_t>(colour)) continue;
    if (largest == nullptr || blob.pixels.size() > largest->pixels.size()) largest = &blob;
  }
  return largest;
}

}  // namespace

bool is_named(const FoundObject& object, const ObjectWords& words, const WorldPreset& preset) {
  return object.shape == words.shape && object.overlap >= kNamedOverlap &&
         object.radius >= preset.radius.low / kSizeTolerance && object.radius <= preset.radius.high * kSizeTolerance;
}

FrameFactors look_at(const FrameView& frame, const WorldPreset& preset, const WorldCaption& caption) {
  const double smallest = kSmallestShare * pi * preset.radius.low * preset.radius.low;
  const std::vector<Blob> blobs = Segmentation(frame).blobs(smallest);
  FrameFactors factors{.count = static_cast<int64_t>(blobs.size())};
  for (const ObjectWords& words : caption.objects) {
    const Blob* blob = largest_of(words.colour, blobs);
    factors.objects.push_back(blob == nullptr ? std::nullopt : std::optional(describe(*blob, frame)));
  }
  factors.covered = cover(blobs, frame.size);
  factors.background = fit_background(frame, factors.covered);
  return factors;
}

}  // namespace sgf

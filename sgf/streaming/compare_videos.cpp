#include "sgf/streaming/compare_videos.h"

#include "sgf/core/error.h"
#include "sgf/media/frame_source.h"

#include <algorithm>
#include <cstdlib>

namespace sgf {
namespace {

struct PictureDifference {
  int64_t largest = 0;
  double sum = 0;
};

PictureDifference difference_of(const RgbImage& a, const RgbImage& b) {
  PictureDifference difference;
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    const int64_t step = std::abs(static_cast<int>(a.pixels[i]) - static_cast<int>(b.pixels[i]));
    difference.largest = std::max(difference.largest, step);
    difference.sum += static_cast<double>(step);
  }
  return difference;
}

}  // namespace

VideoDifference compare_videos(const std::filesystem::path& first, const std::filesystem::path& second) {
  const std::unique_ptr<FrameSource> a = open_frames(first), b = open_frames(second);
  SGF_CHECK(a->width() == b->width() && a->height() == b->height(), "{} is {}x{}, {} is {}x{}", first.string(),
            a->width(), a->height(), second.string(), b->width(), b->height());
  VideoDifference all;
  double sum = 0;
  for (;;) {
    const std::optional<RgbImage> one = a->next(), other = b->next();
    all.only_first += one && !other ? 1 : 0;
    all.only_second += other && !one ? 1 : 0;
    if (!one || !other) break;
    const PictureDifference difference = difference_of(*one, *other);
    if (difference.largest > 0 && !all.first_picture) all.first_picture = all.pictures;
    all.largest = std::max(all.largest, difference.largest);
    sum += difference.sum;
    ++all.pictures;
  }
  if (all.pictures > 0) all.mean = sum / static_cast<double>(all.pictures * a->width() * a->height() * 3);
  return all;
}

}  // namespace sgf

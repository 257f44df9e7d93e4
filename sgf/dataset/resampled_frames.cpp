#include "sgf/dataset/resampled_frames.h"

#include "sgf/core/error.h"

#include <utility>

namespace sgf {
namespace {

// Files round times to a millisecond or worse, so a frame that is early by at most this fraction counts as shown.
constexpr double kForgiven = 0.25;
// A damaged time must not produce endless frames.
constexpr double kLongestStill = 60;

}  // namespace

ResampledFrames::ResampledFrames(FrameSource& source, double fps)
    : source_(source), fps_(fps), duration_(1 / source.fps().value_or(fps)) {
  SGF_CHECK(fps > 0, "frames per second must be positive, got {}", fps);
  now_ = read();
  following_ = read();
}

// Times that are missing or do not increase are computed from the rate.
std::optional<ResampledFrames::Shown> ResampledFrames::read() {
  std::optional<RgbImage> image = source_.next();
  if (!image) return std::nullopt;
  const std::optional<Shown>& before = following_ ? following_ : now_;
  const double usual = before ? before->time + duration_ : 0;
  const double told = source_.time().value_or(usual);
  const double time = before && told <= before->time ? usual : told;
  const double still = before ? time - before->time : 0;
  SGF_CHECK(still <= kLongestStill, "frames {} and {} are {:.0f} s apart: the video's timestamps are damaged",
            read_ - 1, read_, still);
  ++read_;
  return Shown{std::move(*image), time};
}

bool ResampledFrames::is_over(double time) const { return time >= now_->time + duration_ * (1 - kForgiven); }

std::optional<RgbImage> ResampledFrames::next() {
  const double time = static_cast<double>(given_) / fps_;
  while (following_ && following_->time <= time + kForgiven * (following_->time - now_->time)) {
    std::optional<Shown> after = read();
    now_ = std::exchange(following_, std::move(after));
  }
  if (!now_ || (!following_ && is_over(time))) return std::nullopt;
  ++given_;
  return now_->image;
}

}  // namespace sgf

#include "sgf/world/measure.h"

#include "sgf/core/counted.h"
#include "sgf/core/error.h"
#include "sgf/world/reference.h"
#include "sgf/world/texture.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace sgf {
namespace {

constexpr double kOtherHue = 30,
                 kOtherSize = 1.5;  // beyond this factor it is another object

// The mean of the values added; empty without values.
class RunningMean {
 public:
  void add(double value) { sum_ += value, count_ += 1; }
  std::optional<double> value() const { return count_ > 0 ? std::optional(sum_ / count_) : std::nullopt; }
  double or_zero() const { return value().value_or(0); }

 private:
  double sum_ = 0;
  double count_ = 0;
};

// One video, analysed frame by frame, then scored over any span.
class Measurement {
 public:
  Measurement(const at::Tensor& video, const WorldCaption& caption, const WorldPreset& preset, int64_t window)
      : video_(video), caption_(caption), preset_(preset), truth_(true_texture(caption, preset)) {
    for (int64_t f = 0; f < video.size(0); ++f) {
      const FrameView picture{video.data_ptr<float>() + f * video.stride(0), preset.size};
      frames_.push_back({picture, look_at(picture, preset, caption)});
    }
    const std::span<const SeenFrame> first = span_of({0, std::min(window, video.size(0))});
    background_ = look_of_background(first, preset.size);
    for (size_t i = 0; i < caption.objects.size(); ++i) {
      looks_.push_back(look_of_object(first, i, preset, caption.objects[i]));
    }
  }

  SegmentScore score(FrameSpan span) const {
    SegmentScore score{.frames = span};
    for (size_t i = 0; i < caption_.objects.size(); ++i) score.objects.push_back(score_object(span, i));
    score_frames(span, score);
    const at::Tensor clip = video_.slice(0, span.begin, span.end);
    score.landmark_drift = 1 - landmark_match(background_, look_of_background(span_of(span), preset_.size));
    score.motion_energy = motion_energy(clip) / truth_.motion_energy;
    score.sharpness = sharpness(clip) / truth_.sharpness;
    return score;
  }

  std::vector<FrameScore> score_each_frame() const {
    std::vector<FrameScore> scores;
    for (const SeenFrame& frame : frames_) {
      FrameScore& score = scores.emplace_back(FrameScore{.valid = is_valid(frame), .present = {}});
      for (size_t i = 0; i < caption_.objects.size(); ++i) score.present.push_back(find(frame, i) != nullptr);
    }
    return scores;
  }

 private:
  std::span<const SeenFrame> span_of(FrameSpan span) const {
    return std::span(frames_).subspan(static_cast<size_t>(span.begin), static_cast<size_t>(span.frames()));
  }

  // The object that the caption names, or nullopt.
  const FoundObject* find(const SeenFrame& frame, size_t object) const {
    const std::optional<FoundObject>& found = frame.factors.objects[object];
    return found && is_named(*found, caption_.objects[object], preset_) ? &*found : nullptr;
  }

  bool count_is_right(const SeenFrame& frame) const {
    return frame.factors.count == static_cast<int64_t>(caption_.objects.size());
  }

  double background_error(const SeenFrame& frame) const {
    return colour_distance(frame.factors.background.middle, colour_of(caption_.background));
  }

  bool is_valid(const SeenFrame& frame) const {
    for (size_t i = 0; i < caption_.objects.size(); ++i) {
      if (find(frame, i) == nullptr) return false;
    }
    return count_is_right(frame) && background_error(frame) <= kBackgroundTolerance &&
           nearest_background(frame.factors.background.middle) == caption_.background;
  }

  double background_drift(const SeenFrame& frame) const {
    const BackgroundFit& now = frame.factors.background;
    return (colour_distance(now.at(-1), background_.fit.at(-1)) + colour_distance(now.at(1), background_.fit.at(1))) /
           2;
  }

  void score_frames(FrameSpan span, SegmentScore& score) const {
    RunningMean valid, count, error, drift, repaint;
    for (const SeenFrame& frame : span_of(span)) {
      valid.add(is_valid(frame));
      count.add(count_is_right(frame));
      error.add(background_error(frame));
      drift.add(background_drift(frame));
      repaint.add(repaint_error(frame, background_, looks_, caption_));
    }
    score.valid = valid.or_zero();
    score.count_right = count.or_zero();
    score.background_error = error.or_zero();
    score.background_drift = drift.or_zero();
    score.rerender_error = std::sqrt(repaint.or_zero());
  }

  ObjectScore score_object(FrameSpan span, size_t object) const {
    const ObjectWords& words = caption_.objects[object];
    const ObjectLook& look = looks_[object];
    RunningMean presence, colour, hue, size, pattern, identity;
    for (const SeenFrame& frame : span_of(span)) {
      const FoundObject* found = find(frame, object);
      presence.add(found != nullptr);
      if (found != nullptr) colour.add(std::max(0.0, hue_distance(found->hue, hue_of(words.colour)) - kHueSpread));
      if (found == nullptr || look.frames == 0) {
        identity.add(1);
        continue;
      }
      const double turned = hue_distance(found->hue, look.hue);
      const double grown = std::abs(std::log(found->radius / look.radius));
      const double redrawn = 1 - pattern_match(look, frame.picture, *found, words.shape);
      hue.add(turned), size.add(grown), pattern.add(redrawn);
      identity.add(
          (std::min(1.0, turned / kOtherHue) + std::min(1.0, grown / std::log(kOtherSize)) + std::min(1.0, redrawn)) /
          3);
    }
    return {presence.or_zero(),           colour.value(),      hue.value(), size.value(), pattern.value(),
            identity.value().value_or(1), motion(span, object)};
  }

  double motion(FrameSpan span, size_t object) const {
    RunningMean path;
    for (int64_t f = span.begin + 1; f < span.end; ++f) {
      const FoundObject* before = find(frames_[static_cast<size_t>(f - 1)], object);
      const FoundObject* now = find(frames_[static_cast<size_t>(f)], object);
      const bool seen = before != nullptr && now != nullptr;
      path.add(seen ? std::hypot(now->centre.x - before->centre.x, now->centre.y - before->centre.y) : 0);
    }
    return path.or_zero() / preset_.speed(caption_.objects[object].speed);
  }

  at::Tensor video_;  // [F, 3, H, W], float32 on the host; `frames_` points into it
  WorldCaption caption_;
  WorldPreset preset_;
  Texture truth_;
  std::vector<SeenFrame> frames_;
  BackgroundLook background_;
  std::vector<ObjectLook> looks_;
};

std::optional<double> mean_over(const std::vector<SegmentScore>& scores, size_t object,
                                std::optional<double> ObjectScore::*field) {
  RunningMean mean;
  for (const SegmentScore& score : scores) {
    if (const std::optional<double>& value = score.objects[object].*field) mean.add(*value);
  }
  return mean.value();
}

double mean_over(const std::vector<SegmentScore>& scores, size_t object, double ObjectScore::*field) {
  RunningMean mean;
  for (const SegmentScore& score : scores) mean.add(score.objects[object].*field);
  return mean.or_zero();
}

ObjectScore mean_object(const std::vector<SegmentScore>& scores, size_t object) {
  const auto mean = [&](auto field) { return mean_over(scores, object, field); };
  return {mean(&ObjectScore::presence),   mean(&ObjectScore::colour_error),  mean(&ObjectScore::hue_drift),
          mean(&ObjectScore::size_drift), mean(&ObjectScore::pattern_error), mean(&ObjectScore::identity_error),
          mean(&ObjectScore::motion)};
}

// Either this many segments of equal length (to one frame), or segments of a fixed length, the last one shorter.
std::vector<FrameSpan> segments_of(int64_t frames, const MeasureOptions& options) {
  std::vector<FrameSpan> spans;
  for (int64_t i = 0; i < options.segments; ++i) {
    spans.push_back({i * frames / options.segments, (i + 1) * frames / options.segments});
  }
  if (!spans.empty()) return spans;
  for (int64_t begin = 0; begin < frames; begin += options.segment_frames) {
    spans.push_back({begin, std::min(begin + options.segment_frames, frames)});
  }
  return spans;
}

void check_video(const at::Tensor& video, const WorldCaption& caption, const WorldPreset& preset) {
  SGF_CHECK(video.dim() == 4 && video.size(0) > 0 && video.size(1) == 3 && video.size(2) == preset.size &&
                video.size(3) == preset.size,
            "a video of {} must be [F, 3, {}, {}], got [{}]", preset.name, preset.size, preset.size,
            fmt::join(video.sizes().begin(), video.sizes().end(), ", "));
  SGF_CHECK(static_cast<int64_t>(caption.objects.size()) == preset.objects, "{} has {}, but the caption names {}",
            preset.name, counted(preset.objects, "object"), caption.objects.size());
}

}  // namespace

double identity_error(const SegmentScore& score) {
  double sum = 0;
  for (const ObjectScore& object : score.objects) sum += object.identity_error;
  return score.objects.empty() ? 0 : sum / static_cast<double>(score.objects.size());
}

WorldScore measure(const at::Tensor& video, const WorldCaption& caption, const WorldPreset& preset,
                   const MeasureOptions& options) {
  check_video(video, caption, preset);
  SGF_CHECK(options.segment_frames > 0 && options.window_frames > 0,
            "segments and the first window must have at least 1 frame, got {} and {}", options.segment_frames,
            options.window_frames);
  SGF_CHECK(0 <= options.segments && options.segments <= video.size(0), "{} cannot be divided into {}",
            counted(video.size(0), "frame"), counted(options.segments, "segment"));
  const at::Tensor on_host = video.detach().to(at::kCPU, at::kFloat).clamp(0, 1).contiguous();
  const Measurement measurement(on_host, caption, preset, options.window_frames);
  const int64_t frames = video.size(0);
  WorldScore score{.whole = measurement.score({0, frames})};
  for (const FrameSpan& span : segments_of(frames, options)) score.segments.push_back(measurement.score(span));
  return score;
}

std::vector<SegmentScore> measure_spans(const at::Tensor& video, const WorldCaption& caption, const WorldPreset& preset,
                                        int64_t window_frames, const std::vector<FrameSpan>& spans) {
  check_video(video, caption, preset);
  SGF_CHECK(window_frames > 0, "the first window must have at least 1 frame, got {}", window_frames);
  const at::Tensor on_host = video.detach().to(at::kCPU, at::kFloat).clamp(0, 1).contiguous();
  const Measurement measurement(on_host, caption, preset, window_frames);
  std::vector<SegmentScore> scores;
  for (const FrameSpan& span : spans) {
    SGF_CHECK(0 <= span.begin && span.begin < span.end && span.end <= video.size(0),
              "frames {} to {} are not within a video of {}", span.begin, span.end, video.size(0));
    scores.push_back(measurement.score(span));
  }
  return scores;
}

std::vector<FrameScore> measure_frames(const at::Tensor& video, const WorldCaption& caption,
                                       const WorldPreset& preset) {
  check_video(video, caption, preset);
  const at::Tensor on_host = video.detach().to(at::kCPU, at::kFloat).clamp(0, 1).contiguous();
  return Measurement(on_host, caption, preset, 1).score_each_frame();
}

SegmentScore mean_score(const std::vector<SegmentScore>& scores) {
  SGF_CHECK(!scores.empty(), "the mean needs at least one score, got none");
  const auto mean = [&](double SegmentScore::*field) {
    RunningMean all;
    for (const SegmentScore& score : scores) all.add(score.*field);
    return all.or_zero();
  };
  SegmentScore result{.frames = scores.front().frames};
  for (double SegmentScore::*field :
       {&SegmentScore::valid, &SegmentScore::count_right, &SegmentScore::background_error,
        &SegmentScore::background_drift, &SegmentScore::landmark_drift, &SegmentScore::rerender_error,
        &SegmentScore::motion_energy, &SegmentScore::sharpness}) {
    result.*field = mean(field);
  }
  for (size_t i = 0; i < scores.front().objects.size(); ++i) result.objects.push_back(mean_object(scores, i));
  return result;
}

SegmentScore score_of_truth(const WorldCaption& caption, const WorldPreset& preset, int64_t frames, int64_t clips,
                            const MeasureOptions& options) {
  std::vector<SegmentScore> scores;
  for (int64_t i = 0; i < clips; ++i) {
    // Different clips from those that are the reference for motion energy and sharpness.
    scores.push_back(measure(true_clip(caption, preset, kTextureClips + i, frames), caption, preset, options).whole);
  }
  return mean_score(scores);
}

}  // namespace sgf

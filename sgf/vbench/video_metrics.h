// The seven metrics of one video, and the static filter: frames go in as they come, a score comes out at the end. Each
// keeps only the frames that it compares with, so a long video needs no more memory than a short one.
#pragma once

#include "sgf/vbench/flicker.h"
#include "sgf/vbench/raft.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace sgf {

struct MetricScore {
  double value = 0;    // as in VBench's list of videos: imaging quality 0 to 100, dynamic degree 0 or 1
  int64_t weight = 1;  // number of frame-to-frame scores in the mean
  at::Tensor parts;    // float64 on the CPU: the values behind the mean or the decision
};

class VideoMetric {
 public:
  virtual ~VideoMetric() = default;

  virtual void add(const at::Tensor& pictures) = 0;  // uint8 [F, H, W, 3], RGB; the next frames, any number
  virtual MetricScore score() const = 0;             // throws Error if there were too few frames
};

// Features [F, D], or numbers [F], of frames [F, H, W, 3].
using OfPictures = std::function<at::Tensor(const at::Tensor& pictures)>;
// Frames [B, 3, H, W] in [0, 1] between the first and the second frames, each [B, H, W, 3].
using BetweenPictures = std::function<at::Tensor(const at::Tensor& first, const at::Tensor& second)>;

// Subject and background consistency: the mean over all frames except the first of
// 1/2 (max(0, cos to the previous one) + max(0, cos to the first)). Parts are the cosines, [T - 1, 2].
class ConsistencyMetric : public VideoMetric {
 public:
  explicit ConsistencyMetric(OfPictures features) : features_(std::move(features)) {}

  void add(const at::Tensor& pictures) override;
  MetricScore score() const override;

  const at::Tensor& first_features() const { return first_features_; }  // [1, D], not normalised

 private:
  OfPictures features_;
  at::Tensor first_features_;
  at::Tensor first_, previous_;  // [1, D], normalised to length 1
  std::vector<at::Tensor> cosines_;
};

// Aesthetic and imaging quality: the mean over frames of one number per frame. Parts are these numbers, [T].
class PictureMeanMetric : public VideoMetric {
 public:
  explicit PictureMeanMetric(OfPictures scores) : scores_(std::move(scores)) {}

  void add(const at::Tensor& pictures) override;
  MetricScore score() const override;

 private:
  OfPictures scores_;
  std::vector<at::Tensor> numbers_;
};

// Motion smoothness: every second frame is predicted from its neighbours. Parts are mean absolute differences in 0 to
// 255.
class SmoothnessMetric : public VideoMetric {
 public:
  explicit SmoothnessMetric(BetweenPictures between) : between_(std::move(between)) {}

  void add(const at::Tensor& pictures) override;
  MetricScore score() const override;

 private:
  BetweenPictures between_;
  at::Tensor waiting_;  // frames from the last one used for a prediction on
  std::vector<at::Tensor> differences_;
};

// Dynamic degree: 1 if enough of the sampled pairs move. Parts are the pairs' flow scores.
class DynamicMetric : public VideoMetric {
 public:
  DynamicMetric(const Raft& raft, double fps);

  void add(const at::Tensor& pictures) override;
  MetricScore score() const override;

 private:
  FlowSequence flows_;
  int64_t stride_;
  int64_t seen_ = 0, sampled_ = 0;
  int64_t height_ = 0, width_ = 0;
  std::vector<at::Tensor> scores_;
};

// The static filter: 1 if a video stands still. Parts are the scores of consecutive pairs, then of (first, last) and
// (last, first).
class StaticMetric : public VideoMetric {
 public:
  explicit StaticMetric(const Raft& raft) : raft_(raft), flows_(raft) {}

  void add(const at::Tensor& pictures) override;
  MetricScore score() const override;

 private:
  const Raft& raft_;
  FlowSequence flows_;
  at::Tensor first_, last_;  // [1, H, W, 3]
  int64_t seen_ = 0;
  std::vector<at::Tensor> scores_;
};

// Temporal flickering. Parts are mean absolute differences in 0 to 255, one per pair.
class FlickerMetric : public VideoMetric {
 public:
  void add(const at::Tensor& pictures) override;
  MetricScore score() const override;

 private:
  FlickerMeter meter_;
};

}  // namespace sgf

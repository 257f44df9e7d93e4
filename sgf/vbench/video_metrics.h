// The seven metrics of one video, and the static filter: pictures in, as they come, a score at the end. Each keeps no
// more of a video than it compares with, so that a long one needs no more memory than a short one.
#pragma once

#include "sgf/vbench/flicker.h"
#include "sgf/vbench/raft.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace sgf {

struct MetricScore {
  double value = 0;    // as VBench's list of videos has it: imaging quality of 100, dynamic degree 0 or 1
  int64_t weight = 1;  // picture-to-picture scores that it is the mean of
  at::Tensor parts;    // float64 on the CPU: what it is the mean of, or was decided by
};

class VideoMetric {
 public:
  virtual ~VideoMetric() = default;

  virtual void add(const at::Tensor& pictures) = 0;  // uint8 [F, H, W, 3], RGB, the next ones, any number of them
  virtual MetricScore score() const = 0;             // an Error where there were too few pictures
};

// Rows [F, D], or numbers [F], of pictures [F, H, W, 3].
using OfPictures = std::function<at::Tensor(const at::Tensor& pictures)>;
// Frames [B, 3, H, W] in [0, 1] between those of the first and of the second, each [B, H, W, 3].
using BetweenPictures = std::function<at::Tensor(const at::Tensor& first, const at::Tensor& second)>;

// Subject and background consistency: the mean over all pictures but the first of
// 1/2 (max(0, cos to the one before) + max(0, cos to the first)). Parts are the cosines, [T - 1, 2].
class ConsistencyMetric : public VideoMetric {
 public:
  explicit ConsistencyMetric(OfPictures features) : features_(std::move(features)) {}

  void add(const at::Tensor& pictures) override;
  MetricScore score() const override;

  const at::Tensor& first_features() const { return first_features_; }  // [1, D] as they came

 private:
  OfPictures features_;
  at::Tensor first_features_;
  at::Tensor first_, previous_;  // [1, D] of length 1
  std::vector<at::Tensor> cosines_;
};

// Aesthetic and imaging quality: the mean over pictures of a number each. Parts are those, [T].
class PictureMeanMetric : public VideoMetric {
 public:
  explicit PictureMeanMetric(OfPictures scores) : scores_(std::move(scores)) {}

  void add(const at::Tensor& pictures) override;
  MetricScore score() const override;

 private:
  OfPictures scores_;
  std::vector<at::Tensor> numbers_;
};

// Motion smoothness: every second picture is predicted from its neighbours. Parts are mean absolute differences of 255.
class SmoothnessMetric : public VideoMetric {
 public:
  explicit SmoothnessMetric(BetweenPictures between) : between_(std::move(between)) {}

  void add(const at::Tensor& pictures) override;
  MetricScore score() const override;

 private:
  BetweenPictures between_;
  at::Tensor waiting_;  // from the last picture that was predicted from on
  std::vector<at::Tensor> differences_;
};

// Dynamic degree: 1 where enough of the sampled pairs move. Parts are the pairs' flow scores.
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

// The static filter: 1 where a video stands still. Parts are the scores of consecutive pairs, then of (first, last) and
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

// Temporal flickering. Parts are mean absolute differences of 255, a pair each.
class FlickerMetric : public VideoMetric {
 public:
  void add(const at::Tensor& pictures) override;
  MetricScore score() const override;

 private:
  FlickerMeter meter_;
};

}  // namespace sgf

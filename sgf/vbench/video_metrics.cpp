#include "sgf/vbench/video_metrics.h"

#include "sgf/core/error.h"
#include "sgf/vbench/motion_decisions.h"

#include <ATen/ATen.h>

#include <span>

namespace sgf {
namespace {

void check_pictures(const at::Tensor& pictures) {
  SGF_CHECK(pictures.dim() == 4 && pictures.size(3) == 3 && pictures.scalar_type() == at::kByte,
            "frames must be bytes [F, H, W, 3], got {} dimensions of {}", pictures.dim(),
            toString(pictures.scalar_type()));
}

at::Tensor joined(const std::vector<at::Tensor>& pieces) {
  return pieces.empty() ? at::empty({0}, at::kDouble) : at::cat(pieces);
}

std::span<const double> numbers_of(const at::Tensor& values) {
  return {values.const_data_ptr<double>(), static_cast<size_t>(values.numel())};
}

// Each row divided by its length, like torch's normalize.
at::Tensor of_length_one(const at::Tensor& rows) { return rows / rows.norm(2, {1}, true).clamp_min(1e-12); }

at::Tensor cosines(const at::Tensor& a, const at::Tensor& b) { return (a * b).sum(1); }

// [0, 1] to bytes like numpy's astype: fractions are truncated.
at::Tensor truncated_bytes(const at::Tensor& frames) {
  return (frames * 255).clamp(0, 255).to(at::kByte).permute({0, 2, 3, 1});
}

at::Tensor mean_differences(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kShort) - b.to(a.device(), at::kShort)).abs().mean({1, 2, 3}, false, at::kDouble).cpu();
}

}  // namespace

void ConsistencyMetric::add(const at::Tensor& pictures) {
  check_pictures(pictures);
  if (pictures.size(0) == 0) return;
  const at::Tensor features = features_(pictures);
  const at::Tensor rows = of_length_one(features.to(at::kCPU, at::kDouble));
  const bool begins = !first_.defined();
  if (begins) {
    first_features_ = features.narrow(0, 0, 1).clone();
    first_ = rows.narrow(0, 0, 1).clone();
  }
  const at::Tensor run = begins ? rows : at::cat({previous_, rows});
  const at::Tensor later = run.slice(0, 1);
  if (later.size(0) > 0)
    cosines_.push_back(at::stack({cosines(later, run.slice(0, 0, -1)), cosines(later, first_)}, 1));
  previous_ = rows.slice(0, -1).clone();
}

MetricScore ConsistencyMetric::score() const {
  SGF_CHECK(!cosines_.empty(), "consistency needs at least 2 frames");
  const at::Tensor parts = joined(cosines_);
  return {.value = parts.clamp_min(0).mean(1).mean().item<double>(), .weight = parts.size(0), .parts = parts};
}

void PictureMeanMetric::add(const at::Tensor& pictures) {
  check_pictures(pictures);
  if (pictures.size(0) > 0) numbers_.push_back(scores_(pictures).to(at::kCPU, at::kDouble));
}

MetricScore PictureMeanMetric::score() const {
  SGF_CHECK(!numbers_.empty(), "a score needs at least 1 frame, got none");
  const at::Tensor parts = joined(numbers_);
  return {.value = parts.mean().item<double>(), .weight = parts.size(0), .parts = parts};
}

void SmoothnessMetric::add(const at::Tensor& pictures) {
  check_pictures(pictures);
  const at::Tensor run = waiting_.defined() ? at::cat({waiting_, pictures}) : pictures;
  const int64_t predicted = (run.size(0) - 1) / 2;
  if (predicted > 0) {
    const at::Tensor kept = run.slice(0, 0, 2 * predicted + 1, 2);
    const at::Tensor frames = between_(kept.slice(0, 0, -1), kept.slice(0, 1));
    differences_.push_back(mean_differences(truncated_bytes(frames), run.slice(0, 1, 2 * predicted, 2)));
  }
  waiting_ = run.slice(0, 2 * predicted).clone();
}

MetricScore SmoothnessMetric::score() const {
  SGF_CHECK(!differences_.empty(), "motion smoothness needs at least 3 frames");
  const at::Tensor parts = joined(differences_);
  return {.value = (255 - parts.mean().item<double>()) / 255, .weight = parts.size(0), .parts = parts};
}

DynamicMetric::DynamicMetric(const Raft& raft, double fps) : flows_(raft), stride_(dynamic_degree_stride(fps)) {}

void DynamicMetric::add(const at::Tensor& pictures) {
  check_pictures(pictures);
  height_ = pictures.size(1);
  width_ = pictures.size(2);
  const int64_t to_next = (stride_ - seen_ % stride_) % stride_;
  seen_ += pictures.size(0);
  if (to_next >= pictures.size(0)) return;
  const at::Tensor sampled = pictures.slice(0, to_next, pictures.size(0), stride_);
  sampled_ += sampled.size(0);
  const at::Tensor flows = flows_.next(sampled);
  if (flows.size(0) > 0) scores_.push_back(flow_scores(flows, kDynamicShare));
}

MetricScore DynamicMetric::score() const {
  SGF_CHECK(sampled_ > 0, "a score needs at least 1 frame, got none");
  const at::Tensor parts = joined(scores_).contiguous();
  const bool moves = is_dynamic(numbers_of(parts), dynamic_degree_rule(sampled_, height_, width_));
  return {.value = moves ? 1.0 : 0.0, .weight = parts.size(0), .parts = parts};
}

void StaticMetric::add(const at::Tensor& pictures) {
  check_pictures(pictures);
  if (pictures.size(0) == 0) return;
  if (!first_.defined()) first_ = pictures.slice(0, 0, 1).clone();
  last_ = pictures.slice(0, -1).clone();
  seen_ += pictures.size(0);
  const at::Tensor flows = flows_.next(pictures);
  if (flows.size(0) > 0) scores_.push_back(flow_scores(flows, kStaticShare));
}

MetricScore StaticMetric::score() const {
  SGF_CHECK(seen_ > 0, "a score needs at least 1 frame, got none");
  const at::Tensor pairs = joined(scores_).contiguous();
  const at::Tensor there = flow_scores(raft_.flow(first_, last_), kStaticShare);
  const at::Tensor back = flow_scores(raft_.flow(last_, first_), kStaticShare);
  const MotionRule rule = static_filter_rule(seen_, first_.size(1), first_.size(2));
  const bool stands = is_static(numbers_of(pairs), there.item<double>(), back.item<double>(), rule);
  return {.value = stands ? 1.0 : 0.0, .weight = pairs.size(0), .parts = at::cat({pairs, there, back})};
}

void FlickerMetric::add(const at::Tensor& pictures) {
  check_pictures(pictures);
  const at::Tensor bytes = pictures.to(at::kCPU).contiguous();
  const auto size = static_cast<size_t>(bytes.numel() / std::max<int64_t>(1, bytes.size(0)));
  for (int64_t f = 0; f < bytes.size(0); ++f) meter_.add({bytes[f].const_data_ptr<uint8_t>(), size});
}

MetricScore FlickerMetric::score() const {
  const std::optional<double> score = meter_.score();
  SGF_CHECK(score.has_value(), "temporal flickering needs at least 2 frames");
  const at::Tensor parts = at::tensor(meter_.differences(), at::kDouble);
  return {.value = *score, .weight = parts.size(0), .parts = parts};
}

}  // namespace sgf

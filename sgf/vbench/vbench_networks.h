// The networks behind the metrics, created on first use and kept; and the metrics that use them.
#pragma once

#include "sgf/vbench/amt.h"
#include "sgf/vbench/extractors.h"
#include "sgf/vbench/metric_names.h"
#include "sgf/vbench/musiq.h"
#include "sgf/vbench/raft.h"
#include "sgf/vbench/video_metrics.h"
#include "sgf/vbench/weight_places.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace sgf {

// Where the weights of a file come from: the file itself, or a rule that generates them.
using WeightsOfFile = std::function<NetworkWeights(const VbenchFile& file, at::TensorOptions options)>;

// The files of VBench's cache.
WeightsOfFile weights_in(const WeightPlaces& places);

struct NetworkSettings {
  at::TensorOptions options;  // dtype and device of all networks
  bool clip_in_half = false;  // CLIP in float16, as the original does on CUDA
  std::filesystem::path
      dreamsim_folder;  // the unpacked zip; empty: its weights come from the same source as the others
};

class VbenchNetworks {
 public:
  VbenchNetworks(WeightsOfFile weights, NetworkSettings settings)
      : weights_of_(std::move(weights)), settings_(std::move(settings)) {}

  const FeatureExtractor& dino();
  const FeatureExtractor& dinov2();
  const FeatureExtractor& clip_b32();
  const FeatureExtractor& dreamsim();
  const AestheticScorer& aesthetic();
  const Musiq& musiq();
  const Raft& raft();
  const Amt& amt();

 private:
  NetworkWeights weights(const VbenchFile& file) const { return weights_of_(file, settings_.options); }
  NetworkWeights clip_weights(const VbenchFile& file) const;
  NetworkWeights adapted(const VbenchFile& file, const NetworkWeights::Source& adapters, int64_t tower) const;

  WeightsOfFile weights_of_;
  NetworkSettings settings_;
  std::optional<VitExtractor> dino_, dinov2_, clip_b32_;
  std::optional<DreamSimExtractor> dreamsim_;
  std::optional<AestheticScorer> aesthetic_;
  std::optional<Musiq> musiq_;
  std::optional<Raft> raft_;
  std::optional<Amt> amt_;
};

// The files that a metric reads. Consistency between clips has separate files.
std::vector<const VbenchFile*> files_of(VbenchMetric metric, bool between_clips);

// A metric for one clip at this frame rate; the networks must outlive it.
std::unique_ptr<VideoMetric> make_metric(VbenchMetric metric, double fps, VbenchNetworks& networks);
// Subject and background consistency over the first frames of clips, with DINOv2 and DreamSim.
std::unique_ptr<VideoMetric> make_between_clips(VbenchMetric metric, VbenchNetworks& networks);

}  // namespace sgf

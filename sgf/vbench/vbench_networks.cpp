#include "sgf/vbench/vbench_networks.h"

#include "sgf/core/error.h"
#include "sgf/vbench/extractor_files.h"
#include "sgf/vbench/network_files.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace sgf {
namespace {

constexpr int64_t kLoraRank = 16;
constexpr double kLoraScale = 8.0 / kLoraRank;  // alpha over rank

OfPictures features_by(const FeatureExtractor& network) {
  return [&network](const at::Tensor& pictures) { return network.features(pictures); };
}

}  // namespace

WeightsOfFile weights_in(const WeightPlaces& places) {
  return [places](const VbenchFile& file, at::TensorOptions options) {
    const std::optional<std::filesystem::path> path = places.path_of(file);
    const TensorFile opened = open_network_file(path ? *path : places.find(file).path);
    const std::string prefix = file.first_name.empty() ? "" : prefix_before(opened, file.first_name);
    return weights_of_file(opened, options, prefix);
  };
}

NetworkWeights VbenchNetworks::clip_weights(const VbenchFile& file) const {
  return weights_of_(file, settings_.clip_in_half ? settings_.options.dtype(at::kHalf) : settings_.options);
}

// A tower of DreamSim with its adapter merged.
NetworkWeights VbenchNetworks::adapted(const VbenchFile& file, const NetworkWeights::Source& adapters,
                                       int64_t tower) const {
  const auto of_tower = [adapters, tower](const std::string& name, at::IntArrayRef shape) {
    return adapters(fmt::format("base_model.model.extractor_list.{}.model.{}", tower, name), shape);
  };
  return with_lora(weights(file), of_tower, kLoraRank, kLoraScale);
}

const FeatureExtractor& VbenchNetworks::dino() {
  if (!dino_) dino_.emplace(dino_extractor(weights(kDinoFile)));
  return *dino_;
}

const FeatureExtractor& VbenchNetworks::dinov2() {
  if (!dinov2_) dinov2_.emplace(dinov2_extractor(weights(kDinov2File)));
  return *dinov2_;
}

const FeatureExtractor& VbenchNetworks::clip_b32() {
  if (!clip_b32_) clip_b32_.emplace(clip_extractor(clip_weights(kClipB32File)));
  return *clip_b32_;
}

const FeatureExtractor& VbenchNetworks::dreamsim() {
  if (dreamsim_) return *dreamsim_;
  if (!settings_.dreamsim_folder.empty())
    return dreamsim_.emplace(open_dreamsim_extractor(settings_.dreamsim_folder, settings_.options));
  const NetworkWeights::Source adapters = weights(kDreamSimLoraFile).source();
  dreamsim_.emplace(dreamsim_extractor({.dino = adapted(kDinoFile, adapters, 0),
                                        .clip = adapted(kDreamSimClipFile, adapters, 1),
                                        .open_clip = adapted(kDreamSimOpenClipFile, adapters, 2)}));
  return *dreamsim_;
}

const AestheticScorer& VbenchNetworks::aesthetic() {
  if (!aesthetic_) aesthetic_.emplace(aesthetic_scorer(clip_weights(kClipL14File), weights(kAestheticFile)));
  return *aesthetic_;
}

const Musiq& VbenchNetworks::musiq() {
  if (!musiq_) musiq_.emplace(weights(kMusiqFile));
  return *musiq_;
}

const Raft& VbenchNetworks::raft() {
  if (!raft_) raft_.emplace(weights(kRaftFile));
  return *raft_;
}

const Amt& VbenchNetworks::amt() {
  if (!amt_) amt_.emplace(weights(kAmtFile));
  return *amt_;
}

std::vector<const VbenchFile*> files_of(VbenchMetric metric, bool between_clips) {
  switch (metric) {
    case VbenchMetric::kSubject:
      return between_clips ? std::vector{&kDinoFile, &kDinov2File} : std::vector{&kDinoFile};
    case VbenchMetric::kBackground:
      return between_clips ? std::vector{&kClipB32File, &kDreamSimDinoFile, &kDreamSimClipFile, &kDreamSimOpenClipFile,
                                         &kDreamSimLoraFile}
                           : std::vector{&kClipB32File};
    case VbenchMetric::kAesthetic:
      return {&kClipL14File, &kAestheticFile};
    case VbenchMetric::kImaging:
      return {&kMusiqFile};
    case VbenchMetric::kMotion:
      return {&kAmtFile};
    case VbenchMetric::kDynamic:
      return {&kRaftFile};
    case VbenchMetric::kFlicker:
      return {};
  }
  return {};
}

std::unique_ptr<VideoMetric> make_metric(VbenchMetric metric, double fps, VbenchNetworks& networks) {
  switch (metric) {
    case VbenchMetric::kSubject:
      return std::make_unique<ConsistencyMetric>(features_by(networks.dino()));
    case VbenchMetric::kBackground:
      return std::make_unique<ConsistencyMetric>(features_by(networks.clip_b32()));
    case VbenchMetric::kAesthetic:
      return std::make_unique<PictureMeanMetric>(
          [&scorer = networks.aesthetic()](const at::Tensor& pictures) { return scorer.scores(pictures); });
    case VbenchMetric::kImaging:
      return std::make_unique<PictureMeanMetric>(
          [&musiq = networks.musiq()](const at::Tensor& pictures) { return musiq.scores(pictures); });
    case VbenchMetric::kMotion:
      return std::make_unique<SmoothnessMetric>(
          [&amt = networks.amt()](const at::Tensor& first, const at::Tensor& second) {
            return amt.between(first, second);
          });
    case VbenchMetric::kDynamic:
      return std::make_unique<DynamicMetric>(networks.raft(), fps);
    case VbenchMetric::kFlicker:
      return std::make_unique<FlickerMetric>();
  }
  fail("unknown metric {}", static_cast<int>(metric));
}

std::unique_ptr<VideoMetric> make_between_clips(VbenchMetric metric, VbenchNetworks& networks) {
  SGF_CHECK(is_consistency(metric), "{} cannot be measured between clips; only consistency metrics can",
            enum_name(metric));
  return std::make_unique<ConsistencyMetric>(
      features_by(metric == VbenchMetric::kSubject ? networks.dinov2() : networks.dreamsim()));
}

}  // namespace sgf

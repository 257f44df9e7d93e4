// Replays of the ViT family: preprocessing, and features of DINO, DINOv2, CLIP and DreamSim.
#include "sgf/core/file_error.h"
#include "sgf/kernels/wide.h"
#include "sgf/vbench/extractors.h"
#include "sgf/verify/closed_form_clip.h"
#include "sgf/verify/closed_form_weights.h"
#include "sgf/verify/replay_inputs.h"
#include "sgf/verify/replay_kinds.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace sgf {
namespace {

// A member of the recording's config.
template <class Value>
Value config_value(const Recording& recording, const std::string& key) {
  try {
    return recording.setting("config").at(key).get<Value>();
  } catch (const nlohmann::json::exception&) {
    fail_in_file(recording.path(), "config lacks '{}'", key);
  }
}

template <class Value>
Value setting_as(const Recording& recording, const std::string& key) {
  try {
    return recording.setting(key).get<Value>();
  } catch (const nlohmann::json::exception&) {
    fail_in_file(recording.path(), "metadata key '{}' has the wrong type: {}", key, recording.setting(key).dump());
  }
}

void set_sizes(VitConfig& config, const Recording& recording) {
  config.patch = config_value<int64_t>(recording, "patch");
  SGF_CHECK_FILE(config.patch > 0, recording.path(), "patch must be positive");
  config.dim = config_value<int64_t>(recording, "dim");
  config.depth = config_value<int64_t>(recording, "depth");
  config.heads = config_value<int64_t>(recording, "heads");
}

VitConfig recorded_vit_config(const Recording& recording, VitConfig config) {
  set_sizes(config, recording);
  config.network = "the recording's ViT";
  config.grid = config_value<int64_t>(recording, "img_size") / config.patch;
  config.mlp = config_value<int64_t>(recording, "mlp");
  config.norm_eps = config_value<double>(recording, "eps");
  return config;
}

at::Tensor recorded_pictures(const Recording& recording, const std::string& name, const std::vector<int64_t>& shape,
                             const ReplayOptions& options) {
  return closed_form_input(recorded_rule(recording), "in." + name, shape).to(options.device, wide_type(options.dtype));
}

// Tokens 0, 1 and the last, of the first image.
at::Tensor three_tokens(const at::Tensor& tokens) {
  return at::stack({tokens[0][0], tokens[0][1], tokens[0][tokens.size(1) - 1]});
}

void add_vit_case(NamedTensors& out, const Vit& vit, const std::string& name, const at::Tensor& pictures) {
  const at::Tensor tokens = vit.tokens(pictures);
  out.emplace_back("out.tokens_in." + name, three_tokens(tokens));
  out.emplace_back("out.tokens_block0." + name, three_tokens(vit.run_block(0, tokens)));
  out.emplace_back("out.pos." + name, vit.positions(pictures.size(2), pictures.size(3)).slice(1, 0, 8));
  out.emplace_back("out.feature." + name, vit.features(pictures));
}

using PreparePictures = at::Tensor (*)(const at::Tensor&, at::ScalarType);

at::Tensor picture_statistics(const at::Tensor& x) {
  const at::Tensor flat = x.flatten(1).to(at::kDouble);
  return at::stack({flat.mean(1), flat.abs().mean(1), flat.square().mean(1).sqrt(), std::get<0>(flat.min(1)),
                    std::get<0>(flat.max(1))},
                   1);
}

at::Tensor chosen(const at::Tensor& x, int64_t dim, std::vector<int64_t> which) {
  std::erase_if(which, [&](int64_t i) { return i < 0 || i >= x.size(dim); });
  return x.index_select(dim, at::tensor(which, at::kLong).to(x.device()));
}

void add_prepared(NamedTensors& out, const std::string& name, const at::Tensor& x, const std::vector<int64_t>& rows) {
  const int64_t width = x.size(3);
  out.emplace_back(name + ".shape", at::tensor(x.sizes(), at::kLong));
  out.emplace_back(name + ".stats", picture_statistics(x));
  out.emplace_back(name + ".rows", chosen(x, 2, rows));
  out.emplace_back(name + ".cols", chosen(x, 3, {0, 1, width / 2, width - 1}));
}

// The row of `out.sizes` for an image of h x w.
std::vector<int64_t> prepared_sizes(PictureSize size) {
  const PictureSize to224 = with_shorter_side(size, 224), to256 = with_shorter_side(size, 256);
  const PictureSize imaging = imaging_size(size);
  std::vector<int64_t> row;
  for (const PictureSize& part : {size, to224, crop_corner(to224, 224), to256, crop_corner(to256, 224), imaging,
                                  musiq_size(imaging, 224), musiq_size(imaging, 384)})
    row.insert(row.end(), {part.height, part.width});
  return row;
}

// The first two columns are inputs, the others are expected.
at::Tensor replayed_sizes(const Recording& recording) {
  const at::Tensor asked =
      map_tensor(recording.file_with("out."), "out.sizes").slice(1, 0, 2).to(at::kLong).contiguous();
  std::vector<at::Tensor> rows;
  for (int64_t i = 0; i < asked.size(0); ++i)
    rows.push_back(at::tensor(prepared_sizes({asked[i][0].item<int64_t>(), asked[i][1].item<int64_t>()}), at::kLong));
  return at::stack(rows);
}

NetworkWeights dreamsim_weights(const Recording& recording, const ReplayOptions& options, const std::string& tower) {
  WeightRule rule = recorded_rule(recording);
  rule.prefix = tower + ":";
  // The recording halves the rule's value for the second factor twice.
  const auto adapters = [rule](const std::string& name, at::IntArrayRef shape) {
    const at::Tensor weight = closed_form_weight(rule, name, shape);
    return name.ends_with("lora_B.weight") ? weight * 0.25 : weight;
  };
  const auto rank = config_value<int64_t>(recording, "lora_r");
  SGF_CHECK_FILE(rank > 0, recording.path(), "lora_r must be positive");
  const double scale = config_value<double>(recording, "lora_alpha") / static_cast<double>(rank);
  return with_lora(closed_form_weights(rule, weight_options(options)), adapters, rank, scale);
}

DreamSimExtractor::Tower recorded_tower(const Recording& recording, const ReplayOptions& options,
                                        const std::string& name) {
  SGF_CHECK_FILE(name == "dino" || name == "clip" || name == "open_clip", recording.path(),
                 "a tower must be dino, clip or open_clip, got '{}'", name);
  const bool is_dino = name == "dino";
  VitConfig config = is_dino          ? dreamsim_dino_config()
                     : name == "clip" ? dreamsim_clip_config()
                                      : dreamsim_open_clip_config();
  set_sizes(config, recording);
  config.grid = 224 / config.patch, config.mlp = 4 * config.dim;
  config.norm_eps = recording.setting("config").at("eps").value(name, config.norm_eps);
  if (!is_dino) config.out_dim = config_value<int64_t>(recording, "out_dim");
  NetworkWeights weights = dreamsim_weights(recording, options, name);
  return {Vit(config, weights), is_dino ? kImageNetNorm : kClipNorm};
}

// The mean similarity of every frame to the previous one and to the first one.
at::Tensor mean_likeness(const at::Tensor& features) {
  const at::Tensor unit = features / features.norm(2, {1}, /*keepdim=*/true);
  const at::Tensor later = unit.slice(0, 1), before = unit.slice(0, 0, -1), first = unit.slice(0, 0, 1);
  const at::Tensor to_before = (later * before).sum(1).clamp_min(0), to_first = (later * first).sum(1).clamp_min(0);
  return ((to_before + to_first) / 2).mean().view({1});
}

}  // namespace

NamedTensors replay_vbench_preprocess(const Recording& recording, const ReplayOptions& options) {
  const std::vector<std::pair<std::string, PreparePictures>> transforms{{"clip", clip_transform},
                                                                        {"dino", dino_transform},
                                                                        {"dinov2", dinov2_transform},
                                                                        {"dreamsim", dreamsim_transform},
                                                                        {"imaging", imaging_transform}};
  const Recording clips = clips_beside(recording);
  const auto rows = setting_as<std::vector<int64_t>>(recording, "rows");
  NamedTensors out{{"out.sizes", replayed_sizes(recording)}};
  for (const auto& [clip, frames] : setting_as<std::map<std::string, std::vector<int64_t>>>(recording, "clips")) {
    const at::Tensor pictures = clip_formula(clips, clip).some_frames(frames).to(options.device);
    for (const auto& [name, transform] : transforms)
      add_prepared(out, "out." + clip + "." + name, transform(pictures, wide_type(options.dtype)), rows);
  }
  return out;
}

NamedTensors replay_vit(const Recording& recording, const ReplayOptions& options) {
  const at::NoGradGuard no_grad;
  VitConfig config = recorded_vit_config(recording, dino_b16_config());
  config.has_layer_scale = config_value<bool>(recording, "layer_scale");
  NetworkWeights weights = closed_form_weights(recorded_rule(recording), weight_options(options));
  const Vit vit(config, weights);
  NamedTensors out;
  for (const auto& [name, shape] : setting_as<std::map<std::string, std::vector<int64_t>>>(recording, "inputs"))
    add_vit_case(out, vit, name, recorded_pictures(recording, name, shape, options));
  return out;
}

NamedTensors replay_clip_vit(const Recording& recording, const ReplayOptions& options) {
  const at::NoGradGuard no_grad;
  VitConfig config = recorded_vit_config(recording, clip_b32_config());
  config.out_dim = config_value<int64_t>(recording, "out_dim");
  NetworkWeights weights = closed_form_weights(recorded_rule(recording), weight_options(options));
  const Vit vit(config, weights);
  const auto inputs = setting_as<std::map<std::string, std::vector<int64_t>>>(recording, "inputs");
  SGF_CHECK_FILE(inputs.contains("image"), recording.path(), "inputs lack 'image'");
  const at::Tensor pictures = recorded_pictures(recording, "image", inputs.at("image"), options);
  const at::Tensor feature = vit.features(pictures);
  NamedTensors out{{"out.feature", feature}, {"out.tokens_in", three_tokens(vit.tokens(pictures))}};
  if (recording.file_with("out.").find("out.aesthetic") == nullptr) return out;
  const AestheticScorer scorer(VitExtractor(vit, clip_transform), weights);
  out.emplace_back("out.aesthetic", scorer.scores_of(feature));
  return out;
}

NamedTensors replay_dreamsim(const Recording& recording, const ReplayOptions& options) {
  std::vector<DreamSimExtractor::Tower> towers;
  for (const auto& name : config_value<std::vector<std::string>>(recording, "towers"))
    towers.push_back(recorded_tower(recording, options, name));
  const DreamSimExtractor extractor(std::move(towers));
  const ClipFormula clip = clip_formula(clips_beside(recording), "small");
  const at::Tensor pictures = clip.some_frames(setting_as<std::vector<int64_t>>(recording, "frames"));
  const at::Tensor chain = clip.some_frames(setting_as<std::vector<int64_t>>(recording, "consistency_frames"));
  return {{"out.raw", extractor.raw_features(pictures.slice(0, 0, 1))},
          {"out.embed", extractor.features(pictures)},
          {"out.consistency", mean_likeness(extractor.features(chain))}};
}

}  // namespace sgf

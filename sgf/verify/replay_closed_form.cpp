// Replays of the formulas that other recordings use: weights from names, and clips.
#include "sgf/core/file_error.h"
#include "sgf/files/json_integer.h"
#include "sgf/verify/closed_form_clip.h"
#include "sgf/verify/closed_form_weights.h"
#include "sgf/verify/replay_kinds.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

struct RuleEntry {
  std::string name;
  std::vector<int64_t> shape;
  std::string network;
  int64_t index = 0;
};

RuleEntry rule_entry(const nlohmann::json& row, const Recording& recording) {
  try {
    return {row.at(0).get<std::string>(), integers_of(row.at(1)), row.at(2).get<std::string>(), integer_of(row.at(3))};
  } catch (const nlohmann::json::exception&) {
    fail_in_file(recording.path(), "an entry must be [name, shape, network, flat index], got {}", row.dump());
  }
}

double rule_value(const RuleEntry& entry, WeightRule rule, const Recording& recording) {
  rule.is_amt = entry.network == "amt";
  const bool is_input = entry.name.starts_with("in.");
  const at::Tensor values =
      is_input ? closed_form_input(rule, entry.name, entry.shape) : closed_form_weight(rule, entry.name, entry.shape);
  SGF_CHECK_FILE(entry.index >= 0 && entry.index < values.numel(), recording.path(),
                 "{} has {} values, index {} does not exist", entry.name, values.numel(), entry.index);
  return values.view({-1})[entry.index].item<double>();
}

// Every `step`-th row (dim 1) or column (dim 2) of a clip [F, H, W, 3].
at::Tensor sampled_lines(const at::Tensor& clip, int64_t dim, int64_t step) {
  return clip.slice(dim, 0, c10::nullopt, step);
}

}  // namespace

NamedTensors replay_vbench_rule(const Recording& recording, const ReplayOptions&) {
  std::vector<double> values;
  for (const nlohmann::json& row : recording.setting("entries"))
    values.push_back(rule_value(rule_entry(row, recording), recorded_rule(recording), recording));
  return {{"value", at::tensor(values, at::kDouble)}};
}

NamedTensors replay_clip(const Recording& recording, const ReplayOptions&) {
  const at::Tensor big = clip_formula(recording, "big").all_frames();
  return {{"clip", clip_formula(recording, "small").all_frames()},
          {"big_row", sampled_lines(big, 1, 97)},
          {"big_col", sampled_lines(big, 2, 103)},
          {"big_frame_sum", big.flatten(1).sum(1, /*keepdim=*/false, at::kLong)}};
}

}  // namespace sgf

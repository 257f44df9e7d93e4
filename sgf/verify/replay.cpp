#include "sgf/verify/replay.h"

#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/core/file_error.h"
#include "sgf/kernels/dense_attention.h"
#include "sgf/model/dit_config.h"
#include "sgf/verify/replay_kinds.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sgf {
namespace {

struct Kind {
  NamedTensors (*replay)(const Recording&, const ReplayOptions&);
  double recorded_precision;         // precision of the recording: some originals compute in float32
  double bfloat16_tolerance = 3e-2;  // for weights and computation in 16 bits
  double float32_tolerance = 1e-5;
};

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> table{
      {"dit_bidirectional", {replay_dit_bidirectional, 0}},
      {"dit_serial", {replay_dit_serial, 0}},
      {"dit_stream", {replay_dit_stream, 0}},
      {"dit_parallel", {replay_dit_parallel, 0}},
      {"dit_pass2", {replay_dit_pass2, 0}},
      {"sgf_rollout", {replay_sgf_rollout, 0}},
      {"sgf_step", {replay_sgf_step, 0}},
      {"stage_flow_matching", {replay_flow_matching, 0}},
      {"stage_teacher_forcing", {replay_teacher_forcing, 0}},
      {"stage_causal_ode", {replay_causal_ode, 0}},
      {"stage_bidirectional_ode", {replay_bidirectional_ode, 0}},
      {"stage_causal_cd", {replay_causal_cd, 0}},
      {"schedule", {replay_schedule, 1e-6}},
      {"unipc", {replay_unipc, 1e-5}},
      {"vae", {replay_vae, 0}},
      // Attention scores are not scaled: rounding the weights alone changes this encoder by 2.4e-2.
      {"umt5", {replay_umt5, 0, 5e-2}},
      {"vbench_rule", {replay_vbench_rule, 0}},
      {"clip", {replay_clip, 0}},
      // Recorded in float32: sampling positions in float32 alone change pixels by 6e-5.
      {"vbench_preprocess", {replay_vbench_preprocess, 1e-7, 1e-4, 1e-4}},
      {"vit", {replay_vit, 0}},
      {"clip_vit", {replay_clip_vit, 0}},
      {"dreamsim", {replay_dreamsim, 0}},
      // In float32, within the limits of the recordings' README: scores 1e-4, flows 1e-3 of a pixel.
      {"musiq", {replay_musiq, 0, 3e-2, 4e-5}},
      {"raft", {replay_raft, 0, 3e-2, 3e-5}},
      {"amt", {replay_amt, 0, 3e-2, 3e-5}},
      // Aesthetic scores of synthetic weights are near 0: the original's float32 has a relative error of 1e-5.
      {"vbench_metrics", {replay_vbench_metrics, 0, 3e-2, 1e-4}},
      {"vbench_long", {replay_vbench_long, 0}},
  };
  return table;
}

const Kind& kind_of(const Recording& recording) {
  const auto found = kinds().find(recording.kind());
  SGF_CHECK_FILE(found != kinds().end(), recording.path(), "unknown kind of recording '{}'; this version supports {}",
                 recording.kind(), fmt::join(replayable_kinds(), ", "));
  return found->second;
}

double default_tolerance(at::ScalarType dtype, const Kind& kind) {
  if (dtype == at::kDouble) return 1e-10;
  return dtype == at::kFloat ? kind.float32_tolerance : kind.bfloat16_tolerance;
}

const at::Tensor& find(const NamedTensors& tensors, const std::string& name, const Recording& recording) {
  for (const auto& [own, tensor] : tensors)
    if (own == name) return tensor;
  fail_in_file(recording.path(), "expects '{}', which a replay of kind {} does not compute", name, recording.kind());
}

// A complete recorded cache has unused slots: rows of zeros at its end, which ours lacks.
at::Tensor without_unused_slots(const std::string& name, const at::Tensor& ours, const at::Tensor& theirs) {
  const bool is_cache = name.starts_with("out.cache_") && theirs.dim() == 4 && ours.dim() == 4;
  if (!is_cache || theirs.size(1) <= ours.size(1)) return theirs;
  const at::Tensor rest = theirs.slice(1, ours.size(1));
  return rest.numel() > 0 && rest.abs().max().item<double>() == 0 ? theirs.slice(1, 0, ours.size(1)) : theirs;
}

TensorError compare(const std::string& name, const at::Tensor& ours, const at::Tensor& recorded, double tolerance) {
  const at::Tensor theirs = without_unused_slots(name, ours, recorded);
  SGF_CHECK(ours.sizes() == theirs.sizes(), "'{}' has shape [{}], but [{}] in the recording", name,
            fmt::join(ours.sizes(), ", "), fmt::join(theirs.sizes(), ", "));
  const at::Tensor difference = ours.to(at::kCPU, at::kDouble) - theirs;
  TensorError error{.name = name};
  error.max_abs = theirs.numel() == 0 ? 0 : difference.abs().max().item<double>();
  const double norm = theirs.norm().item<double>();
  error.reference_is_zero = norm == 0;
  error.rel_l2 = error.reference_is_zero ? error.max_abs : difference.norm().item<double>() / norm;
  error.holds = error.rel_l2 <= tolerance;  // false for NaN
  return error;
}

// A training stage is verified by its loss and gradients: a recording without either would pass with the rest.
void check_stage_is_told(const Recording& recording, const std::vector<std::string>& names) {
  if (!recording.kind().starts_with("stage_")) return;
  const bool has_loss = std::ranges::find(names, "out.loss") != names.end();
  const bool has_gradients = std::ranges::any_of(names, [](const std::string& n) { return n.starts_with("grad."); });
  SGF_CHECK_FILE(has_loss && has_gradients, recording.path(),
                 "a recording of {} needs out.loss and gradients (grad.*), but {} missing", recording.kind(),
                 has_loss ? "the gradients are" : "out.loss is");
}

// The backend that was chosen for the heads of this recording's network.
std::string backend_used(const Recording& recording, const ReplayOptions& options) {
  if (recording.kind() == "umt5" || recording.kind() == "musiq") return "";  // these have their own attention
  if (!recording.has_setting("config") || !recording.setting("config").contains("num_heads")) return "";
  const DitConfig config = dit_config_from_json(recording.setting("config").dump(), "config");
  const at::Tensor heads =
      at::empty({1, config.head_width()}, at::TensorOptions().dtype(options.dtype).device(options.device));
  return std::string(enum_name(resolve_backend(options.attention, heads)));
}

nlohmann::json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

}  // namespace

std::vector<std::string> replayable_kinds() {
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds()) names.push_back(name);
  return names;
}

NamedTensors replay(const Recording& recording, const ReplayOptions& options) {
  return kind_of(recording).replay(recording, options);
}

namespace {

VerifyResult verified(const Recording& recording, const ReplayOptions& options) {
  const Kind& kind = kind_of(recording);
  const std::vector<std::string> names = recording.expected_names();
  check_stage_is_told(recording, names);
  const NamedTensors ours = kind.replay(recording, options);
  VerifyResult result{.file = recording.path().string(),
                      .kind = recording.kind(),
                      .dtype = std::string(name_of(options.dtype)),
                      .device = options.device.str()};
  result.attention = backend_used(recording, options);
  result.tolerance =
      options.tolerance.value_or(std::max(default_tolerance(options.dtype, kind), kind.recorded_precision));
  for (const std::string& name : names)
    result.tensors.push_back(compare(name, find(ours, name, recording), recording.expected(name), result.tolerance));
  result.ok = std::all_of(result.tensors.begin(), result.tensors.end(), [](const TensorError& e) { return e.holds; });
  return result;
}

}  // namespace

VerifyResult verify_recording(const std::filesystem::path& path, const ReplayOptions& options) {
  forbid_tf32();
  const Recording recording = Recording::open(path);
  try {
    return verified(recording, options);
  } catch (const FileError& error) {
    if (error.file() == path) throw;
    throw FileError(path, error.what());  // about the file of its weights
  } catch (const Error& error) {
    throw FileError(path, error.what());
  }
}

nlohmann::json to_json(const VerifyResult& result) {
  nlohmann::json tensors = nlohmann::json::array();
  for (const TensorError& error : result.tensors)
    tensors.push_back(
        {{"name", error.name}, {"max_abs", number_or_null(error.max_abs)}, {"rel_l2", number_or_null(error.rel_l2)}});
  return {{"file", result.file},     {"kind", result.kind}, {"dtype", result.dtype},
          {"device", result.device}, {"tensors", tensors},  {"ok", result.ok}};
}

}  // namespace sgf

// Keys of a flat file whose meaning depends on other keys; flat_keys.cpp has the meaning of each single key.
#include "sgf/config/flat_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "sgf/config/config_schema.h"
#include "sgf/config/flat_reader.h"
#include "sgf/config/settings.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/schedule/sigma_shift.h"

namespace sgf {
namespace {

// Keys that a file with sections would hardly have by mistake.
constexpr std::array kTellTale = {
    "denoising_step_list",    "generator_ckpt", "image_or_video_shape",    "model_kwargs",
    "num_frame_per_block",    "real_name",      "distribution_loss",       "trainer",
    "dfake_gen_update_ratio", "lr_critic",      "independent_first_frame", "warp_denoising_step"};
constexpr std::string_view kNested = "model_kwargs";
constexpr std::string_view kDefaultNetwork = "Wan2.1-T2V-1.3B";
constexpr std::string_view kWeightFolder = "wan_models/";
constexpr int64_t kMostFrames = 1'000'000'000;  // so that sums of frames stay numbers

bool has_tell_tale(const ConfigNode& tree) {
  return std::any_of(kTellTale.begin(), kTellTale.end(), [&](const char* key) { return tree.find(key) != nullptr; });
}

std::set<std::string, std::less<>> our_first_parts() {
  std::set<std::string, std::less<>> parts;
  for (const KeyHelp& key : list_keys<Config>()) parts.insert(first_part(key.key));
  return parts;
}

bool is_our_key(std::string_view name) {
  static const std::set<std::string, std::less<>> ours = our_first_parts();  // list_keys spells all defaults
  return ours.contains(name);
}

bool is_our_section(const ConfigEntry& entry) {
  return entry.value.kind == ConfigNode::Kind::kMapping && is_our_key(entry.key);
}

// The preset with a network's sizes; any other name is taken as a preset name.
std::string preset_of(const std::string& network) {
  if (network == kDefaultNetwork) return "wan-1.3b";
  if (network == "Wan2.1-T2V-14B") return "wan-14b";
  return network;
}

std::string folder_of_weights(const std::string& network) {
  return network.find('/') == std::string::npos ? std::string(kWeightFolder) + network : network;
}

class FlatMapping final : private FlatReader {
 public:
  explicit FlatMapping(const ConfigNode& flat) : FlatReader(flat) {}

  FlatTranslation translate();

 private:
  int64_t frames_or(std::string_view key, int64_t otherwise) const;
  void write_number(std::string_view ours, double value, std::string_view key, const std::string& remark = "");
  void take_sizes();
  void take_context();
  void take_networks();
  void take_batch();
  void take_stage();
  void take_boundary();
  void take_numerics();
  void take_steps();
  size_t take_step_list(const char* key, const char* ours);
};

// A number of frames, which may be missing or -1.
int64_t FlatMapping::frames_or(std::string_view key, int64_t otherwise) const {
  const auto frames = value_or<int64_t>(key, otherwise);
  SGF_CHECK(-1 <= frames && frames <= kMostFrames, "{}: {} must be a number of frames, at most {}, got {}",
            origin_of(key).where(), key, kMostFrames, frames);
  return frames;
}

// The value is computed from numbers of the file and may overflow.
void FlatMapping::write_number(std::string_view ours, double value, std::string_view key, const std::string& remark) {
  SGF_CHECK(std::isfinite(value), "{}: {} is out of range: {} becomes {}", origin_of(key).where(), key, ours, value);
  set(ours, ConfigValue<double>::write(value), key, remark);
}

void FlatMapping::take_sizes() {
  std::vector<int64_t> shape = value_or("image_or_video_shape", std::vector<int64_t>{});
  const std::string where = origin_of("image_or_video_shape").where();
  if (find("image_or_video_shape") != nullptr) {
    SGF_CHECK(shape.size() == 5, "{}: image_or_video_shape expects [B, F, C, H, W], got {} numbers", where,
              shape.size());
    set("video.frames", std::to_string(shape[1]), "image_or_video_shape", "latent frames; the batch in it is not used");
    set("model.in_dim", std::to_string(shape[2]), "image_or_video_shape");
    set("model.out_dim", std::to_string(shape[2]), "image_or_video_shape");
    set("video.height", std::to_string(shape[3]), "image_or_video_shape");
    set("video.width", std::to_string(shape[4]), "image_or_video_shape");
  }
  if (find("num_training_frames") == nullptr) return;
  const int64_t frames = frames_or("num_training_frames", 0);
  SGF_CHECK(shape.empty() || frames == shape[1],
            "{}: num_training_frames {} must equal the {} frames of image_or_video_shape: rollouts longer than the "
            "trained video are not supported",
            origin_of("num_training_frames").where(), frames, shape.empty() ? frames : shape[1]);
  set("video.frames", std::to_string(frames), "num_training_frames");
}

void FlatMapping::take_context() {
  const int64_t block = frames_or("num_frame_per_block", 1);
  const int64_t sink = frames_or("model_kwargs.sink_size", 0);
  const int64_t window = frames_or("model_kwargs.local_attn_size", -1);
  const std::vector<int64_t> shape = value_or("image_or_video_shape", std::vector<int64_t>{1, 21});
  const int64_t frames = frames_or("num_training_frames", shape[1]);  // take_sizes has seen the shape
  set("context.block_frames", std::to_string(block), "num_frame_per_block");
  set("context.sink_frames", std::to_string(sink), "model_kwargs.sink_size");
  SGF_CHECK(window == -1 || window >= block,
            "{}: model_kwargs.local_attn_size must be -1 or at least a block, got {} with blocks of {}",
            origin_of("model_kwargs.local_attn_size").where(), window, block);
  const int64_t fifo = window == -1 ? std::max<int64_t>(frames - sink - block, 0) : window - block;
  std::string remark = window == -1 ? "all history" : "local_attn_size counts the window and the block, not the sink";
  if (window != -1 && sink > 0)
    remark += fmt::format("; where it counts the sink too (FastVideo): --set context.fifo_frames={}",
                          std::max<int64_t>(fifo - sink, 0));
  set("context.fifo_frames", std::to_string(fifo), "model_kwargs.local_attn_size", remark);
  set("context.train_frames", std::to_string(sink + fifo + block), "model_kwargs.local_attn_size");
  put("context.positions", flat_scalar(sink > 0 ? "top_aligned" : "absolute", file().origin));
  if (value_or("independent_first_frame", false)) set("context.first_block_frames", "1", "independent_first_frame");
}

void FlatMapping::take_networks() {
  const std::string own = value_or("model_kwargs.model_name", std::string(kDefaultNetwork));
  const std::string preset = preset_of(own);
  stand_on(preset);
  SGF_CHECK(!preset.starts_with("Wan"),
            "{}: model_kwargs.model_name {} is unknown; use Wan2.1-T2V-1.3B, Wan2.1-T2V-14B or the name of a preset",
            origin_of("model_kwargs.model_name").where(), in_quotes(own));
  note("(model_kwargs.model_name)", fmt::format("model of preset {}", preset), "");
  if (find("real_name") != nullptr) {
    const auto real = value_or<std::string>("real_name", "");
    const bool is_other = preset_of(real) != preset;
    set("dmd.teacher", folder_of_weights(real), "real_name",
        is_other ? "the teacher's size differs from the generator's and is read from its file" : "");
    if (is_other && find("fake_name") == nullptr) set("dmd.critic", folder_of_weights(own), "fake_name");
  }
  if (find("fake_name") != nullptr)
    set("dmd.critic", folder_of_weights(value_or<std::string>("fake_name", "")), "fake_name");
}

void FlatMapping::take_batch() {
  const auto per_gpu = value_or<int64_t>("batch_size", 1);
  set("train.micro_batch", std::to_string(per_gpu), "batch_size",
      "samples per forward; in Self-Forcing an update has batch_size times the number of GPUs, 64 in the published "
      "runs");
  if (find("total_batch_size") != nullptr)
    set("train.global_batch", std::to_string(value_or<int64_t>("total_batch_size", 1)), "total_batch_size",
        "samples per update, accumulated if they do not fit; Self-Forcing's own trainer does not read it");
}

void FlatMapping::take_stage() {
  const auto trainer = value_or<std::string>("trainer", "score_distillation");
  const bool is_forcing = value_or("teacher_forcing", false);
  if (trainer == "score_distillation" || trainer == "self_gradient_forcing") {
    set("train.stage", "dmd", "trainer");
  } else {
    SGF_CHECK(trainer == "diffusion" && is_forcing,
              "{}: trainer {}{} is not supported; use score_distillation, self_gradient_forcing, or diffusion with "
              "teacher_forcing",
              origin_of("trainer").where(), in_quotes(trainer),
              trainer == "diffusion" ? " without teacher_forcing" : "");
    set("train.stage", "teacher_forcing", "trainer");
  }
  if (trainer != "diffusion") {
    put("data.wan", flat_scalar(folder_of_weights(std::string(kDefaultNetwork)), file().origin));
    note("(text encoder, VAE)", "data.wan",
         "the folder that Self-Forcing reads them from; --set data.wan=DIR names another");
  }
  if (find("data_path") == nullptr) return;
  if (trainer == "diffusion")
    note("data_path", "", "clips come from data.world, or from data.clips, written by sgf data encode");
  else
    set("data.prompts", value_or<std::string>("data_path", ""), "data_path");
}

// A file of the paper's release names its cache or its gradient mode; a Self-Forcing file has neither.
void FlatMapping::take_boundary() {
  const auto mode = value_or<std::string>("grad_mode", "");
  SGF_CHECK(mode.empty() || mode == "self_gradient_forcing", "{}: grad_mode expects self_gradient_forcing, got {}",
            origin_of("grad_mode").where(), in_quotes(mode));
  const std::array marks = {"grad_mode", "cache_mode", "self_gradient_forcing_cache_mode", "per_rank_exit_step",
                            "self_gradient_forcing_match_context"};
  const bool is_open = std::any_of(marks.begin(), marks.end(), [&](const char* key) { return find(key) != nullptr; }) ||
                       value_or<std::string>("trainer", "") == "self_gradient_forcing";
  set("dmd.boundary", is_open ? "open" : "frozen", "grad_mode",
      is_open ? "Self Gradient Forcing"
              : "a file of Self Forcing; --set dmd.boundary=open makes it Self Gradient Forcing");
  put("dmd.generator_at_zero", flat_scalar(is_open ? "false" : "true", file().origin));
  if (find("per_rank_exit_step") != nullptr)
    set("dmd.exit", value_or("per_rank_exit_step", false) ? "per_sample" : "shared", "per_rank_exit_step",
        "one draw per rank there, with one sample per rank");
}

// The number of steps in a list, which may be absent or null.
size_t FlatMapping::take_step_list(const char* key, const char* ours) {
  const ConfigNode* list = find(key);
  if (list == nullptr || list->kind == ConfigNode::Kind::kNull) return 0;
  ConfigNode steps = *list;
  const bool ends_clean = !steps.items.empty() && is_flat_value(steps.items.back(), "0");
  if (ends_clean) steps.items.pop_back();
  put(ours, steps);
  note(key, ours, ends_clean ? "without its 0: no step starts at 0" : "");
  return steps.items.size();
}

void FlatMapping::take_steps() {
  size_t count = take_step_list("denoising_step_list", "schedule.denoising_steps");
  if (count == 0) count = ScheduleSettings{}.denoising_steps.size();
  take_step_list("denoising_step_list_first_chunk", "schedule.first_block_steps");
  if (find("last_step_only") != nullptr)
    set("dmd.first_exit", value_or("last_step_only", false) ? std::to_string(count) : "1", "last_step_only");
}

void FlatMapping::take_numerics() {
  take_steps();
  const auto shift = value_or("timestep_shift", value_or("model_kwargs.timestep_shift", 5.0));
  const auto inner = value_or("model_kwargs.timestep_shift", shift);
  if (find("model_kwargs.timestep_shift") != nullptr)
    write_number("schedule.shift", inner, "model_kwargs.timestep_shift");
  if (shift != inner) write_number("dmd.score_shift", shift, "timestep_shift", "for the scores only");
  if (find("min_score_timestep") != nullptr) {
    const double least = 1000 * shift_sigma(value_or("min_score_timestep", 0.0) / 1000, shift);
    write_number("dmd.least_score_time", least, "min_score_timestep", "after the shift");
  }
  const char* guidance = find("real_guidance_scale") != nullptr ? "real_guidance_scale" : "guidance_scale";
  if (find(guidance) != nullptr) {
    const auto scale = value_or(guidance, 3.0);
    write_number("dmd.guidance", scale, guidance,
                 fmt::format("cond + {0} (cond - uncond), the usual guidance weight of {1}", scale, scale + 1));
    if (guidance != std::string_view("guidance_scale") && find("guidance_scale") != nullptr)
      note("guidance_scale", "", "real_guidance_scale takes precedence");
  }
  if (find("mixed_precision") != nullptr)
    set("run.dtype", value_or("mixed_precision", true) ? "bfloat16" : "float32", "mixed_precision",
        "for matrix products; master weights and moments are float32");
  if (find("gradient_checkpointing") != nullptr)
    set("train.activations", value_or("gradient_checkpointing", true) ? "recompute" : "keep", "gradient_checkpointing");
}

FlatTranslation FlatMapping::translate() {
  const std::string stem = std::filesystem::path(file().origin.source).stem().string();
  put("name", flat_scalar(stem, file().origin));
  put("description", flat_scalar("from a flat, Self-Forcing-style file", file().origin));
  take_keys();
  take_sizes();
  take_context();
  take_networks();
  take_batch();
  take_stage();
  take_boundary();
  take_numerics();
  if (find("max_steps") == nullptr && find("max_iters") == nullptr)
    note("(max_steps)", "train.steps",
         "Self-Forcing runs until it is killed; here the preset's number of steps applies");
  note_the_rest();
  return std::move(*this).result();
}

}  // namespace

bool is_flat_config(const ConfigNode& tree) {
  return has_tell_tale(tree) && std::none_of(tree.entries.begin(), tree.entries.end(), is_our_section);
}

FlatTranslation translate_flat(const ConfigNode& flat) { return FlatMapping(flat).translate(); }

void refuse_flat_keys(const ConfigNode& tree) {
  if (!has_tell_tale(tree)) return;
  for (const ConfigEntry& entry : tree.entries) {
    const std::vector<FlatKey> rows = flat_rows_of(entry.key);
    if (is_our_key(entry.key) || (rows.empty() && entry.key != kNested)) continue;
    const std::string_view ours = rows.empty() ? "context" : rows[0].ours;
    fail("{}: {} is a key of flat, Self-Forcing-style files, which cannot be mixed with sections{}",
         entry.origin.where(), entry.key, ours.empty() ? "" : fmt::format("; use {}", ours));
  }
}

void refuse_flat_override(std::string_view assignment) {
  const std::string_view key = assignment.substr(0, assignment.find('='));
  const std::vector<FlatKey> rows = flat_rows_of(key);
  if (rows.empty() || is_our_key(key)) return;
  const bool has_ours = rows[0].use == FlatUse::kSame || rows[0].use == FlatUse::kDerived;
  fail("--set {}: overrides use the keys of this program; {} is {}", assignment, key,
       has_ours ? rows[0].ours : "none of them");
}

}  // namespace sgf

#include "sgf/config/flat_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sgf/config/flat_adapter.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

namespace sgf {
namespace {

constexpr std::string_view kSmall = "Wan2.1-T2V-1.3B", kLarge = "Wan2.1-T2V-14B";
constexpr std::string_view kWeightFolder = "wan_models/";
constexpr std::string_view kNeverSteps = "2000000000";  // as in Causal-Forcing's files

// The file's key for the generator, and the name there.
struct NamedNetwork {
  std::string key;
  std::string name;
};

// The preset with a network's sizes; any other name is taken as a preset name.
std::string preset_of(const std::string& network) {
  if (network == kSmall) return "wan-1.3b";
  if (network == kLarge) return "wan-14b";
  return network;
}

bool is_wan(const std::string& network) { return network.starts_with("Wan"); }

std::string folder_of_weights(const std::string& network) {
  return network.find('/') == std::string::npos ? std::string(kWeightFolder) + network : network;
}

// Self-Forcing-Plus, which names the kind of its generator, has another default for all networks.
std::string default_network(const FlatReader& file) {
  return std::string(file.has("generator_type") ? kLarge : kSmall);
}

NamedNetwork generator_of(const FlatReader& file) {
  for (const char* key : {"model_kwargs.model_name", "generator_name", "model_name"})
    if (file.has(key)) return {key, file.value_or<std::string>(key, "")};
  return {"model_kwargs.model_name", default_network(file)};
}

// Their trainers ask whether the value is true: "", null, false and 0 are no checkpoint either.
bool names_checkpoint(const FlatReader& file) {
  const ConfigNode* node = file.find("generator_ckpt");
  if (node == nullptr || node->kind == ConfigNode::Kind::kNull) return false;
  if (node->kind == ConfigNode::Kind::kScalar && node->text.empty()) return false;
  return node->is_quoted || !(is_flat_value(with_plain_bool(*node), "false") || is_flat_value(*node, "0"));
}

// Their trainers load the generator's own weights first, and generator_ckpt over them.
std::string start_of(const FlatReader& file) {
  const std::string own = generator_of(file).name;
  if (names_checkpoint(file)) return file.value_or<std::string>("generator_ckpt", "");
  return is_wan(own) ? folder_of_weights(own) : "";
}

void take_start(FlatReader& file, const std::string& own) {
  constexpr const char* kKey = "generator_ckpt";
  if (names_checkpoint(file)) {
    file.put("train.start_from", *file.find(kKey));
    return file.note(kKey, "train.start_from", "");
  }
  if (!is_inference_only(file) && is_wan(own))
    return file.set("train.start_from", start_of(file), kKey, "the generator starts from its own base weights");
  if (file.has(kKey)) file.note(kKey, "", "names no checkpoint");
}

void take_scores(FlatReader& file, const std::string& own) {
  const std::string fallback = is_wan(own) ? default_network(file) : "";
  const auto real = file.value_or<std::string>("real_name", fallback);
  const auto fake = file.value_or<std::string>("fake_name", fallback);
  if (!real.empty())
    file.set("dmd.teacher", folder_of_weights(real), "real_name",
             preset_of(real) == preset_of(own)
                 ? ""
                 : "the teacher's size differs from the generator's and is read from its file");
  if (!fake.empty()) file.set("dmd.critic", folder_of_weights(fake), "fake_name");
}

// The release draws per rank only if the cache has what each rank's exit predicts.
void take_exit(FlatReader& file, bool is_open) {
  const auto cache =
      file.value_or("self_gradient_forcing_cache_mode", file.value_or<std::string>("cache_mode", "exit"));
  const bool is_asked = file.value_or("per_rank_exit_step", is_open);
  if (is_asked && cache == "exit")
    return file.set("dmd.exit", "per_sample", "per_rank_exit_step",
                    "one draw per rank there, with one sample per rank");
  file.set("dmd.exit", "shared", "per_rank_exit_step",
           is_asked
               ? fmt::format("one draw for all ranks: with cache mode {} its trainer draws no other", in_quotes(cache))
               : "one draw for all ranks");
}

// A file of the paper's release names its cache or its gradient mode; a Self-Forcing file has neither.
void take_boundary(FlatReader& file) {
  const auto mode = file.value_or<std::string>("grad_mode", "");
  SGF_CHECK(mode.empty() || mode == "self_gradient_forcing", "{}: grad_mode expects self_gradient_forcing, got {}",
            file.origin_of("grad_mode").where(), in_quotes(mode));
  const bool is_open = is_self_gradient_forcing(file);
  file.set("dmd.boundary", is_open ? "open" : "frozen", "grad_mode",
           is_open ? "Self Gradient Forcing"
                   : "a file of Self Forcing; --set dmd.boundary=open makes it Self Gradient Forcing");
  file.put("dmd.generator_at_zero", std::string(is_open ? "false" : "true"));
  take_exit(file, is_open);
}

void take_distillation(FlatReader& file) {
  file.set("distil.teacher", start_of(file), "generator_ckpt", "the teacher starts from the same file");
}

void take_unread_networks(FlatReader& file) {
  for (const char* key : {"real_name", "fake_name"})
    if (file.has(key)) file.note(key, "", "its trainer has no such network");
}

void take_data(FlatReader& file, const std::string& stage) {
  const std::string own = generator_of(file).name;
  const std::string folder = file.has("generator_name") && is_wan(own) ? own : std::string(kSmall);
  file.set("data.wan", folder_of_weights(folder), "text encoder, VAE",
           "the folder that its code reads them from; --set data.wan=DIR names another");
  if (!file.has("data_path")) return;
  if (is_inference_only(file))
    file.note("data_path", "", "prompts of its inference: sgf generate --prompts FILE");
  else if (stage == "dmd")
    file.set("data.prompts", file.value_or<std::string>("data_path", ""), "data_path", "one prompt per line");
  else if (stage == "causal_ode")
    file.note("data_path", "", "paths come from data.pairs, written by sgf pairs, and clips from data.clips");
  else
    file.note("data_path", "", "clips come from data.world, or from data.clips, written by sgf data encode");
}

}  // namespace

std::string flat_stage(const FlatReader& file) {
  const auto trainer = file.value_or<std::string>("trainer", "score_distillation");
  if (trainer == "score_distillation" || trainer == "self_gradient_forcing") return "dmd";
  if (trainer == "consistency_distillation") return "causal_cd";
  if (trainer == "ode") return "causal_ode";
  const bool is_diffusion = trainer == "diffusion";
  if (is_diffusion && file.value_or("teacher_forcing", false)) return "teacher_forcing";
  fail(
      "{}: trainer {}{} is not supported; use score_distillation, self_gradient_forcing, consistency_distillation, "
      "ode, "
      "or diffusion with teacher_forcing: true",
      file.origin_of("trainer").where(), in_quotes(trainer), is_diffusion ? " without teacher_forcing" : "");
}

bool is_inference_only(const FlatReader& file) {
  constexpr std::array kMarks = {"num_output_frames", "output_folder", "inference_iter", "lora_ckpt", "use_ema"};
  if (file.has("trainer") || file.has("lr") || file.has("distribution_loss")) return false;
  return std::any_of(kMarks.begin(), kMarks.end(), [&](const char* key) { return file.has(key); });
}

void take_stage(FlatReader& file) {
  const std::string stage = flat_stage(file);
  if (!is_inference_only(file))
    file.set("train.stage", stage, "trainer",
             stage == "causal_ode" ? "ODE regression with clean context, as in Causal-Forcing; --set "
                                     "train.stage=bidirectional_ode is that of Self-Forcing's own trainer"
                                   : "");
  if (stage == "dmd") take_boundary(file);
  if (stage == "causal_cd") take_distillation(file);
  if (stage == "causal_ode")
    file.set("train.ema_start_step", std::string(kNeverSteps), "EMA", "its trainer keeps none");
  take_data(file, stage);
}

void take_networks(FlatReader& file) {
  const NamedNetwork own = generator_of(file);
  const std::string preset = preset_of(own.name);
  file.stand_on(preset);
  SGF_CHECK(!is_wan(preset), "{}: {} {} is unknown; use Wan2.1-T2V-1.3B, Wan2.1-T2V-14B or the name of a preset",
            file.origin_of(own.key).where(), own.key, in_quotes(own.name));
  file.note(file.has(own.key) ? own.key : fmt::format("({})", own.key), fmt::format("model of preset {}", preset), "");
  take_start(file, own.name);
  if (is_inference_only(file)) return;
  if (flat_stage(file) == "dmd")
    take_scores(file, own.name);
  else
    take_unread_networks(file);
}

void take_adapter(FlatReader& file) {
  const FlatAdapter adapter = flat_adapter_of(file.file());
  if (adapter.rank == 0) return;
  file.note("adapter.alpha", "",
            fmt::format("alpha / rank is {}: sgf generate --lora scales a LoRA of rank {} without alpha by it, as its "
                        "inference does",
                        adapter.factor(), adapter.rank));
}

// Their trainers keep an EMA only if its weight is a number above 0; in causal_cd it is the target.
void take_ema(FlatReader& file) {
  constexpr const char* kKey = "ema_weight";
  const ConfigNode* weight = file.find(kKey);
  if (weight == nullptr) return;
  const bool is_null = weight->kind == ConfigNode::Kind::kNull;
  const bool has_ema = !is_null && file.value_or(kKey, 0.0) > 0;
  if (has_ema || flat_stage(file) == "causal_cd") return file.put("train.ema_decay", *weight);
  file.set("train.ema_start_step", std::string(kNeverSteps), kKey, "no EMA, as in its trainer");
}

void take_batch(FlatReader& file) {
  const auto per_gpu = file.value_or<int64_t>("batch_size", 1);
  file.set("train.micro_batch", std::to_string(per_gpu), "batch_size",
           "samples per forward; in its trainer an update has batch_size times the number of GPUs, 64 in the published "
           "runs, which is train.global_batch of the Wan presets");
  if (!file.has("total_batch_size")) return;
  if (flat_stage(file) == "causal_ode")
    return file.set("train.global_batch", std::to_string(file.value_or<int64_t>("total_batch_size", 1)),
                    "total_batch_size", "batch_size times the number of GPUs, which its trainer checks");
  file.note("total_batch_size", "",
            "its trainer does not read it; --set train.global_batch=N sets the samples per update, accumulated if they "
            "do not fit");
}

}  // namespace sgf

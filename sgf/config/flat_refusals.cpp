#include "sgf/config/flat_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

namespace sgf {
namespace {

std::string text_of(const FlatReader& file, std::string_view key) { return file.value_or<std::string>(key, ""); }

std::string lower_stem(const FlatReader& file) {
  std::string stem = std::filesystem::path(file.file().origin.source).stem().string();
  std::ranges::transform(stem, stem.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return stem;
}

// The method is in the training alone: the network streams as any other of the family.
void refuse_training_by(FlatReader& file, std::string_view key, const std::string& reason) {
  const std::string whole = fmt::format("{}; sgf generate --config reads its window and its steps", reason);
  file.refuse_training(fmt::format("{}: {}", file.origin_of(key).where(), whole));
  file.note("(trainer)", "", whole);
}

void refuse_sid(FlatReader& file) {
  const bool is_loss = text_of(file, "distribution_loss") == "sid";
  if (!is_loss && !file.has("sid_alpha")) return;
  const char* key = is_loss ? "distribution_loss" : "sid_alpha";
  refuse_training_by(
      file, key,
      fmt::format("{} asks for the SiD loss, which is not supported{}; use self_forcing_dmd.yaml, or {} to train DMD "
                  "with the other numbers of this file",
                  key, is_loss ? "" : " (with distribution_loss dmd beside it, Self-Forcing's trainer runs DMD)",
                  is_loss ? "set distribution_loss: dmd and remove sid_alpha" : "remove sid_alpha"));
}

void refuse_defaults_alone(const FlatReader& file) {
  SGF_CHECK(lower_stem(file) != "default_config" || file.has("trainer"),
            "{}: has only the defaults that other files are merged over; pass one of the files beside it, which takes "
            "them by itself",
            file.file().origin.source);
}

// The file differs from Self-Forcing's by its steps alone: the code that reads it makes the difference.
void refuse_rolling_forcing(const FlatReader& file) {
  const std::string stem = lower_stem(file);
  const bool is_rolling =
      stem.find("rolling_forcing") != std::string::npos || stem.find("rolling-forcing") != std::string::npos;
  SGF_CHECK(!is_rolling,
            "{}: Rolling Forcing denoises several blocks at once, each at its own noise level, which is not supported: "
            "sgf denoises one block at a time; use self_forcing_dmd.yaml, or copy this file under a name without "
            "rolling_forcing to train Self Forcing with its numbers",
            file.file().origin.source);
}

void refuse_reward(const FlatReader& file) {
  for (const char* key : {"trainer", "distribution_loss"}) {
    const std::string value = text_of(file, key);
    SGF_CHECK(
        !value.starts_with("reward"),
        "{}: {} {} weights videos by a reward model and averages old frames into the sink (Reward Forcing), which "
        "is not supported; set trainer: score_distillation and distribution_loss: dmd to train Self Forcing with "
        "the numbers of this file",
        file.origin_of(key).where(), key, in_quotes(value));
  }
}

// Training of LongLive on long rollouts, after its first stage.
void refuse_long_training(FlatReader& file) {
  constexpr const char* kInstead =
      "use longlive_train_init.yaml, which trains the same window on 21 latent frames; long videos need no training of "
      "their own with sgf generate";
  if (file.value_or("streaming_training", false))
    refuse_training_by(
        file, "streaming_training",
        fmt::format("streaming_training is not supported: it trains pieces of one long rollout; {}", kInstead));
  if (text_of(file, "distribution_loss") == "dmd_switch")
    refuse_training_by(
        file, "distribution_loss",
        fmt::format("distribution_loss dmd_switch is not supported: it changes the prompt during a rollout; {}",
                    kInstead));
}

void refuse_other_losses(const FlatReader& file) {
  const ConfigNode* loss = file.find("distribution_loss");
  SGF_CHECK(loss == nullptr || !file.trains() || is_flat_value(*loss, "dmd"),
            "{}: distribution_loss {} is not supported, only dmd", loss->origin.where(), describe_value(*loss));
}

void refuse_lora(FlatReader& file) {
  const ConfigNode* adapter = file.find("adapter");
  if (adapter == nullptr || adapter->kind == ConfigNode::Kind::kNull || is_inference_only(file) || !file.trains())
    return;
  refuse_training_by(file, "adapter", "adapter trains a LoRA, but sgf train changes all weights: remove adapter");
}

// Self-Forcing-Plus: few-step generators that see the whole video, and one that is led by an image.
void refuse_other_generators(const FlatReader& file) {
  for (const char* key : {"generator_name", "model_kwargs.model_name", "model_name"}) {
    const std::string name = text_of(file, key);
    SGF_CHECK(name.find("-I2V") == std::string::npos,
              "{}: {} {} has an image encoder and 36 input channels, which is not supported; use Wan2.1-T2V-1.3B or "
              "Wan2.1-T2V-14B with generator_type: causal and i2v: false",
              file.origin_of(key).where(), key, in_quotes(name));
  }
  const std::string kind = text_of(file, "generator_type");
  SGF_CHECK(kind.empty() || kind == "causal",
            "{}: generator_type {} is not supported: it denoises the whole video at once and cannot stream; set "
            "generator_type: causal, which trains Self Forcing of {}",
            file.origin_of("generator_type").where(), in_quotes(kind),
            file.has("generator_name") ? in_quotes(text_of(file, "generator_name")) : "Wan2.1-T2V-14B");
}

std::string reason_of_causvid(const FlatReader& file) {
  const std::string model = text_of(file, "model_name");
  if (model.starts_with("sdxl")) return "it trains an image model; there is no nearest config";
  const std::string task = text_of(file, "generator_task");
  if (task.starts_with("bidirectional"))
    return "its generator denoises the whole video at once and cannot stream; use self_forcing_dmd.yaml, whose "
           "generator is causal";
  if (text_of(file, "distillation_loss") == "ode")
    return "it reads paths from a database of its own; use a bidirectional_ode recipe of recipes/wan-1.3b with --set "
           "schedule.shift=8 --set 'schedule.denoising_steps=[1000, 757, 522]' --set "
           "schedule.warp_denoising_steps=false, and sgf pairs for its paths";
  return "its generator trains on noised clips instead of its own rollouts; use self_forcing_dmd.yaml, which trains "
         "the "
         "same network on its rollouts";
}

void refuse_causvid(const FlatReader& file) {
  const std::string model = text_of(file, "model_name");
  const bool is_causvid = file.has("distillation_loss") || file.has("real_task_type") || model == "wan" ||
                          model == "causal_wan" || model.starts_with("sdxl");
  SGF_CHECK(!is_causvid, "{}: a file of CausVid, which is not supported: {}", file.file().origin.source,
            reason_of_causvid(file));
}

}  // namespace

void refuse_other_methods(FlatReader& file) {
  refuse_defaults_alone(file);
  refuse_causvid(file);
  refuse_rolling_forcing(file);
  refuse_sid(file);
  refuse_reward(file);
  refuse_long_training(file);
  refuse_other_losses(file);
  refuse_lora(file);
  refuse_other_generators(file);
}

void refuse_sections_of_longlive(const ConfigNode& tree) {
  constexpr std::array kSections = {"infra", "algorithm", "checkpoints", "inference", "evaluation"};
  const ConfigNode* network = tree.find("model_kwargs");
  const auto has_section = [&](const char* name) {
    const ConfigNode* section = tree.find(name);
    return section != nullptr && section->kind == ConfigNode::Kind::kMapping;
  };
  if (network == nullptr || std::ranges::none_of(kSections, has_section)) return;
  const ConfigNode* name = network->find("model_name");
  fail(
      "{}: a file of LongLive 2.0, whose network{}{} has 48 latent channels and another VAE, which is not supported; "
      "use "
      "longlive_train_init.yaml or longlive_inference.yaml of LongLive 1.0, which are for Wan2.1-T2V-1.3B",
      network->origin.where(), name == nullptr ? "" : " ", name == nullptr ? "" : describe_value(*name));
}

}  // namespace sgf

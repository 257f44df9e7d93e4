#include "sgf/training/build_stage.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/noise.h"
#include "sgf/data/prompt_list.h"
#include "sgf/data/world_codec.h"
#include "sgf/data/world_source.h"
#include "sgf/data/world_text.h"
#include "sgf/rollout/config_parts.h"
#include "sgf/training/clip_stage.h"
#include "sgf/training/configured_passes.h"
#include "sgf/training/dmd_stage.h"
#include "sgf/training/sample_number.h"
#include "sgf/training/train_needs.h"
#include "sgf/training/wan_surroundings.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace sgf {
namespace {

// Clips of a run and of its samples never meet: the latter begin here.
constexpr int64_t kFirstSampleClip = int64_t{1} << 40;
// Generator and critic see prompts of their own: even and odd numbers.
constexpr int64_t kKinds = 2;

LearnerSettings learner_settings(const Config& c, const OptimiserSettings& o) {
  return {.optimiser = {.learning_rate = o.learning_rate,
                        .beta1 = o.beta1,
                        .beta2 = o.beta2,
                        .weight_decay = o.weight_decay,
                        .eps = o.eps,
                        .clip_norm = o.clip_norm},
          .rate = {.warmup_steps = o.warmup_steps,
                   .decay = o.decay,
                   .final_share = o.final_share,
                   .total_steps = c.train.steps},
          .limits = {.factor = c.train.skip_over_median, .stop_after = c.train.stop_after_skips}};
}

TrainedDit trained(const Config& c, const std::string& source, c10::Device device) {
  const auto options = at::TensorOptions().device(device).dtype(master_type(c));
  return TrainedDit(dit_config_of(c), weights_of(c, source, options), compute_type(c), dit_options_of(c));
}

// Prompts by number: of a file, each once an epoch, or the world's captions.
class FilePrompts final : public PromptSource {
 public:
  FilePrompts(std::vector<std::string> prompts, uint64_t seed)
      : prompts_(std::move(prompts)), order_(static_cast<int64_t>(prompts_.size()), seed) {}

  std::vector<std::string> prompts(int64_t first, int64_t count) const override {
    std::vector<std::string> out;
    for (int64_t i = 0; i < count; ++i) out.push_back(prompts_[static_cast<size_t>(order_.at(first + i))]);
    return out;
  }

 private:
  std::vector<std::string> prompts_;
  PromptOrder order_;
};

// A word the encoder does not know is refused now, not in the middle of the night, and with its place.
void check_words(const TextEncoder& text, const std::vector<std::string>& prompts, const std::string& source) {
  for (size_t i = 0; i < prompts.size(); ++i) {
    try {
      text.encode({prompts[i]});
    } catch (const Error& error) {
      fail("training", "{}: prompt {}, {}: {}", source, i + 1, in_quotes(prompts[i]), error.what());
    }
  }
}

std::shared_ptr<const PromptSource> prompt_source(const Config& c, const StageSurroundings& around) {
  const auto seed = static_cast<uint64_t>(c.run.seed);
  if (c.data.prompts.empty()) return std::make_shared<WorldSource>(world_preset(c.data.world), seed);
  std::vector<std::string> prompts = read_prompts(c.data.prompts);
  if (!c.data.world.empty()) check_words(*around.text, prompts, c.data.prompts);  // Wan's encoder takes any
  return std::make_shared<FilePrompts>(std::move(prompts), seed);
}

void check_world_sizes(const Config& c, const WorldPreset& world, const WorldCodec& codec) {
  const int64_t side = world.size / codec.spatial_factor();
  check(c.video.height == side && c.video.width == side, "training",
        "{} has latents of {}x{}, got video.height {} and video.width {}", world.name, side, side, c.video.height,
        c.video.width);
  check(c.model.in_dim == codec.latent_channels() && c.model.out_dim == codec.latent_channels(), "training",
        "{} has latents of {} channels, got model.in_dim {} and model.out_dim {}", world.name, codec.latent_channels(),
        c.model.in_dim, c.model.out_dim);
  check(c.model.text_dim == world.text_dim && c.model.text_len == world.text_len, "training",
        "{} has text rows of {}x{}, got model.text_len {} and model.text_dim {}", world.name, world.text_len,
        world.text_dim, c.model.text_len, c.model.text_dim);
}

std::unique_ptr<Stage> build_clip_stage(const Config& c, const StageSurroundings& around, c10::Device device,
                                        const Ranks& ranks) {
  const bool is_causal = c.train.stage == StageChoice::kTeacherForcing;
  const auto seed = static_cast<uint64_t>(c.run.seed);
  const auto source = std::make_shared<WorldSource>(world_preset(c.data.world), seed);
  const at::ScalarType type = master_type(c);
  const ClipBatches batches = [=, text = around.text, global = c.train.global_batch, frames = c.video.frames,
                               dropout = c.data.caption_dropout](int64_t step, int64_t first, int64_t count) {
    ClipBatch batch = source->clips(step * global + first, count, frames, device);
    for (int64_t i = 0; i < count; ++i) {
      const NoiseKey key{.seed = seed, .purpose = NoisePurpose::kDropout, .sample = sample_number(step, first + i)};
      if (uniform_double(key) < dropout) batch.captions[static_cast<size_t>(i)].clear();
    }
    return TextClips{batch.latents.to(type), text->encode(batch.captions).to(device, type)};
  };
  ClipStageSettings settings{
      .objective = is_causal ? ClipObjective::kTeacherForcing : ClipObjective::kFlowMatching,
      .generator = learner_settings(c, c.optimiser),
      .ema_decay = c.train.ema_decay,
      .ema_start_step = c.train.ema_start_step,
      .batch = {.global = c.train.global_batch, .micro = c.train.micro_batch},
      .seed = seed,
      .shift = c.schedule.shift,
      .policy = policy_of(c),
      .layout = layout_of(c),
      .sampler = {.steps = c.output.sample_steps, .shift = c.schedule.shift, .guidance = c.output.sample_guidance}};
  return std::make_unique<ClipStage>(std::move(settings), trained(c, c.train.start_from, device), batches, ranks);
}

DmdStageSettings dmd_settings(const Config& c) {
  const bool is_open = c.dmd.boundary == BoundaryChoice::kOpen;
  return {
      .dmd = {.rollout = rollout_settings_of(c),
              .exit_per_sample = c.dmd.exit == ExitChoice::kPerSample,
              .boundary = is_open ? GradientBoundary::kOpenContext : GradientBoundary::kFrozenContext,
              .guidance = c.dmd.guidance,
              .shift = c.schedule.shift},
      .generator = learner_settings(c, c.optimiser),
      .critic = learner_settings(c, c.critic_optimiser),
      .schedule = {.generator_every = c.dmd.generator_every,
                   .generator_at_zero = c.dmd.generator_at_zero,
                   .critic_only = c.dmd.critic_only_steps},
      .ema_decay = c.train.ema_decay,
      .ema_start_step = c.train.ema_start_step,
      .batch = {.global = c.train.global_batch, .micro = c.train.micro_batch},
      .recovery = {.warn_over = RecoveryWatch::usual_limit(compute_type(c)), .stop_over = c.train.stop_over_recovery},
      .seed = static_cast<uint64_t>(c.run.seed),
      .latent = {c.video.frames, c.model.in_dim, c.video.height, c.video.width}};
}

// The number of a prompt or clip in the run: generator and critic never share one.
int64_t data_number(const Config& c, UpdateKind kind, int64_t step, int64_t first) {
  const int64_t parity = kind == UpdateKind::kGenerator ? 0 : 1;
  return (kKinds * step + parity) * c.train.global_batch + first;
}

DmdData dmd_data(const Config& c, const StageSurroundings& around, c10::Device device) {
  const at::ScalarType type = master_type(c);
  const at::Tensor negative = around.text->encode({c.negative_prompt}).to(device, type);
  DmdData data;
  data.prompts = [=, text = around.text, source = prompt_source(c, around)](UpdateKind kind, int64_t step,
                                                                            int64_t first, int64_t count) {
    const at::Tensor cond = text->encode(source->prompts(data_number(c, kind, step, first), count)).to(device, type);
    return ScoreText{cond, negative.expand(cond.sizes())};
  };
  if (!c.dmd.first_block_given) return data;
  const auto clips = std::make_shared<WorldSource>(world_preset(c.data.world), static_cast<uint64_t>(c.run.seed));
  data.given = [=, frames = layout_of(c).block(0).frames()](UpdateKind kind, int64_t step, int64_t first,
                                                            int64_t count) {
    return clips->clips(data_number(c, kind, step, first), count, frames, device).latents.to(type);
  };
  data.sample_given = [=, frames = layout_of(c).block(0).frames()](int64_t count) {
    return clips->clips(kFirstSampleClip, count, frames, device).latents.to(type);
  };
  return data;
}

StageSurroundings world_surroundings(const Config& c, c10::Device device) {
  const WorldPreset world = world_preset(c.data.world);
  StageSurroundings around{std::make_shared<WorldTextEncoder>(world, at::TensorOptions().device(device)),
                           std::make_shared<WorldCodec>(world), c.output.sample_prompts};
  check_world_sizes(c, world, WorldCodec(world));
  if (around.sample_prompts.empty())
    around.sample_prompts =
        WorldSource(world, static_cast<uint64_t>(c.run.seed)).prompts(kFirstSampleClip, kSamplePrompts);
  check_words(*around.text, around.sample_prompts, "output.sample_prompts");
  check_words(*around.text, {c.negative_prompt}, "negative_prompt");
  return around;
}

// The VAE is needed for samples alone.
StageSurroundings wan_surroundings(const Config& c, c10::Device device) {
  const WanSource source{.folder = c.data.wan,
                         .device = device,
                         .residence = Umt5Residence::kResident,
                         .warn = [](const std::string& text) { fmt::print(stderr, "{}\n", text); }};
  StageSurroundings around{.text = wan_text(source, c), .sample_prompts = c.output.sample_prompts};
  if (c.output.sample_every > 0) around.codec = wan_codec(source, c);
  if (around.sample_prompts.empty()) {
    around.sample_prompts = read_prompts(c.data.prompts);
    around.sample_prompts.resize(std::min<size_t>(around.sample_prompts.size(), kSamplePrompts));
  }
  return around;
}

}  // namespace

StageSurroundings build_surroundings(const Config& c, c10::Device device) {
  const std::vector<std::string> needs = unmet_needs(c);
  check(needs.empty(), "training", "{}", needs.empty() ? "" : needs.front());
  return c.data.world.empty() ? wan_surroundings(c, device) : world_surroundings(c, device);
}

DmdParts build_dmd_parts(const Config& c, const StageSurroundings& around, c10::Device device) {
  DmdData data = dmd_data(c, around, device);
  const std::string& critic = c.dmd.critic.empty() ? c.dmd.teacher : c.dmd.critic;
  return {dmd_settings(c), trained(c, c.train.start_from, device), build_teacher(c, device), trained(c, critic, device),
          std::move(data)};
}

std::unique_ptr<Stage> build_stage(const Config& c, const StageSurroundings& around, c10::Device device,
                                   const Ranks& ranks) {
  if (c.train.stage != StageChoice::kDmd) return build_clip_stage(c, around, device, ranks);
  DmdParts parts = build_dmd_parts(c, around, device);
  return std::make_unique<DmdStage>(std::move(parts.settings), std::move(parts.generator), std::move(parts.teacher),
                                    std::move(parts.critic), std::move(parts.data), ranks);
}

}  // namespace sgf

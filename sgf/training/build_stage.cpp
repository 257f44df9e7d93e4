#include "sgf/training/build_stage.h"

#include "sgf/core/error.h"
#include "sgf/core/say.h"
#include "sgf/core/wan_folder.h"
#include "sgf/core/weight_identity.h"
#include "sgf/data/clip_text.h"
#include "sgf/data/pair_source.h"
#include "sgf/data/world_codec.h"
#include "sgf/data/world_source.h"
#include "sgf/data/world_text.h"
#include "sgf/rollout/config_parts.h"
#include "sgf/training/clip_stage.h"
#include "sgf/training/configured_passes.h"
#include "sgf/training/consistency_stage.h"
#include "sgf/training/dmd_stage.h"
#include "sgf/training/ode_stage.h"
#include "sgf/training/stage_parts.h"
#include "sgf/training/train_needs.h"
#include "sgf/training/wan_surroundings.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

// Clips of a run and of its samples never meet: the latter begin here.
constexpr int64_t kFirstSampleClip = int64_t{1} << 40;
// Generator and critic see prompts of their own: even and odd numbers.
constexpr int64_t kKinds = 2;

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
  ClipStageSettings settings{
      .objective = is_causal ? ClipObjective::kTeacherForcing : ClipObjective::kFlowMatching,
      .update = one_network_settings(c),
      .seed = static_cast<uint64_t>(c.run.seed),
      .shift = c.schedule.shift,
      .policy = policy_of(c),
      .layout = layout_of(c),
      .sampler = {.steps = c.output.sample_steps, .shift = c.schedule.shift, .guidance = c.output.sample_guidance},
      .empty_text = around.text->encode({""})};
  return std::make_unique<ClipStage>(std::move(settings), trained_dit(c, c.train.start_from, device),
                                     clip_batches(c, around, device, c.data.caption_dropout), ranks);
}

// Students of paths go through the steps that the paths were kept at.
void check_paths_fit(const Config& c, const PairOrder& order) {
  const std::vector<double> steps = denoising_steps(c);
  check(order.stage == enum_name(c.train.stage), "training", "data.pairs {}: holds pairs for {}, train.stage is {}",
        c.data.pairs, order.stage, enum_name(c.train.stage));
  check(order.latent == std::vector<int64_t>({c.video.frames, c.model.in_dim, c.video.height, c.video.width}),
        "training", "data.pairs {}: holds latents of [{}], this config's are [{}, {}, {}, {}]", c.data.pairs,
        fmt::join(order.latent, ", "), c.video.frames, c.model.in_dim, c.video.height, c.video.width);
  check(order.context == pair_context(c), "training",
        "data.pairs {}: its paths were made with {}, this config has {}; make pairs with this config", c.data.pairs,
        order.context, pair_context(c));
  bool fits = order.timesteps.size() == steps.size();
  for (size_t i = 0; fits && i < steps.size(); ++i) fits = std::abs(order.timesteps[i] - steps[i]) < 1e-6;
  check(fits, "training", "data.pairs {}: its states were kept at timesteps {:.6g}, the student's are {:.6g}",
        c.data.pairs, fmt::join(order.timesteps, ", "), fmt::join(steps, ", "));
}

std::unique_ptr<Stage> build_ode_stage(const Config& c, const StageSurroundings& around, c10::Device device,
                                       const Ranks& ranks) {
  const auto seed = static_cast<uint64_t>(c.run.seed);
  const auto source = std::make_shared<PairSource>(c.data.pairs, seed);
  check_paths_fit(c, source->order());
  const PathBatches batches = [=, text = around.text, type = master_type(c), global = c.train.global_batch](
                                  int64_t step, int64_t first, int64_t count) {
    const PairBatch pairs = source->pairs(step * global + first, count, device);
    return TextPaths{pairs.states.to(type), pairs.end.to(type),
                     pairs.data.defined() ? pairs.data.to(type) : at::Tensor(),
                     text->encode(pairs.captions).to(device, type)};
  };
  const bool is_causal = c.train.stage == StageChoice::kCausalOde;
  OdeStageSettings settings{.objective = is_causal ? OdeObjective::kCausal : OdeObjective::kBidirectional,
                            .update = one_network_settings(c),
                            .seed = seed,
                            .rollout = rollout_settings_of(c),
                            .latent = latent_shape(c)};
  return std::make_unique<OdeStage>(std::move(settings), trained_dit(c, c.train.start_from, device), batches, ranks);
}

std::unique_ptr<Stage> build_consistency_stage(const Config& c, const StageSurroundings& around, c10::Device device,
                                               const Ranks& ranks) {
  ConsistencyStageSettings settings{
      .update = one_network_settings(c),
      .seed = static_cast<uint64_t>(c.run.seed),
      .guidance = c.distil.guidance,
      .grid = euler_grid(c.distil.grid, c.schedule.shift),
      .rollout = rollout_settings_of(c),
      .latent = latent_shape(c),
      .negative_text = around.text->encode({c.negative_prompt}).to(device, master_type(c))};
  return std::make_unique<ConsistencyStage>(std::move(settings), trained_dit(c, c.train.start_from, device),
                                            build_teacher(c, c.distil.teacher, device),
                                            clip_batches(c, around, device, /*dropout=*/0), ranks);
}

DmdStageSettings dmd_settings(const Config& c) {
  const size_t steps = c.schedule.denoising_steps.size();
  check(c.dmd.first_exit <= static_cast<int64_t>(steps), "training",
        "dmd.first_exit must be one of the {} denoising steps, 1 to {}, got {}", steps, steps, c.dmd.first_exit);
  const bool is_open = c.dmd.boundary == BoundaryChoice::kOpen;
  return {
      .dmd = {.rollout = rollout_settings_of(c),
              .first_exit = c.dmd.first_exit,
              .exit_per_sample = c.dmd.exit == ExitChoice::kPerSample,
              .boundary = is_open ? GradientBoundary::kOpenContext : GradientBoundary::kFrozenContext,
              .guidance = c.dmd.guidance,
              .score = {.shift = c.dmd.score_shift.value_or(c.schedule.shift), .least = c.dmd.least_score_time},
              .score_above_next_step = c.dmd.score_above_next_step},
      .generator = learner_settings(c, c.optimiser),
      .critic = learner_settings(c, c.critic_optimiser),
      .schedule = update_schedule(c.dmd),
      .ema_decay = c.train.ema_decay,
      .ema_start_step = c.train.ema_start_step,
      .batch = {.global = c.train.global_batch, .micro = c.train.micro_batch},
      .recovery = {.warn_over = RecoveryWatch::usual_limit(compute_type(c)), .stop_over = c.train.stop_over_recovery},
      .record_launches = c.train.record_launches,
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
                         .warn = [](const std::string& text) { warn("{}", text); }};
  StageSurroundings around{.text = wan_text(source, c), .sample_prompts = c.output.sample_prompts};
  if (c.output.sample_every > 0) around.codec = wan_codec(source, c);
  if (around.sample_prompts.empty()) {
    around.sample_prompts = read_prompts(c.data.prompts);
    around.sample_prompts.resize(std::min<size_t>(around.sample_prompts.size(), kSamplePrompts));
  }
  return around;
}

// Sizes of encoded videos are held against the network that will learn them.
void check_clips_fit(const Config& c, const ClipShardOrder& order) {
  const std::vector<int64_t> sizes(order.latent.begin() + 1, order.latent.end());
  check(sizes == latent_shape(c), "training", "data.clips {}: holds latents of [{}], this config's are [{}]",
        c.data.clips, fmt::join(sizes, ", "), fmt::join(latent_shape(c), ", "));
  check(c.video.frames <= order.latent.front(), "training",
        "data.clips {}: its clips have {} latent frames, video.frames is {}", c.data.clips, order.latent.front(),
        c.video.frames);
  check(order.text_len == c.model.text_len && order.text_dim == c.model.text_dim, "training",
        "data.clips {}: holds text rows of {}x{}, got model.text_len {} and model.text_dim {}", c.data.clips,
        order.text_len, order.text_dim, c.model.text_len, c.model.text_dim);
}

// An encoder for what the clips hold no embedding of; none where they hold all that the run asks for.
std::shared_ptr<const TextEncoder> encoder_beside(const ClipShards& shards, const Config& c, const WanSource& source) {
  std::vector<std::string> prompts = c.output.sample_every > 0 ? c.output.sample_prompts : std::vector<std::string>{};
  if (is_student_stage(c.train.stage)) prompts.push_back(c.negative_prompt);  // a teacher is steered away from it
  const auto is_held = [&](const std::string& prompt) { return shards.text_rows(prompt).has_value(); };
  if (c.data.wan.empty() || std::ranges::all_of(prompts, is_held)) return nullptr;
  const std::filesystem::path file = WanFolder(source.folder).text_encoder();
  check(weight_identity(open_tensor_file(file)) == shards.order().text_encoder, "training",
        "{}: not the text encoder that {} was encoded with", file.string(), c.data.clips);
  return wan_text(source, c);
}

// The Wan folder is for samples, and for prompts that are no captions.
StageSurroundings clip_surroundings(const Config& c, c10::Device device) {
  const auto shards = std::make_shared<ClipShards>(c.data.clips, static_cast<uint64_t>(c.run.seed));
  check_clips_fit(c, shards->order());
  const WanSource source{
      .folder = c.data.wan, .device = device, .warn = [](const std::string& text) { warn("{}", text); }};
  StageSurroundings around{
      .text = std::make_shared<ClipText>(shards, at::TensorOptions().device(device).dtype(compute_type(c)),
                                         encoder_beside(*shards, c, source)),
      .sample_prompts = c.output.sample_prompts};
  if (c.output.sample_every > 0) around.codec = wan_codec(source, c);
  if (around.sample_prompts.empty()) around.sample_prompts = shards->first_captions(kSamplePrompts);
  return around;
}

}  // namespace

std::string pair_context(const Config& c) {
  if (c.train.stage != StageChoice::kCausalOde) return "";
  const ContextPolicy policy = policy_of(c);
  return fmt::format("sink {}, window {}, blocks of {} after {}", policy.sink_frames, policy.fifo_frames,
                     c.context.block_frames, layout_of(c).block(0).frames());
}

StageSurroundings build_surroundings(const Config& c, c10::Device device) {
  const std::vector<std::string> needs = unmet_needs(c);
  check(needs.empty(), "training", "{}", needs.empty() ? "" : needs.front());
  if (!c.data.clips.empty()) return clip_surroundings(c, device);
  return c.data.world.empty() ? wan_surroundings(c, device) : world_surroundings(c, device);
}

DmdParts build_dmd_parts(const Config& c, const StageSurroundings& around, c10::Device device) {
  DmdData data = dmd_data(c, around, device);
  const std::string& critic = c.dmd.critic.empty() ? c.dmd.teacher : c.dmd.critic;
  return {dmd_settings(c), trained_dit(c, c.train.start_from, device), build_teacher(c, c.dmd.teacher, device),
          trained_dit(c, critic, device), std::move(data)};
}

std::unique_ptr<Stage> build_stage(const Config& c, const StageSurroundings& around, c10::Device device,
                                   const Ranks& ranks) {
  switch (c.train.stage) {
    case StageChoice::kFlowMatching:
    case StageChoice::kTeacherForcing:
      return build_clip_stage(c, around, device, ranks);
    case StageChoice::kCausalOde:
    case StageChoice::kBidirectionalOde:
      return build_ode_stage(c, around, device, ranks);
    case StageChoice::kCausalCd:
      return build_consistency_stage(c, around, device, ranks);
    case StageChoice::kDmd:
      break;
  }
  DmdParts parts = build_dmd_parts(c, around, device);
  return std::make_unique<DmdStage>(std::move(parts.settings), std::move(parts.generator), std::move(parts.teacher),
                                    std::move(parts.critic), std::move(parts.data), ranks);
}

}  // namespace sgf

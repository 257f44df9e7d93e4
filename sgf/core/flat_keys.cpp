// Names and meanings as in the config files and trainers of Self-Forcing and Causal-Forcing, and in the paper's
// release.
#include "sgf/core/flat_keys.h"

namespace sgf {
namespace {

constexpr std::string_view kShards = "weights are not sharded: every process holds whole networks";
constexpr std::string_view kWandb = "metrics go to the run folder: metrics.jsonl, TensorBoard events, report.html";
constexpr std::string_view kInference = "says how videos are made from the result, not how it is trained";
constexpr std::string_view kCommandLine = "is given on the command line: --out";
constexpr std::string_view kGan = "belongs to the GAN loss";
constexpr std::string_view kLoader = "belongs to their data loader";

const std::vector<FlatKey> kKeys = {
    // The schedule.
    {"denoising_step_list", FlatUse::kDerived, "schedule.denoising_steps", ""},
    {"warp_denoising_step", FlatUse::kSame, "schedule.warp_denoising_steps", ""},
    {"timestep_shift", FlatUse::kSame, "schedule.shift", ""},
    {"num_train_timestep", FlatUse::kOnly, "1000", "timesteps run to 1000 here"},
    {"min_score_timestep", FlatUse::kOnly, "0", "score times are drawn from the whole table, then clamped to 20..980"},
    {"ts_schedule", FlatUse::kOnly, "false", "score times do not depend on the exit step here"},
    {"ts_schedule_max", FlatUse::kOnly, "false", "score times do not depend on the exit step here"},
    {"context_noise", FlatUse::kOnly, "0", "the context is written at t = 0, exactly"},
    {"denoising_loss_type", FlatUse::kOnly, "flow", "the critic learns by flow matching"},
    // Which history a block sees.
    {"num_frame_per_block", FlatUse::kDerived, "context.block_frames", ""},
    {"independent_first_frame", FlatUse::kDerived, "context.first_block_frames", ""},
    {"model_kwargs.local_attn_size", FlatUse::kDerived, "context.fifo_frames", ""},
    {"model_kwargs.sink_size", FlatUse::kDerived, "context.sink_frames", ""},
    {"model_kwargs.timestep_shift", FlatUse::kDerived, "schedule.shift", ""},
    {"model_kwargs.model_name", FlatUse::kDerived, "model", ""},
    // The networks.
    {"generator_ckpt", FlatUse::kSame, "train.start_from", ""},
    {"real_name", FlatUse::kDerived, "dmd.teacher", ""},
    {"fake_name", FlatUse::kDerived, "dmd.critic", ""},
    {"causal", FlatUse::kOnly, "true", "the trained network is causal; flow_matching trains a bidirectional one"},
    {"is_causal", FlatUse::kOnly, "true", "the trained network is causal; flow_matching trains a bidirectional one"},
    // The two passes.
    {"trainer", FlatUse::kDerived, "train.stage", ""},
    {"distribution_loss", FlatUse::kOnly, "dmd", "of the distribution losses only dmd is here"},
    {"teacher_forcing", FlatUse::kDerived, "train.stage", ""},
    {"grad_mode", FlatUse::kDerived, "dmd.boundary", ""},
    {"cache_mode", FlatUse::kSame, "dmd.cache", ""},
    {"self_gradient_forcing_cache_mode", FlatUse::kSame, "dmd.cache", ""},
    {"self_gradient_forcing_match_context", FlatUse::kOnly, "true", "the two passes always see the same context"},
    {"per_rank_exit_step", FlatUse::kDerived, "dmd.exit", ""},
    {"same_step_across_blocks", FlatUse::kOnly, "true", "all blocks of a rollout leave at one step"},
    {"last_step_only", FlatUse::kOnly, "false", "the exit step is drawn from all steps"},
    {"i2v", FlatUse::kSame, "dmd.first_block_given", ""},
    {"guidance_scale", FlatUse::kDerived, "dmd.guidance", ""},
    {"real_guidance_scale", FlatUse::kDerived, "dmd.guidance", ""},
    {"fake_guidance_scale", FlatUse::kOnly, "0", "the critic's score is never guided"},
    {"dfake_gen_update_ratio", FlatUse::kSame, "dmd.generator_every", ""},
    {"negative_prompt", FlatUse::kSame, "negative_prompt", ""},
    // The optimisers.
    {"lr", FlatUse::kSame, "optimiser.learning_rate", ""},
    {"lr_critic", FlatUse::kSame, "critic_optimiser.learning_rate", ""},
    {"beta1", FlatUse::kSame, "optimiser.beta1", ""},
    {"beta2", FlatUse::kSame, "optimiser.beta2", ""},
    {"beta1_critic", FlatUse::kSame, "critic_optimiser.beta1", ""},
    {"beta2_critic", FlatUse::kSame, "critic_optimiser.beta2", ""},
    {"weight_decay", FlatUse::kSame, "optimiser.weight_decay", ""},
    {"weight_decay", FlatUse::kSame, "critic_optimiser.weight_decay", ""},
    {"max_grad_norm_generator", FlatUse::kSame, "optimiser.clip_norm", ""},
    {"max_grad_norm_critic", FlatUse::kSame, "critic_optimiser.clip_norm", ""},
    {"ema_weight", FlatUse::kSame, "train.ema_decay", ""},
    {"ema_start_step", FlatUse::kSame, "train.ema_start_step", ""},
    // The run.
    {"image_or_video_shape", FlatUse::kDerived, "video", ""},
    {"num_training_frames", FlatUse::kDerived, "video.frames", ""},
    {"data_path", FlatUse::kDerived, "data.prompts", ""},
    {"batch_size", FlatUse::kDerived, "train.micro_batch", ""},
    {"total_batch_size", FlatUse::kDerived, "train.global_batch", ""},
    {"grad_accum", FlatUse::kUnused, "", "follows from train.global_batch and train.micro_batch"},
    {"max_steps", FlatUse::kSame, "train.steps", ""},
    {"max_iters", FlatUse::kSame, "train.steps", ""},
    {"gradient_checkpointing", FlatUse::kDerived, "train.activations", ""},
    {"mixed_precision", FlatUse::kDerived, "run.dtype", ""},
    {"seed", FlatUse::kSame, "run.seed", "0 means a random seed there; here 0 is a seed like any other"},
    {"log_iters", FlatUse::kSame, "output.checkpoint_every", "counts steps between checkpoints, not log lines"},
    // What has no meaning here.
    {"sharding_strategy", FlatUse::kUnused, "", kShards},
    {"generator_fsdp_wrap_strategy", FlatUse::kUnused, "", kShards},
    {"real_score_fsdp_wrap_strategy", FlatUse::kUnused, "", kShards},
    {"fake_score_fsdp_wrap_strategy", FlatUse::kUnused, "", kShards},
    {"text_encoder_fsdp_wrap_strategy", FlatUse::kUnused, "", kShards},
    {"text_encoder_cpu_offload", FlatUse::kUnused, "", kShards},
    {"text_pre_encoded", FlatUse::kUnused, "", kLoader},
    {"load_raw_video", FlatUse::kUnused, "", kLoader},
    {"gc_interval", FlatUse::kUnused, "", "belongs to Python"},
    {"wandb_host", FlatUse::kUnused, "", kWandb},
    {"wandb_key", FlatUse::kUnused, "", kWandb},
    {"wandb_entity", FlatUse::kUnused, "", kWandb},
    {"wandb_project", FlatUse::kUnused, "", kWandb},
    {"wandb_name", FlatUse::kUnused, "", kWandb},
    {"wandb_save_dir", FlatUse::kUnused, "", kWandb},
    {"disable_wandb", FlatUse::kUnused, "", kWandb},
    {"logdir", FlatUse::kUnused, "", kCommandLine},
    {"config_name", FlatUse::kUnused, "", "the run is named after the file"},
    {"no_save", FlatUse::kUnused, "", "output.checkpoint_every 0 leaves only the last checkpoint"},
    {"no_visualize", FlatUse::kUnused, "", "output.sample_every 0 leaves samples out"},
    {"generator_task", FlatUse::kUnused, "", "train.stage says it"},
    {"generator_grad", FlatUse::kUnused, "", "train.stage says it"},
    {"generation_mode", FlatUse::kUnused, "", "train.stage says it"},
    {"discriminator_lr_multiplier", FlatUse::kUnused, "", kGan},
    {"discriminator_warmup_steps", FlatUse::kUnused, "", kGan},
    {"sid_alpha", FlatUse::kUnused, "", "belongs to the SiD loss"},
    {"ckpt_step", FlatUse::kUnused, "", kInference},
    {"prompt_name", FlatUse::kUnused, "", kInference},
    {"prompt_path", FlatUse::kUnused, "", kInference},
    {"eval_first_n", FlatUse::kUnused, "", kInference},
    {"num_samples", FlatUse::kUnused, "", kInference},
    {"num_output_frames", FlatUse::kUnused, "", "says how long a generated video is, and counts latents"},
    {"height", FlatUse::kUnused, "", "pixels; image_or_video_shape has the latents' size"},
    {"width", FlatUse::kUnused, "", "pixels; image_or_video_shape has the latents' size"},
    {"num_frames", FlatUse::kUnused, "", "pixel frames; image_or_video_shape has the latents'"},
};

}  // namespace

const std::vector<FlatKey>& flat_keys() { return kKeys; }

}  // namespace sgf

#include "sgf/training/planning/memory_plan.h"

#include "sgf/assembly/config_parts.h"
#include "sgf/training/planning/activation_memory.h"
#include "sgf/training/planning/step_cost.h"

#include <algorithm>

namespace sgf {
namespace {

bool takes_library_attention(const Config& c, const DitConfig& model) {
  const int64_t head = model.dim / model.num_heads;
  const bool is_asked = c.run.attention != AttentionBackend::kMath;
  return is_asked && c.run.dtype == ComputeDtype::kBFloat16 && head % 8 == 0 && head <= 128;
}

class MemoryPlanner {
 public:
  MemoryPlanner(const Config& config, int64_t parts, const std::optional<DitConfig>& teacher)
      : c_(config),
        model_(config.model),
        teacher_(teacher.value_or(model_)),
        layout_(layout_of(config)),
        policy_(config.context.policy()),
        grid_(config.video.height, config.video.width, config.model.patch_size[1], config.model.patch_size[2]),
        widths_(widths_of(config.run.dtype)),
        parameters_(parameter_count(model_)),
        // From the second forward of an update on, the accumulated gradients are included.
        sums_(parts > 1 ? parameters_ * widths_.master : 0) {}

  MemoryPlan plan() {
    if (c_.train.stage == StageChoice::kDmd)
      plan_dmd();
    else
      plan_clips();
    if (c_.output.sample_every > 0) plan_samples();
    for (MemoryRow& phase : plan_.phases)
      phase.bytes += static_cast<int64_t>(kAllocatorShare * static_cast<double>(phase.bytes));
    return plan_;
  }

 private:
  CallSettings setting(CallShape call, int64_t batch) const { return setting(call, batch, model_); }
  CallSettings setting(CallShape call, int64_t batch, const DitConfig& model) const {
    return {model, call, widths_, batch, takes_library_attention(c_, model)};
  }
  CallSettings setting(CallShape call) const { return setting(call, c_.train.micro_batch); }

  // The block with the longest history.
  CallShape widest_denoising() const {
    CallShape widest;
    for (int64_t i = 0; i < layout_.count(); ++i) {
      const CallShape call = denoise_call(policy_, layout_.block(i), grid_);
      if (call.pairs > widest.pairs) widest = call;
    }
    return widest;
  }

  int64_t rollout(int64_t batch) const {
    const CallSettings s = setting(widest_denoising(), batch);
    const int64_t latents = batch * c_.video.frames * c_.model.in_dim * c_.video.height * c_.video.width;
    constexpr int64_t kRecorded = 4;  // input, prediction, context; one more while blocks are concatenated
    return cache_bytes(s, policy_, layout_, grid_.tokens_per_frame()) + prompt_bytes(s) + inference_bytes(s) +
           kRecorded * latents * widths_.wide;
  }

  void add_network(const std::string& name) {
    const bool has_copy = widths_.compute != widths_.master;
    plan_.resident.push_back({name + " weights", parameters_ * (widths_.master + (has_copy ? widths_.compute : 0))});
    plan_.resident.push_back({name + " optimiser", 2 * parameters_ * widths_.master});
  }

  void add_ema() {
    if (c_.train.stage == StageChoice::kCausalCd || c_.train.ema_start_step < c_.train.steps)
      plan_.resident.push_back({"EMA", parameters_ * widths_.master});
  }

  // After the backward pass: gradients in the compute dtype, in the masters' dtype, and their sum.
  int64_t gradients() const {
    const int64_t copies = widths_.compute == widths_.master ? 0 : parameters_ * widths_.compute;
    const int64_t own = parameters_ * widths_.master;
    return std::max(copies + own + sums_, 2 * own);
  }

  void add_update(const std::string& name, const TrainingCallBytes& call) {
    plan_.phases.push_back({name + " forward", sums_ + call.forward});
    plan_.phases.push_back({name + " backward", sums_ + call.backward});
    plan_.phases.push_back({name + " gradients", gradients()});
    plan_.details.push_back({name + ": kept for the backward pass", call.kept});
  }

  void plan_dmd() {
    add_network("generator");
    add_ema();
    add_network("critic");
    plan_.resident.push_back({"teacher weights", parameter_count(teacher_) * widths_.compute});
    const CallShape pass_2 = parallel_call(policy_, layout_, grid_);
    const CallShape whole = bidirectional_call(c_.video.frames, grid_);
    const TrainingCallBytes generator = training_bytes(setting(pass_2), c_.train.activations);
    plan_.phases.push_back({"rollout", sums_ + rollout(c_.train.micro_batch)});
    // Teacher and critic run in sequence.
    const int64_t score =
        std::max(inference_bytes(setting(whole)), inference_bytes(setting(whole, c_.train.micro_batch, teacher_)));
    plan_.phases.push_back({"scores", sums_ + generator.kept + score});
    add_update("Pass 2", generator);
    add_update("critic", training_bytes(setting(whole), c_.train.activations));
    plan_.details.push_back({"KV cache of a rollout",
                             cache_bytes(setting(widest_denoising()), policy_, layout_, grid_.tokens_per_frame())});
    if (sums_ > 0) plan_.details.push_back({"summed gradients", sums_});
  }

  void plan_clips() {
    add_network("network");
    add_ema();
    const CallShape call = trained_call(c_);
    if (c_.train.stage == StageChoice::kCausalCd) {
      plan_.resident.push_back({"teacher weights", parameter_count(teacher_) * widths_.compute});
      plan_.resident.push_back({"target weights", parameters_ * widths_.compute});
      const int64_t largest =
          std::max(inference_bytes(setting(call)), inference_bytes(setting(call, c_.train.micro_batch, teacher_)));
      plan_.phases.push_back({"teacher and target", sums_ + largest});
    }
    add_update("network", training_bytes(setting(call), c_.train.activations));
    if (sums_ > 0) plan_.details.push_back({"summed gradients", sums_});
  }

  // All sample prompts together, with a copy of the EMA; guidance needs a second cache.
  void plan_samples() {
    const auto named = static_cast<int64_t>(c_.output.sample_prompts.size());
    const int64_t batch = named > 0 ? named : kSamplePrompts;
    const int64_t copy = parameters_ * widths_.compute;
    if (c_.train.stage == StageChoice::kFlowMatching) {
      const CallSettings s = setting(bidirectional_call(c_.video.frames, grid_), batch);
      plan_.phases.push_back({"samples", copy + inference_bytes(s)});
      return;
    }
    const bool has_two = c_.train.stage == StageChoice::kTeacherForcing && c_.output.sample_guidance != 1;
    const CallSettings s = setting(widest_denoising(), batch);
    const int64_t second = has_two ? cache_bytes(s, policy_, layout_, grid_.tokens_per_frame()) : 0;
    plan_.phases.push_back({"samples", copy + rollout(batch) + second});
  }

  const Config& c_;
  DitConfig model_;
  DitConfig teacher_;
  BlockLayout layout_;
  ContextPolicy policy_;
  PatchGrid grid_;
  NumberWidths widths_;
  int64_t parameters_;
  int64_t sums_;
  MemoryPlan plan_;
};

}  // namespace

int64_t MemoryPlan::resident_bytes() const {
  int64_t bytes = 0;
  for (const MemoryRow& row : resident) bytes += row.bytes;
  return bytes;
}

const MemoryRow& MemoryPlan::largest_phase() const { return *std::ranges::max_element(phases, {}, &MemoryRow::bytes); }

MemoryPlan plan_memory(const Config& config, int64_t parts, const std::optional<DitConfig>& teacher) {
  return MemoryPlanner(config, parts, teacher).plan();
}

}  // namespace sgf

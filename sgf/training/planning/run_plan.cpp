#include "sgf/training/planning/run_plan.h"

#include "sgf/core/error.h"
#include "sgf/core/gibibytes.h"
#include "sgf/training/planning/activation_memory.h"

#include <nlohmann/json.hpp>

namespace sgf {
namespace {

using Json = nlohmann::json;

int64_t parts_of(const Config& c, int64_t gpus) {
  const int64_t samples = gpus * c.train.micro_batch;
  return (c.train.global_batch + samples - 1) / samples;
}

bool fits_in(int64_t bytes, double memory_gib) {
  return static_cast<double>(bytes) <= memory_gib * kGib * kUsableShare;
}

FlopCount mean_step(const Config& c, const std::vector<PhaseCost>& phases) {
  FlopCount sum;
  for (const PhaseCost& phase : phases) sum = sum + phase.flops() * phase.updates_a_step;
  return sum * static_cast<double>(c.train.global_batch);
}

// The slowest device runs `parts` forwards of micro_batch samples.
double mean_seconds(const Config& c, const RunPlan& plan) {
  double sum = 0;
  for (const PhaseCost& phase : plan.phases)
    sum += seconds_of(phase, *plan.rates, c.model.num_layers, plan.micro_batch) * phase.updates_a_step;
  return sum * static_cast<double>(plan.parts);
}

// A config that needs less memory, and its --set arguments.
struct Candidate {
  Config config;
  std::vector<std::string> set;
};

// From the cheapest to the most expensive: a smaller micro batch does the same work in more forwards, keep_attention
// recomputes part of the forward, recompute all of it.
std::vector<Candidate> candidates(const Config& c) {
  std::vector<Candidate> out;
  for (const auto activations :
       {ActivationPolicy::kKeepAll, ActivationPolicy::kKeepAttention, ActivationPolicy::kRecomputeBlocks}) {
    const bool is_asked = activations == c.train.activations;
    if (!is_asked && out.empty()) continue;  // never a setting that keeps more
    for (int64_t micro = c.train.micro_batch; micro >= 1; --micro) {
      Candidate one{c, {}};
      one.config.train.activations = activations;
      one.config.train.micro_batch = micro;
      if (micro != c.train.micro_batch) one.set.push_back(fmt::format("train.micro_batch={}", micro));
      if (!is_asked) one.set.push_back(fmt::format("train.activations={}", enum_name(activations)));
      out.push_back(one);
    }
  }
  return out;
}

std::optional<PlanChange> smallest_change(const Config& c, const PlanRequest& request) {
  for (const bool has_samples : {true, false}) {
    if (!has_samples && c.output.sample_every == 0) break;
    for (Candidate& one : candidates(c)) {
      if (!has_samples) {
        one.config.output.sample_every = 0;
        one.set.push_back("output.sample_every=0");
      }
      const int64_t peak = plan_memory(one.config, parts_of(one.config, request.gpus), request.teacher).peak_bytes();
      if (fits_in(peak, *request.memory_gib)) return PlanChange{one.set, peak};
    }
  }
  return std::nullopt;
}

void check_request(const Config& c, const PlanRequest& request) {
  SGF_CHECK(request.gpus >= 1, "the number of GPUs must be at least 1, got {}", request.gpus);
  SGF_CHECK(
      request.gpus <= c.train.global_batch,
      "{} GPUs are too many for train.global_batch {}: every GPU needs a sample; use fewer GPUs or a larger batch",
      request.gpus, c.train.global_batch);
  SGF_CHECK(!request.memory_gib || *request.memory_gib > 0, "the memory of a device must be positive, got {} GiB",
            request.memory_gib.value_or(0));
}

Json rows_json(const std::vector<MemoryRow>& rows) {
  Json out = Json::object();
  for (const MemoryRow& row : rows) out[row.name] = row.bytes;
  return out;
}

Json phases_json(const RunPlan& plan) {
  Json out = Json::array();
  for (const PhaseCost& phase : plan.phases)
    out.push_back({{"phase", phase.name},
                   {"linear_flops", phase.flops().linear},
                   {"attention_flops", phase.flops().attention},
                   {"updates_a_step", phase.updates_a_step}});
  return out;
}

}  // namespace

RunPlan plan_run(const Config& c, const PlanRequest& request) {
  check_request(c, request);
  RunPlan plan{.parameters = parameter_count(c.model),
               .gpus = request.gpus,
               .micro_batch = c.train.micro_batch,
               .global_batch = c.train.global_batch,
               .parts = parts_of(c, request.gpus)};
  if (c.train.stage == StageChoice::kDmd || c.train.stage == StageChoice::kCausalCd)
    plan.teacher_parameters = parameter_count(request.teacher.value_or(c.model));
  plan.memory = plan_memory(c, plan.parts, request.teacher);
  plan.phases = step_costs(c, request.teacher);
  plan.flops_a_step = mean_step(c, plan.phases);
  plan.rates = measured_rates(request.gpu, c.run.dtype);
  if (plan.rates) plan.step_seconds = mean_seconds(c, plan);
  plan.memory_gib = request.memory_gib;
  if (!request.memory_gib) return plan;
  plan.fits = fits_in(plan.memory.peak_bytes(), *request.memory_gib);
  if (!plan.fits) plan.change = smallest_change(c, request);
  return plan;
}

Json to_json(const RunPlan& plan) {
  Json out{{"parameters", plan.parameters},
           {"gpus", plan.gpus},
           {"micro_batch", plan.micro_batch},
           {"global_batch", plan.global_batch},
           {"accumulated_forwards", plan.parts},
           {"resident_bytes", rows_json(plan.memory.resident)},
           {"phase_bytes", rows_json(plan.memory.phases)},
           {"detail_bytes", rows_json(plan.memory.details)},
           {"peak_phase", plan.memory.largest_phase().name},
           {"peak_bytes", plan.memory.peak_bytes()},
           {"flops_per_sample", phases_json(plan)},
           {"step_flops", {{"linear", plan.flops_a_step.linear}, {"attention", plan.flops_a_step.attention}}}};
  if (plan.teacher_parameters) out["teacher_parameters"] = *plan.teacher_parameters;
  out["step_seconds"] = plan.step_seconds ? Json(*plan.step_seconds) : Json(nullptr);
  out["step_seconds_from"] = plan.rates ? Json(plan.rates->source) : Json(nullptr);
  if (!plan.memory_gib) return out;
  out["memory_gib"] = *plan.memory_gib;
  out["fits"] = plan.fits;
  out["change"] =
      plan.change ? Json{{"set", plan.change->set}, {"peak_bytes", plan.change->peak_bytes}} : Json(nullptr);
  return out;
}

}  // namespace sgf

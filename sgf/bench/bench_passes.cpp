#include "sgf/bench/bench_passes.h"

#include "sgf/bench/bench_clock.h"
#include "sgf/bench/bench_items.h"
#include "sgf/bench/bench_line.h"
#include "sgf/bench/bench_training.h"
#include "sgf/core/error.h"
#include "sgf/core/noise.h"
#include "sgf/diagnosis/recovery_per_exit.h"
#include "sgf/files/tensors.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/kernels/rectangle_attention.h"
#include "sgf/kernels/wide.h"
#include "sgf/reconstruction/reconstruct.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/schedule/schedule_settings.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <map>
#include <optional>

namespace sgf {
namespace {

using Json = nlohmann::json;

// One warm-up, then `repeats` timed runs. `prepare` runs before each, untimed.
Json time_runs(const PassesSettings& s, const std::function<void()>& prepare, const std::function<void()>& work) {
  PhaseClock clock(s.device);
  clock.time(
      1, s.repeats, [&](PhaseClock&) { work(); }, prepare);
  return clock.result();
}

class Bench {
 public:
  Bench(const PassesSettings& setting, BenchLine line)
      : s_(setting),
        line_(std::move(line)),
        layout_(s_.frames, s_.block_frames),
        mask_(s_.policy, layout_),
        grid_(s_.height, s_.width, s_.model.patch_size[1], s_.model.patch_size[2]),
        weight_options_(at::TensorOptions().dtype(s_.dtype).device(s_.device)),
        latent_options_(weight_options_.dtype(wide_type(s_.dtype))),
        dit_(s_.model, random_dit_weights(s_.model, /*seed=*/1, weight_options_),
             {.attention = s_.attention, .activations = s_.activations}) {
    const at::NoGradGuard no_grad;
    text_rows_ = draw(0, {s_.batch, s_.model.text_len, s_.model.text_dim}, weight_options_);
  }

  void attention() const;
  void reconstruct() const;
  void rollout() const;
  void recovery_per_exit() const;

 private:
  at::Tensor draw(int64_t index, at::IntArrayRef shape, at::TensorOptions options) const {
    return normal({.seed = 2, .purpose = NoisePurpose::kTest, .sample = index}, shape, options);
  }

  at::Tensor latents(int64_t index) const {
    return draw(index, {s_.batch, s_.frames, s_.model.in_dim, s_.height, s_.width}, latent_options_);
  }

  BlockNoise noise(int64_t sample) const {
    return noise_by_key({.seed = 3, .purpose = NoisePurpose::kTest, .sample = sample * s_.batch}, s_.batch,
                        {s_.model.in_dim, s_.height, s_.width}, latent_options_);
  }

  RolloutSettings settings() const { return {s_.policy, layout_, ScheduleSettings().timesteps()}; }

  Json line(const std::string& item) const;
  void print(const std::string& item, const Json& timing, const Json& more) const;

  const PassesSettings& s_;
  BenchLine line_;
  BlockLayout layout_;
  ReconstructionMask mask_;
  PatchGrid grid_;
  at::TensorOptions weight_options_;
  at::TensorOptions latent_options_;
  CausalDit dit_;
  at::Tensor text_rows_;
};

Json Bench::line(const std::string& item) const {
  return bench_line(item, {.model = s_.model,
                           .model_name = s_.model_name,
                           .device = s_.device,
                           .dtype = s_.dtype,
                           .attention = s_.attention,
                           .activations = s_.activations,
                           .policy = s_.policy,
                           .block_frames = s_.block_frames,
                           .latent = {s_.batch, s_.frames, s_.model.in_dim, s_.height, s_.width}});
}

void Bench::print(const std::string& item, const Json& timing, const Json& more) const {
  Json out = line(item);
  out.update(timing);
  out.update(more);
  line_(out);
}

// Multiply-adds of the visible pairs for q k^T and p v, counted as two operations each.
double attention_flops(const AttentionRegion& region, const DitConfig& model, int64_t batch) {
  double pairs = 0;
  for (const Rectangle& rect : region.rectangles) {
    int64_t queries = 0, keys = 0;
    for (const TokenRange& range : rect.queries) queries += range.count;
    for (const TokenRange& range : rect.keys) keys += range.count;
    pairs += static_cast<double>(queries) * static_cast<double>(keys * rect.repeat);
  }
  return pairs * 4.0 * static_cast<double>(model.dim * batch);
}

void Bench::attention() const {
  const AttentionRegion region = mask_.region(grid_);
  const std::vector<int64_t> shape{s_.batch, region.query_tokens, s_.model.num_heads, s_.model.head_width()};
  std::vector<at::Tensor> qkv;
  for (int64_t i = 0; i < 3; ++i) qkv.push_back(draw(10 + i, shape, weight_options_).requires_grad_());
  const at::Tensor grad = draw(13, shape, weight_options_);
  at::Tensor out;
  const auto forward = [&] { out = rectangle_attention(qkv[0], qkv[1], qkv[2], region, s_.attention); };
  const double flops = attention_flops(region, s_.model, s_.batch);
  const Json fwd = time_runs(
      s_, [] {}, forward);
  print("attention_forward", fwd, {{"tflop_per_s", flops / fwd["p50_ms"].get<double>() / 1e9}});
  const Json bwd = time_runs(s_, forward, [&] { torch::autograd::grad({out}, qkv, {grad}); });
  print("attention_backward", bwd, {{"tflop_per_s", 2.5 * flops / bwd["p50_ms"].get<double>() / 1e9}});
}

void Bench::reconstruct() const {
  const at::Tensor noisy = latents(0), clean = latents(1), grad = latents(2);
  const ExitRecord record{.policy = s_.policy,
                          .layout = layout_,
                          .t = at::full({s_.batch}, 750.0, at::kDouble),
                          .noisy = noisy,
                          .prediction = clean,
                          .context = clean};
  std::vector<at::Tensor> parameters;
  for (const auto& [name, tensor] : named_parameters(dit_.weights())) parameters.push_back(tensor);
  const auto forward = [&](GradientBoundary boundary) {
    return sgf::reconstruct(dit_, dit_.embed(text_rows_), record, boundary);
  };
  {
    const at::NoGradGuard no_grad;
    const Json timing = time_runs(
        s_, [] {}, [&] { forward(GradientBoundary::kOpenContext); });
    const double deviation = forward(GradientBoundary::kOpenContext).std().item<double>();
    print("reconstruct_forward", timing, {{"prediction_std", deviation}});
  }
  set_requires_grad(dit_.weights(), true);
  for (const auto& [name, boundary] : std::map<std::string, GradientBoundary>{
           {"open", GradientBoundary::kOpenContext}, {"frozen", GradientBoundary::kFrozenContext}}) {
    const Json timing = time_runs(
        s_, [] {},
        [&] {
          torch::autograd::grad({forward(boundary)}, parameters, {grad}, std::nullopt, false, /*allow_unused=*/true);
        });
    print("reconstruct_forward_backward", timing, {{"boundary", name}});
  }
  set_requires_grad(dit_.weights(), false);
}

void Bench::rollout() const {
  const at::NoGradGuard no_grad;
  const PromptText text = dit_.prepare(text_rows_);
  const Json timing = time_runs(
      s_, [] {}, [&] { roll_out(dit_, text, settings(), 4, noise(0)); });
  print("rollout", timing, {{"steps", 4}});
}

void Bench::recovery_per_exit() const {
  const RecoverySettings setting{.dit = dit_,
                                 .rollout = settings(),
                                 .noise = [this](int64_t number) { return noise(number); },
                                 .text = [this](int64_t) { return text_rows_; },
                                 .noises = s_.noises,
                                 .on_record = {}};
  const auto exits = static_cast<int64_t>(setting.rollout.timesteps.size());
  double overall = 0;
  for (int64_t exit = 1; exit <= exits; ++exit) {
    const ExitRecovery mean = measure_recovery(setting, exit);
    overall += mean.report.relative_l2 / static_cast<double>(exits);
    Json out = line("recovery");
    out.update({{"exit", exit},
                {"timestep", mean.timestep},
                {"noises", mean.noises},
                {"relative_l2", mean.report.relative_l2},
                {"flow_relative_l2", mean.flow_relative_l2},
                {"cosine", mean.report.cosine},
                {"max_abs", mean.report.max_abs}});
    if (exit == exits) out["mean_relative_l2"] = overall;
    line_(out);
  }
}

using PassItem = void (Bench::*)() const;

const std::map<std::string, PassItem>& pass_items() {
  static const std::map<std::string, PassItem> items{{"attention", &Bench::attention},
                                                     {"reconstruct", &Bench::reconstruct},
                                                     {"parallel", &Bench::reconstruct},  // its earlier name
                                                     {"rollout", &Bench::rollout},
                                                     {"recovery", &Bench::recovery_per_exit}};
  return items;
}

void check_items(const std::vector<std::string>& items) {
  for (const std::string& item : items)
    SGF_CHECK(pass_items().contains(item) || TrainingBench::knows(item) || is_vae_item(item) || is_stream_item(item) ||
                  is_eval_item(item),
              "unknown work item '{}'; use attention, rollout, reconstruct, score, critic, generator, cycle, recovery, "
              "vae-decode, vae-encode, stream-dit, stream or eval",
              item);
}

}  // namespace

void bench_passes(const PassesSettings& setting, const std::vector<std::string>& items, const BenchLine& line) {
  check_items(items);
  std::optional<Bench> passes;  // one set of networks at a time: they share a GPU's memory
  std::optional<TrainingBench> training;
  for (const std::string& item : items) {
    if (is_stream_item(item)) {
      passes.reset();
      training.reset();
      bench_stream(setting, item, line);
    } else if (is_eval_item(item)) {
      passes.reset(), training.reset();
      bench_eval(setting, line);
    } else if (is_vae_item(item)) {
      passes.reset(), training.reset();
      line(bench_vae(setting, item));
    } else if (TrainingBench::knows(item)) {
      passes.reset();
      if (!training) training.emplace(setting, training_inputs(setting));
      line(training->run(item));
    } else {
      training.reset();
      if (!passes) passes.emplace(setting, line);
      ((*passes).*pass_items().at(item))();
    }
  }
}

}  // namespace sgf

// One generator update of Self Gradient Forcing by hand, on a tiny network with random weights. It is computed twice
// with the same random numbers: the losses agree, the gradients do not. With a reference recording, it is verified too.
// usage: sgf_update [RECORDING]
#include <sgf/sgf.h>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int64_t kFrames = 9, kBlockFrames = 3, kHeight = 8, kWidth = 12;

struct Update {
  double loss = 0;
  double gradient_norm = 0;
  double recovery = 0;  // relative difference of both passes
};

// Pass 1: the video is generated block by block against the cache, without gradient. Each block stops at `exit_step`.
sgf::ExitRecord first_pass(const sgf::CausalDit& generator, const at::Tensor& prompt, int64_t exit_step) {
  const at::NoGradGuard no_grad;
  const std::vector<double> steps{1000, 750, 500, 250};
  const sgf::RolloutSettings settings{.policy = {.sink_frames = 3, .fifo_frames = 3},
                                      .layout = {kFrames, kBlockFrames},
                                      .timesteps = sgf::FlowSchedule(/*shift=*/5.0).warp(steps)};
  const at::Tensor noise = at::randn({4, 1, kFrames, generator.config().in_dim, kHeight, kWidth});  // one per step
  const auto noise_of = [&](sgf::FrameSpan block, int64_t draw) {
    return noise[draw].slice(1, block.begin, block.end);
  };
  return sgf::roll_out(generator, generator.prepare(prompt), settings, exit_step, noise_of);
}

Update update_once(sgf::GradientBoundary boundary) {
  at::manual_seed(7);
  const sgf::DitConfig config = sgf::dit_preset("tiny");
  const auto network = [&](uint64_t seed) {
    return sgf::CausalDit(config, sgf::random_dit_weights(config, seed, at::kFloat));
  };
  const sgf::CausalDit generator = network(1), teacher = network(2), critic = network(3);
  sgf::set_requires_grad(generator.weights(), true);
  const at::Tensor prompt = at::randn({1, 4, config.text_dim}), no_prompt = at::zeros_like(prompt);  // embeddings

  const sgf::ExitRecord record = first_pass(generator, prompt, /*exit_step=*/2);

  // Pass 2: the same predictions again, all blocks in one forward, with gradient.
  const at::Tensor x = sgf::reconstruct(generator, generator.embed(prompt), record, boundary);

  // The teacher and the critic score the noised video. Their difference is the gradient of the loss.
  const sgf::ScoreDraw draw{.noise = at::randn_like(record.prediction), .t = at::full({1}, 600.0, at::kDouble)};
  const sgf::GeneratorLoss result = sgf::generator_loss(x, {teacher, critic}, draw, {prompt, no_prompt});
  result.loss.backward();

  std::vector<at::Tensor> gradients;
  sgf::NamedTensors parameters;
  for (const auto& [name, weight] : sgf::named_parameters(generator.weights())) {
    gradients.push_back(weight.grad().defined() ? weight.grad() : at::zeros_like(weight));
    parameters.emplace_back(name, weight.detach());  // the same memory
  }
  sgf::AdamW optimiser({.learning_rate = 1e-4}, parameters);
  const double norm = optimiser.step(gradients);
  return {result.loss.item<double>(), norm, sgf::recovery(x.detach(), record.prediction).relative_l2};
}

}  // namespace

int main(int argc, char** argv) {
  const Update frozen = update_once(sgf::GradientBoundary::kFrozenContext);  // Self Forcing
  const Update open = update_once(sgf::GradientBoundary::kOpenContext);      // Self Gradient Forcing
  std::printf("frozen context: loss %.6f, gradient norm %.6f\n", frozen.loss, frozen.gradient_norm);
  std::printf("open context:   loss %.6f, gradient norm %.6f\n", open.loss, open.gradient_norm);
  std::printf("Pass 2 differs from Pass 1 by %.1e\n", open.recovery);
  const bool agrees = argc < 2 || sgf::verify_recording(argv[1], {}).ok;
  if (argc > 1) std::printf("this build %s the recording\n", agrees ? "reproduces" : "does not reproduce");
  return agrees && frozen.gradient_norm != open.gradient_norm ? 0 : 1;  // the boundary must make a difference
}

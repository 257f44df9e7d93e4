// `sgf bench ITEM…`: times of the passes on this machine, one JSON line a work item.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "sgf/core/device.h"
#include "sgf/core/tensors.h"
#include "sgf/evaluation/bench_passes.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace sgf {
namespace {

struct BenchArgs {
  std::vector<std::string> items{"attention", "parallel", "rollout", "recovery"};
  std::string model = "tiny";
  std::string dtype = "float32";
  std::string device = "auto";
  std::string attention = "auto";
  std::string activations = "recompute";
  PassesSetting setting{.policy = {.sink_frames = 3, .fifo_frames = 6}, .height = 16, .width = 16};
};

ActivationPolicy activation_policy(const std::string& name) {
  if (name == "keep") return ActivationPolicy::kKeepAll;
  return name == "recompute" ? ActivationPolicy::kRecomputeBlocks : ActivationPolicy::kKeepAttention;
}

PassesSetting complete(const BenchArgs& args) {
  PassesSetting setting = args.setting;
  setting.model = dit_preset(args.model);
  setting.model_name = args.model;
  setting.dtype = scalar_type_from_name(args.dtype);
  setting.device = device_from_name(args.device);
  setting.attention = attention_backend_from_name(args.attention);
  setting.activations = activation_policy(args.activations);
  return setting;
}

void run_bench(const BenchArgs& args) {
  bench_passes(complete(args), args.items, [](const nlohmann::json& line) {
    fmt::print("{}\n", line.dump());
    std::fflush(stdout);
  });
}

void add_geometry(CLI::App& command, PassesSetting& setting) {
  command.add_option("--frames", setting.frames, "Latent frames")->capture_default_str()->check(CLI::PositiveNumber);
  command.add_option("--block", setting.block_frames, "Frames a block")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_option("--sink", setting.policy.sink_frames, "Sink frames")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_option("--fifo", setting.policy.fifo_frames, "FIFO frames")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_option("--height", setting.height, "Latent height")->capture_default_str()->check(CLI::PositiveNumber);
  command.add_option("--width", setting.width, "Latent width")->capture_default_str()->check(CLI::PositiveNumber);
  command.add_option("--batch", setting.batch, "Samples")->capture_default_str()->check(CLI::PositiveNumber);
  command.add_option("--noises", setting.noises, "Rollouts per exit step (recovery)")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_option("--runs", setting.repeats, "Timed runs after one warm-up")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
}

}  // namespace

void add_bench(CLI::App& app) {
  auto args = std::make_shared<BenchArgs>();
  CLI::App* command = app.add_subcommand("bench", "Time the two passes on random weights; one JSON line a work item");
  command->add_option("items", args->items, "What to time; all by default")
      ->check(CLI::IsMember({"attention", "parallel", "rollout", "recovery"}));
  command->add_option("--model", args->model, "Size of the network")
      ->capture_default_str()
      ->check(CLI::IsMember(dit_preset_names()));
  command->add_option("--dtype", args->dtype, "float64, float32 or bfloat16")
      ->capture_default_str()
      ->check(CLI::IsMember({"float64", "float32", "bfloat16"}));
  add_device(*command, args->device);
  command->add_option("--attention", args->attention, "auto, cudnn, flash or math")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "cudnn", "flash", "math"}));
  command
      ->add_option("--activations", args->activations,
                   "keep, recompute, or keep-attention: what the backward pass finds")
      ->capture_default_str()
      ->check(CLI::IsMember({"keep", "recompute", "keep-attention"}));
  add_geometry(*command, args->setting);
  command->callback([args] { run_bench(*args); });
}

}  // namespace sgf

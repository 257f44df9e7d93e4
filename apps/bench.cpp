// `sgf bench ITEM…`: times of the passes on this machine, one JSON line per work item.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/threads.h"
#include "sgf/bench/bench_compare.h"
#include "sgf/bench/bench_line.h"
#include "sgf/bench/bench_passes.h"
#include "sgf/core/device.h"
#include "sgf/files/tensors.h"
#include "sgf/kernels/dense_attention.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace sgf {
namespace {

struct BenchArgs {
  std::vector<std::string> items{"attention", "rollout", "reconstruct", "score", "critic", "generator", "cycle"};
  std::string model = "tiny";
  std::string dtype = "float32";
  std::string device = "auto";
  std::string attention = "auto";
  std::string activations = "recompute";
  std::string compare;
  int64_t threads = 0;
  // Sizes of the network that differ from the preset's; 0 leaves them.
  int64_t dim = 0, ffn = 0, heads = 0, layers = 0, channels = 0;
  PassesSettings setting{.policy = {.sink_frames = 3, .fifo_frames = 6}, .height = 16, .width = 16};
};

DitConfig model_of(const BenchArgs& args) {
  DitConfig model = dit_preset(args.model);
  const auto set = [](int64_t asked, int64_t& size) { size = asked > 0 ? asked : size; };
  set(args.dim, model.dim);
  set(args.ffn, model.ffn_dim);
  set(args.heads, model.num_heads);
  set(args.layers, model.num_layers);
  set(args.channels, model.in_dim);
  set(args.channels, model.out_dim);
  model.validate();
  return model;
}

// "tiny", or "tiny, dim 128, 4 layers" where sizes were given.
std::string model_name(const BenchArgs& args, const DitConfig& model) {
  if (model == dit_preset(args.model)) return args.model;
  return fmt::format("{}, dim {}, ffn {}, {} heads, {} layers", args.model, model.dim, model.ffn_dim, model.num_heads,
                     model.num_layers);
}

PassesSettings complete(const BenchArgs& args) {
  PassesSettings setting = args.setting;
  setting.model = model_of(args);
  setting.model_name = model_name(args, setting.model);
  setting.dtype = scalar_type_from_name(args.dtype);
  setting.device = device_from_name(args.device);
  setting.attention = attention_backend_from_name(args.attention);
  setting.activations = activations_from_bench_name(args.activations);
  return setting;
}

void run_bench(const BenchArgs& args) {
  use_threads(args.threads);
  const auto earlier = args.compare.empty() ? std::nullopt : std::optional(EarlierBench::read(args.compare));
  bench_passes(complete(args), args.items, [&](nlohmann::json line) {
    if (const nlohmann::json found = earlier ? earlier->against(line) : nlohmann::json(); !found.is_null())
      line["compare"] = found;
    say_json(line);
    std::fflush(stdout);
  });
}

void add_geometry(CLI::App& command, PassesSettings& setting) {
  command.add_option("--frames", setting.frames, "length in latent frames; for eval, in frames")
      ->capture_default_str()
      ->check(positive_number());
  command.add_option("--block", setting.block_frames, "latent frames per block")
      ->capture_default_str()
      ->check(positive_number());
  command.add_option("--sink", setting.policy.sink_frames, "sink, in latent frames")
      ->capture_default_str()
      ->check(number_from_zero());
  command.add_option("--fifo", setting.policy.fifo_frames, "FIFO window in latent frames")
      ->capture_default_str()
      ->check(number_from_zero());
  command.add_option("--height", setting.height, "height in latent pixels")
      ->capture_default_str()
      ->check(positive_number());
  command.add_option("--width", setting.width, "width in latent pixels")
      ->capture_default_str()
      ->check(positive_number());
  command.add_option("--batch", setting.batch, "samples per forward")->capture_default_str()->check(positive_number());
  command.add_option("--noises", setting.noises, "rollouts per exit step, for recovery")
      ->capture_default_str()
      ->check(positive_number());
  command.add_option("--runs", setting.repeats, "timed runs after the warm-up")
      ->capture_default_str()
      ->check(positive_number());
}

void add_training(CLI::App& command, BenchArgs& args) {
  command
      .add_option("--exit", args.setting.exit_step, "exit step of rollouts, from 1; for critic, generator and cycle")
      ->capture_default_str()
      ->check(positive_number());
  command
      .add_option("--warm-up", args.setting.warm_up,
                  "untimed runs before the timed ones; for score, critic, generator, cycle, vae-* and eval")
      ->capture_default_str()
      ->check(positive_number());
  command
      .add_option("--recording", args.setting.recording,
                  "sgf_step recording that gives networks, shape and noise (score, critic, generator, cycle)")
      ->type_name("FILE");
  command.add_flag("!--no-graph", args.setting.record_launches,
                   "kernels launched one by one in streams, without CUDA graphs");
  add_threads(command, args.threads, kAllCores);
}

void add_sizes(CLI::App& command, BenchArgs& args) {
  for (const auto& [name, size, what] : {std::tuple{"--dim", &args.dim, "network width"},
                                         {"--ffn", &args.ffn, "feed-forward width"},
                                         {"--heads", &args.heads, "attention heads"},
                                         {"--layers", &args.layers, "transformer blocks"},
                                         {"--channels", &args.channels, "latent channels"}})
    command.add_option(name, *size, fmt::format("{} (default: from --model)", what))->check(positive_number());
  command.add_option("--vae-dim", args.setting.vae_dim, "width of the VAE, for vae-decode, vae-encode and stream")
      ->capture_default_str()
      ->check(positive_number());
}

}  // namespace

void add_bench(CLI::App& app) {
  auto args = std::make_shared<BenchArgs>();
  CLI::App* command = app.add_subcommand("bench", "Time passes and training updates on random weights");
  command->footer(
      "Examples:\n"
      "  sgf bench rollout reconstruct --model tiny --device cpu\n"
      "  sgf bench cycle --model wan-1.3b --dtype bfloat16 --height 60 --width 104\n\n"
      "Each line holds the times of one work item in milliseconds, its memory and the shape it was taken at.");
  command
      ->add_option("items", args->items,
                   "work items to time (default: attention, rollout, reconstruct, score, critic, generator, cycle)")
      ->check(CLI::IsMember({"attention", "rollout", "reconstruct", "parallel", "score", "critic", "generator", "cycle",
                             "recovery", "vae-decode", "vae-encode", "stream-dit", "stream", "eval"}));
  command->add_option("--model", args->model, "size of the network")
      ->capture_default_str()
      ->check(CLI::IsMember(dit_preset_names()));
  add_precision(*command, args->dtype, args->attention);
  add_device(*command, args->device);
  command
      ->add_option("--activations", args->activations,
                   "activation checkpointing: keep all, recompute blocks, or recompute all but attention")
      ->capture_default_str()
      ->check(CLI::IsMember({"keep", "recompute", "keep-attention"}));
  command
      ->add_option("--compare", args->compare,
                   "earlier output of sgf bench; adds its p50 and the ratio earlier / new to each line")
      ->type_name("FILE");
  add_geometry(*command, args->setting);
  add_training(*command, *args);
  add_sizes(*command, *args);
  command->callback([args] { run_bench(*args); });
}

}  // namespace sgf

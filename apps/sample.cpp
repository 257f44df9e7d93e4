// `sgf sample`: videos of many-step models, to look at teachers and teacher-forced students.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/threads.h"
#include "sgf/assembly/conditioning.h"
#include "sgf/assembly/start_file.h"
#include "sgf/config/network_work.h"
#include "sgf/core/counted.h"
#include "sgf/core/error.h"
#include "sgf/dataset/prompt_list.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/writable_folder.h"
#include "sgf/media/sample_files.h"
#include "sgf/media/video_tensor.h"
#include "sgf/streaming/choose_model.h"
#include "sgf/streaming/order_loras.h"
#include "sgf/streaming/sample_many_steps.h"
#include "sgf/streaming/video_orders.h"
#include "sgf/world/clips.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <optional>

namespace sgf {
namespace {

namespace fs = std::filesystem;

struct SampleArgs {
  ModelArgs model;
  std::string mode, solver = "euler", prompts_file, out;
  std::optional<std::string> negative;
  std::vector<std::string> prompts;
  std::optional<int64_t> seed, frames;
  std::optional<double> shift;
  int64_t count = 4, steps = 50, batch = 4;
  double guidance = 3;
  int64_t threads = 0;
  bool png = false, overwrite = false, quiet = false;
};

SampleMode mode_of(const SampleArgs& args, const Config& c) {
  return args.mode.empty() ? sample_mode_of(c) : *enum_from_name<SampleMode>(args.mode);
}

Config sampled_config(const SampleArgs& args, Config c) {
  if (args.seed) c.run.seed = *args.seed;
  if (args.frames) c.video.frames = *args.frames;
  if (mode_of(args, c) == SampleMode::kAtOnce)  // no blocks, no window: any number of frames will do
    c.context = {.sink_frames = 0, .fifo_frames = 0, .block_frames = c.model.patch_size[0]};
  if (args.negative) c.negative_prompt = *args.negative;
  validate(c);
  return c;
}

// Those given, or the first captions of the world.
std::vector<std::string> sampled_prompts(const SampleArgs& args, const Config& c) {
  if (!args.prompts_file.empty()) return read_prompts(args.prompts_file);
  if (!args.prompts.empty()) return args.prompts;
  SGF_CHECK(!c.data.world.empty(), "a prompt is missing; pass --prompt \"...\" or --prompts FILE");
  return world_prompts(c, 0, args.count);
}

SampleRequest sample_request(const SampleArgs& args, const Config& c) {
  return {.config = c,
          .prompts = sampled_prompts(args, c),
          .negative = c.negative_prompt,
          .mode = mode_of(args, c),
          .sampler = {.steps = args.steps,
                      .shift = args.shift.value_or(c.schedule.shift),
                      .guidance = args.guidance,
                      .solver = args.solver == "unipc" ? Solver::kUniPc : Solver::kEuler},
          .batch = args.batch};
}

void write_prompts(const fs::path& path, const std::vector<std::string>& prompts) {
  AtomicFile file(path);
  for (const std::string& prompt : prompts) file.write(prompt + '\n');
  file.commit();
}

// Frames of an earlier, longer sample would be taken for this one's.
void remove_pictures(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (is_png_frame(entry.path().filename().string())) fs::remove(entry.path());
}

void write_pictures(const fs::path& folder, const at::Tensor& video) {
  create_folder(folder);
  remove_pictures(folder);
  write_png_frames(folder, video);
}

// What the frames of each prompt show, for sgf world measure.
void list_pictures(const fs::path& out, const std::string& world, const std::vector<std::string>& prompts) {
  ClipList list{.world = world, .clips = {}};
  for (size_t i = 0; i < prompts.size(); ++i) list.clips.push_back({std::to_string(i), prompts[i]});
  write_manifest(out / "manifest.json", list);
}

void run_sample(const SampleArgs& args) {
  ModelArgs asked = args.model;
  asked.needs_window = args.mode == "blocks";
  const ChosenModel chosen = choose_model(asked);
  const Config config = sampled_config(args, chosen.config);
  const SampleRequest request = sample_request(args, config);
  const fs::path out = args.out;
  SGF_CHECK(args.overwrite || !fs::exists(out) || fs::is_empty(out),
            "{} is not empty; pass --overwrite to overwrite samples of the same numbers, or another folder with --out",
            out.string());
  check_can_be_made(out, out.string());
  use_threads(
      threads_for_work(threads_asked(args.threads, config, args.model.overrides), work_of_clips(config, args.batch)));
  GenerateOrder order{.config = config, .model = chosen.weights};
  check_start_weights(open_start_weights(order.model), config.model);
  order.loras = choose_loras(args.model.loras, order.model, chosen.lora);
  const std::string choice = describe_network_choice(order.model, WeightPurpose::kInference);
  if (!choice.empty() && !args.quiet) remark("{}", choice);
  order.wan = wan_folder_of(args.model.wan, order.model, config);
  const StreamParts parts = build_parts(order, [](const std::string& text) { warn("{}", text); });
  ProgressLine line(
      {.mode = progress_mode(args.quiet), .total_steps = static_cast<int64_t>(request.prompts.size()), .unit = "video"},
      standard_progress_output());
  line.show({.step = 0});  // the clock starts here: a batch comes out at once
  sample_many_steps(request, parts, [&](int64_t number, const at::Tensor& video) {
    const fs::path stem = out / std::to_string(number);
    create_folder(out);  // now that there is something to put there
    write_sample(stem, video, config.video.fps);
    if (args.png) write_pictures(stem, video);
    line.show({.step = number + 1});
  });
  line.finish();
  write_prompts(out / "prompts.txt", request.prompts);
  if (args.png && !config.data.world.empty()) list_pictures(out, config.data.world, request.prompts);
  say("{}: {}, {}, {} {} steps, shift {:g}, guidance {:g}", out.string(), counted(std::ssize(request.prompts), "video"),
      enum_name(request.mode), args.steps, args.solver, request.sampler.shift, args.guidance);
}

void add_sampled_model(CLI::App& command, SampleArgs& args) {
  command
      .add_option("--model", args.model.model,
                  "bundled model, run folder, weight file or Wan folder of a many-step model")
      ->type_name("MODEL")
      ->required();
  command.add_option("--wan", args.model.wan, "Wan folder for the text encoder and VAE")->type_name("DIR");
  add_loras(command, args.model.loras);
  suggest_presets(*command
                       .add_option("--config", args.model.config,
                                   "YAML file or preset with window and size (default: from the model)")
                       ->type_name("CONFIG"));
  add_overrides(command, args.model.overrides, "video.frames=9");
  command
      .add_option(
          "--mode", args.mode,
          "sampling order: at-once for bidirectional models, blocks for teacher-forced ones (default: by the stage "
          "of the model)")
      ->check(CLI::IsMember({"at-once", "blocks"}));
  add_device(command, args.model.device);
  add_dtype(command, args.model.dtype);
  add_threads(command, args.threads);
}

void add_sampler(CLI::App& command, SampleArgs& args) {
  command.add_option("--steps", args.steps, "steps of the solver")->capture_default_str()->check(CLI::Range(1, 1000));
  command.add_option("--solver", args.solver, "ODE solver; Wan uses unipc")
      ->capture_default_str()
      ->check(CLI::IsMember({"euler", "unipc"}));
  command
      .add_option("--guidance", args.guidance,
                  "guidance scale g in uncond + g (cond - uncond); 1 = off, at half the cost")
      ->capture_default_str()
      ->check(number_from_zero());
  command.add_option("--shift", args.shift, "shift of the noise schedule (default: schedule.shift)")
      ->check(positive_number());
  command.add_option("--negative", args.negative, "negative prompt of --guidance (default: from the config)")
      ->type_name("TEXT");
  command.add_option("--seed", args.seed, "random seed (default: run.seed)")->check(number_from_zero());
  command.add_option("--frames", args.frames, "length in latent frames (default: video.frames)")
      ->check(positive_number());
}

}  // namespace

void add_sample(CLI::App& app) {
  auto args = std::make_shared<SampleArgs>();
  CLI::App* command = app.add_subcommand("sample", "Sample videos from many-step models, such as teachers");
  command->footer(
      "Examples:\n"
      "  sgf sample --model models/world-small/teacher --guidance 2.5 --out samples\n"
      "  sgf sample --model Wan2.1-T2V-1.3B --mode at-once --prompt \"a dog\" --out b");
  add_sampled_model(*command, *args);
  CLI::Option* prompt = command->add_option("--prompt", args->prompts, "prompt of a video; repeatable")
                            ->type_name("TEXT")
                            ->allow_extra_args(false)
                            ->check(has_words());
  command->add_option("--prompts", args->prompts_file, "file of prompts, one per line")
      ->type_name("FILE")
      ->excludes(prompt);
  command->add_option("--count", args->count, "number of captions of the world, without --prompt and --prompts")
      ->capture_default_str()
      ->check(positive_number())
      ->check(CLI::Range(1, 1000000));
  add_sampler(*command, *args);
  command->add_option("--batch", args->batch, "videos per forward")->capture_default_str()->check(positive_number());
  command->add_option("--out", args->out, "folder to write N.mp4 and the strip N.png of every prompt to")
      ->type_name("DIR")
      ->required();
  command->add_flag("--png", args->png,
                    "also write every frame as N/frame_XXXXX.png, and for a world manifest.json for sgf world measure");
  command->add_flag("--overwrite", args->overwrite, "overwrite existing files");
  command->add_flag("--quiet", args->quiet, "no progress line");
  command->callback([args] { run_sample(*args); });
}

}  // namespace sgf

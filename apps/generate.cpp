// `sgf generate`: prompts to videos of any length.
#include "sgf/streaming/generate.h"
#include "apps/commands.h"
#include "apps/generate_jobs.h"
#include "apps/generate_share.h"
#include "apps/generate_targets.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/table.h"
#include "apps/threads.h"
#include "apps/video_manifest.h"
#include "sgf/assembly/start_file.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/shell_argument.h"
#include "sgf/core/stop_signal.h"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <memory>

namespace sgf {
namespace {

constexpr int kUnfinished = 3;

nlohmann::json result_json(const VideoJob& job, const GenerateResult& result) {
  nlohmann::json line = to_json(result.speed);
  line["file"] = job.output.target;
  line["prompt"] = job.order.prompts.front().prompt;
  line["seed"] = job.order.config.run.seed;
  line["video_frames"] = result.pictures;
  line["resumed_from"] = result.resumed_from;
  line["whole"] = result.is_whole;
  return line;
}

void say_warning(const std::string& text) { warn("{}", text); }

// To where results are read: not into the frames of a pipe.
void say_result(const GenerateArgs& args, const std::string& line) {
  print_line(args.writes_to_pipe() ? stderr : stdout, line);
  std::fflush(stdout);
}

bool run_job(const GenerateArgs& args, const VideoJob& job, const StreamParts& parts, const StopSignal& stop) {
  const int64_t pictures = pictures_for(job.blocks, job.order.config);
  if (is_done_already(job)) {
    remove_stale_locks(job.output);
    const GenerateResult whole{.pictures = pictures, .resumed_from = pictures, .is_whole = true};
    say_result(args, args.json ? json_line(result_json(job, whole))
                               : fmt::format("{}: already complete, {} frames", job.output.target, pictures));
    return true;
  }
  ProgressLine line({.mode = progress_mode(args.quiet), .total_steps = pictures, .unit = "frame"},
                    standard_progress_output());
  use_threads(job.order.threads);
  GenerateOutput output = job.output;
  output.progress = [&](int64_t done) { line.show({.step = done}); };
  output.should_stop = [&] { return stop.received() != 0; };
  const GenerateResult result = generate_video(job.order, parts, job.blocks, output);
  line.finish();
  if (args.json) {
    say_result(args, json_line(result_json(job, result)));
  } else {
    say_result(args, fmt::format("{}: {}", job.output.target, speed_line(result.speed)));
    if (!result.is_whole)
      say_result(args, fmt::format("stopped after {} of {} frames, which can be played; --continue resumes",
                                   result.pictures, pictures));
  }
  return result.is_whole;
}

// Teachers are no few-step models, and a bidirectional one has never seen a block without what follows it.
void warn_of_stage(const GenerateOrder& order) {
  const StageChoice stage = order.config.train.stage;
  if (stage != StageChoice::kFlowMatching && stage != StageChoice::kTeacherForcing) return;
  say_warning(fmt::format(
      "{} is a many-step model of {}{}; expect poor videos here and use sgf sample --model {} "
      "instead",
      order.model, enum_name(stage), stage == StageChoice::kFlowMatching ? " that denoises all frames at once" : "",
      shell_argument(order.model)));
}

// --steps replaces both lists of the schedule.
void check_steps(const GenerateArgs& args) {
  for (const std::string name : {"denoising_steps", "first_block_steps"})
    if (args.steps && sets_key(args.model.overrides, "schedule." + name))
      misused(fmt::format("--steps cannot be combined with --set schedule.{}, which it replaces; remove one", name));
}

// --prompts makes many videos in a folder.
void check_many(const GenerateArgs& args) {
  if (args.prompts_file.empty()) return;
  if (!args.changes.empty()) misused("--at cannot be combined with --prompts; it changes the prompt of one video");
  if (!args.latents.empty()) misused("--latents cannot be combined with --prompts; it writes the latents of one video");
  if (args.out.empty() || args.out == "-") misused("--prompts writes many videos; name their folder with --out");
  const std::string kind = std::filesystem::path(args.out).extension().string();
  if ((kind == ".mp4" || kind == ".y4m") && !std::filesystem::is_directory(args.out))
    misused(fmt::format("with --prompts, --out must be a folder, got {}", in_quotes(args.out)));
}

// Checks that need no file.
void check_generate(const GenerateArgs& args) {
  if (args.model.model.empty() && args.model.wan.empty())
    misused("no model given: use --model world-small, which needs no download, or --model FILE with your own weights");
  check_steps(args);
  check_many(args);
  const bool writes_video = args.writes_to_pipe() && args.format != "none";
  if (writes_video && ::isatty(STDOUT_FILENO) != 0)
    misused(
        "--out - writes raw video to stdout, which is a terminal; pipe it (| ffplay -), or name a file (--out a.mp4)");
}

// Under VBench's names only the files themselves tell that an earlier version gave all prompts the same noise.
void check_targets_of(const GenerateArgs& args, const std::vector<VideoJob>& jobs) {
  const bool may_be_earlier = args.resume && !args.prompts_file.empty() && !args.same_noise;
  try {
    check_targets(jobs, !args.prompts_file.empty());
  } catch (const OtherVideo& error) {
    if (!may_be_earlier || error.there().config.run.seed == error.here().config.run.seed) throw;
    fail(
        "{}; or pass the --seed of this set, or if it was made with the same noise for every prompt, pass --same-noise "
        "to continue it",
        error.what());
  }
}

// Prompts are encoded, and the text encoder is freed, before the network is loaded.
StreamParts load_parts(const GenerateArgs& args, const JobShare& share, const std::vector<VideoJob>& jobs) {
  const GenerateOrder& order = jobs.front().order;
  StreamParts parts =
      build_conditioning_parts(order, device_of(share, order.config), say_warning,
                               args.dry_run ? EmbeddingCache::Use::kReadOnly : EmbeddingCache::Use::kReadAndAdd);
  check_prompts(jobs, parts, say_warning);
  add_network(parts, order);
  return parts;
}

void make_videos(const GenerateArgs& args, const JobShare& share, const std::vector<VideoJob>& jobs,
                 const StreamParts& parts) {
  const StopSignal stop;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (jobs.size() > 1 && !args.quiet)
      remark("video {} of {}: {}", i + 1, jobs.size(), jobs[i].order.prompts.front().prompt);
    if (!run_job(args, jobs[i], parts, stop)) exit_with(kUnfinished);
    if (!args.prompts_file.empty() && !share.is_part())
      write_manifest(args.out, {jobs.begin(), jobs.begin() + static_cast<int64_t>(i) + 1});
  }
}

void run_generate(const GenerateArgs& args) {
  check_generate(args);
  const JobShare share = share_of(args.shard);
  const std::vector<VideoJob> all = jobs_of(args);
  check_names(all);
  std::vector<VideoJob> jobs = share.of(all);
  if (jobs.empty())
    return remark("process {} of {} has nothing to do: there are {} videos", share.index, share.count, all.size());
  choose_threads(args, jobs);
  check_targets_of(args, jobs);
  if (!args.prompts_file.empty() && !args.overwrite) check_manifest(args.out, jobs.front().order.config.data.world);
  use_threads(jobs.front().order.threads);
  const std::string choice = describe_network_choice(jobs.front().order.model, WeightPurpose::kInference);
  if (!choice.empty() && !args.quiet) remark("{}", choice);
  warn_of_stage(jobs.front().order);
  const StreamParts parts = load_parts(args, share, jobs);
  if (args.dry_run) {
    given_of(jobs.front().order, parts);  // all jobs start from the same frames
    return print_plan(jobs, args.json);
  }
  if (!args.prompts_file.empty()) make_folder(args.out);
  if (!args.prompts_file.empty() && share.is_part()) write_manifest(args.out, all);  // the same by every process
  make_videos(args, share, jobs, parts);
}

void add_prompts(CLI::App& command, GenerateArgs& args) {
  CLI::Option* prompt =
      command.add_option("--prompt", args.prompt, "prompt of the video (default: a caption of the world of the model)")
          ->type_name("TEXT")
          ->check(has_words());
  command.add_option("--at", args.changes, "time and prompt of a change, for example --at 0:20 \"a dog\"; repeatable")
      ->type_name("TIME PROMPT")
      ->check(has_words().application_index(1))
      ->needs(prompt);
  CLI::Option* script =
      command.add_option("--script", args.script, "file of prompt changes, one time and prompt per line")
          ->type_name("FILE");
  CLI::Option* many =
      command.add_option("--prompts", args.prompts_file, "file of prompts, one per line; writes one video per prompt")
          ->type_name("FILE");
  script->excludes(prompt)->excludes(many);
  many->excludes(prompt);
  command.add_option("--samples", args.samples, "videos per prompt of --prompts, each with different noise")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  command
      .add_flag("--same-noise", args.same_noise,
                "same noise for every prompt of --prompts (default: noise of seed + index of the prompt)")
      ->needs(many);
  add_worker(command, args.shard);
  command.add_option("--naming", args.naming, "file names with --prompts; vbench = PROMPT-SAMPLE.mp4")
      ->capture_default_str()
      ->check(CLI::IsMember({"numbered", "vbench"}))
      ->needs(many);
}

void add_conditions(CLI::App& command, GenerateArgs& args) {
  command
      .add_option(
          "--switch", args.on_switch,
          "KV cache at a prompt change: keep it, recache it under the new prompt, or start a new sink (new-sink)")
      ->capture_default_str()
      ->check(CLI::IsMember({"keep", "recache", "new-sink"}));
  command.add_option("--negative", args.negative, "negative prompt of --guidance (default: from the config)")
      ->type_name("TEXT");
  command
      .add_option(
          "--guidance", args.guidance,
          "guidance scale g in uncond + g (cond - uncond), 0 or more, at twice the cost; 1 = off, as few-step students "
          "are trained")
      ->capture_default_str()
      ->check(number_from_zero());
  CLI::Option* image = command.add_option("--image", args.image, "image that the video starts with")->type_name("FILE");
  command.add_option("--video", args.video, "video to continue from its end")->type_name("FILE")->excludes(image);
}

void add_shape(CLI::App& command, GenerateArgs& args) {
  command.add_option("--seconds", args.seconds, "length in seconds, rounded up to a full block")
      ->capture_default_str()
      ->check(positive_number());
  check_seed(*command.add_option("--seed", args.seed, "random seed, 0 or more (default: run.seed of the config)"));
  command.add_option("--size", args.size, "width and height in pixels, for example 832x480 (default: from the config)")
      ->type_name("WxH")
      ->check(readable_by([](const std::string& text) { parse_size(text); }));
  command
      .add_option("--steps", args.steps,
                  "denoising steps per block, also of the first, evenly spaced before the shift (default: those of the "
                  "config)")
      ->check(CLI::Range(1, 1000));
  command.add_option("--positions", args.positions, "RoPE positions (default: from the config)")
      ->check(CLI::IsMember({"absolute", "contiguous", "top_aligned"}));
}

void add_output(CLI::App& command, GenerateArgs& args) {
  command
      .add_option("--out", args.out,
                  "file.mp4, file.y4m, folder/ for PNG files, or - for raw video to a pipe; with --prompts a folder "
                  "(default: named "
                  "after prompt and seed)")
      ->type_name("PATH");
  command.add_option("--format", args.format, "output format; none = write nothing (default: from the name of --out)")
      ->check(CLI::IsMember({"mp4", "png", "y4m", "none"}));
  command.add_option("--latents", args.latents, "safetensors file to write the latents to")
      ->type_name("FILE")
      ->check(has_extension(".safetensors"));
  command.add_option("--crf", args.crf, "constant rate factor of mp4; 0 = best quality, 51 = smallest file")
      ->capture_default_str()
      ->check(CLI::Range(0, 51));
  command
      .add_option("--enlarge", args.enlarge,
                  "integer upscale factor (default: small videos of a world to at least 128 pixels, others 1)")
      ->check(CLI::Range(1, 64));
  CLI::Option* resume = command.add_flag("--continue", args.resume, "resume a video that was stopped or killed");
  command.add_flag("--overwrite", args.overwrite, "overwrite existing files")->excludes(resume);
  command
      .add_option("--save-every", args.save_every,
                  "blocks between saved states; 0 = no states (default: one minute of video)")
      ->check(number_from_zero());
  command.add_flag("--dry-run", args.dry_run, "check everything and print what would be made, without writing a file");
  command.add_flag("--json", args.json, "results as JSON, one object per video");
  command.add_flag("--quiet", args.quiet, "no progress line");
}

void add_model(CLI::App& command, GenerateArgs& args) {
  CLI::Option* model = command.add_option("--model", args.model.model,
                                          "preset with bundled weights, bundled model, run folder or weight file");
  model->type_name("MODEL");
  suggest(*model, {"world-small"});
  command.add_option("--wan", args.model.wan, "Wan folder for the text encoder and VAE")->type_name("DIR");
  add_loras(command, args.model.loras);
  suggest_presets(*command
                       .add_option("--config", args.model.config,
                                   "YAML file or preset with window, schedule and size (default: that of the model, "
                                   "else of a YAML file beside it, else by its place in a known release)")
                       ->type_name("CONFIG"));
  add_overrides(command, args.model.overrides, "context.sink_frames=0");
  add_device(command, args.model.device);
  add_dtype(command, args.model.dtype);
  add_threads(command, args.threads,
              "default: OMP_NUM_THREADS, or by the size of the network; --continue uses those of the first start");
}

}  // namespace

void add_generate(CLI::App& app) {
  auto args = std::make_shared<GenerateArgs>();
  CLI::App* command = app.add_subcommand("generate", "Generate videos of any length from prompts");
  command->footer(
      "Examples:\n"
      "  sgf generate --model world-small --seconds 20 --out world.mp4\n"
      "  sgf generate --model student.pt --wan Wan2.1-T2V-1.3B --prompt \"a red panda\"\n"
      "  sgf generate --model world-small --prompts prompts.txt --out videos/\n"
      "  sgf generate --model base.pt --lora lora.pt:0.8 --config longlive --wan DIR\n\n"
      "Several GPUs: torchrun --no-python, srun or mpirun share the videos of --prompts among their processes; without "
      "a launcher, start one process per GPU with --shard 0/2 and --shard 1/2.\n\n"
      "Exit codes: 0 all videos are complete; 1 failed; 2 the command line was not understood, or the model's window "
      "is not known; 3 stopped by SIGINT or SIGTERM, --continue resumes.");
  add_prompts(*command, *args);
  add_conditions(*command, *args);
  name_group(*command, "Prompts");
  add_shape(*command, *args);
  name_group(*command, "Video");
  add_output(*command, *args);
  name_group(*command, "Output");
  add_model(*command, *args);
  name_group(*command, "Model");
  command->callback([args] { run_generate(*args); });
}

}  // namespace sgf

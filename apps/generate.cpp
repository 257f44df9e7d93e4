// `sgf generate`: prompts to videos of any length.
#include "sgf/streaming/generate.h"
#include "apps/commands.h"
#include "apps/generate_jobs.h"
#include "apps/generate_targets.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/table.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/stop_signal.h"

#include <ATen/Parallel.h>
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
  line["video_pictures"] = result.pictures;
  line["resumed_from"] = result.resumed_from;
  line["whole"] = result.is_whole;
  return line;
}

void say_warning(const std::string& text) { warn("{}", text); }

// To where results are read: not into the pictures of a pipe.
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
                               : fmt::format("{}: whole already, {} pictures", job.output.target, pictures));
    return true;
  }
  ProgressLine line({.mode = progress_mode(args.quiet), .total_steps = pictures, .unit = "frame"},
                    standard_progress_output());
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
      say_result(args, fmt::format("stopped after {} of {} pictures, which can be played; --continue goes on",
                                   result.pictures, pictures));
  }
  return result.is_whole;
}

// Teachers are no few-step models, and a bidirectional one has never seen a block without what follows it.
void warn_of_stage(const GenerateOrder& order) {
  const StageChoice stage = order.config.train.stage;
  if (stage != StageChoice::kFlowMatching && stage != StageChoice::kTeacherForcing) return;
  say_warning(
      fmt::format("{} is a model of {}, which takes many steps{}: expect little of it here, sgf sample --model {} "
                  "shows it",
                  order.model, enum_name(stage), stage == StageChoice::kFlowMatching ? " over all frames at once" : "",
                  order.model));
}

// Found before anything is read.
void check_generate(const GenerateArgs& args) {
  if (args.model.model.empty() && args.model.wan.empty())
    misused("no model: --model world-small needs no download, --model FILE or --wan DIR take yours");
  const bool writes_video = args.writes_to_pipe() && args.format != "none";
  if (writes_video && ::isatty(STDOUT_FILENO) != 0)
    misused(
        "--out - writes raw video to stdout, which is a terminal: pipe it (| ffplay -), or give a name (--out a.mp4)");
}

void run_generate(const GenerateArgs& args) {
  check_generate(args);
  if (args.threads > 0) at::set_num_threads(args.threads);
  const std::vector<VideoJob> jobs = jobs_of(args);
  check_targets(jobs, !args.prompts_file.empty());
  warn_of_stage(jobs.front().order);
  const StreamParts parts =
      build_parts(jobs.front().order, say_warning,
                  args.dry_run ? EmbeddingCache::Use::kReadOnly : EmbeddingCache::Use::kReadAndAdd);
  check_prompts(jobs, parts, say_warning);
  if (args.dry_run) {
    given_of(jobs.front().order, parts);  // all jobs begin with the same frames
    return print_plan(jobs, args.json);
  }
  if (!args.prompts_file.empty()) make_folder(args.out);
  const StopSignal stop;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (jobs.size() > 1 && !args.quiet)
      remark("video {} of {}: {}", i + 1, jobs.size(), jobs[i].order.prompts.front().prompt);
    if (!run_job(args, jobs[i], parts, stop)) exit_with(kUnfinished);
    if (!args.prompts_file.empty())
      write_manifest(args.out, {jobs.begin(), jobs.begin() + static_cast<int64_t>(i) + 1});
  }
}

void add_prompts(CLI::App& command, GenerateArgs& args) {
  CLI::Option* prompt = command.add_option("--prompt", args.prompt, "What the video shows; a world has one of its own");
  prompt->check(has_words());
  command
      .add_option("--at", args.changes,
                  "A time and the prompt from then on, as --at 0:20 \"a dog\"; may be given again")
      ->type_name("TIME PROMPT")
      ->check(has_words().application_index(1))
      ->needs(prompt);
  CLI::Option* script = command.add_option("--script", args.script, "File of such changes: a time and a prompt a line");
  CLI::Option* many = command.add_option("--prompts", args.prompts_file, "File of prompts, one a line: a video each");
  script->excludes(prompt)->excludes(many);
  many->excludes(prompt);
  command.add_option("--samples", args.samples, "Videos of each prompt, of other noise")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  command.add_option("--naming", args.naming, "Names of many videos: numbered, or vbench (PROMPT-SAMPLE.mp4)")
      ->capture_default_str()
      ->check(CLI::IsMember({"numbered", "vbench"}))
      ->needs(many);
  command
      .add_option("--switch", args.on_switch,
                  "At a change: keep the cache, recache it under the new prompt, or begin a new-sink")
      ->capture_default_str()
      ->check(CLI::IsMember({"keep", "recache", "new-sink"}));
  command.add_option("--negative", args.negative, "What --guidance steers away from; the config's by default");
  command
      .add_option("--guidance", args.guidance,
                  "uncond + guidance (cond - uncond) at twice the cost; 1: none, as few-step students are trained")
      ->capture_default_str();
  CLI::Option* image = command.add_option("--image", args.image, "A picture that the video begins with");
  command.add_option("--video", args.video, "A video whose end it begins with")->excludes(image);
}

void add_shape(CLI::App& command, GenerateArgs& args) {
  command.add_option("--seconds", args.seconds, "How long; rounded up to whole blocks")->capture_default_str();
  check_seed(*command.add_option("--seed", args.seed, "Other seeds give other videos"));
  command.add_option("--size", args.size, "Pixels, as 832x480");
  command.add_option("--steps", args.steps, "Denoising steps a block, evenly from 1000 before the schedule's shift");
  command.add_option("--positions", args.positions, "RoPE positions: absolute, contiguous or top_aligned")
      ->check(CLI::IsMember({"absolute", "contiguous", "top_aligned"}));
}

void add_output(CLI::App& command, GenerateArgs& args) {
  command.add_option(
      "--out", args.out,
      "NAME.mp4, NAME.y4m, FOLDER/ for PNG files, or - for raw video to a pipe; with --prompts a folder");
  command.add_option("--format", args.format, "mp4, png, y4m, or none: only counts")
      ->check(CLI::IsMember({"mp4", "png", "y4m", "none"}));
  command.add_option("--latents", args.latents, "Also write the latents, as one safetensors file");
  command.add_option("--crf", args.crf, "Rate factor of mp4: 0 is best, 51 smallest")
      ->capture_default_str()
      ->check(CLI::Range(0, 51));
  command.add_option("--enlarge", args.enlarge, "Pixels of the file a pixel, along a side; small worlds are enlarged")
      ->check(CLI::Range(1, 64));
  CLI::Option* resume = command.add_flag("--continue", args.resume, "Go on with a video that was stopped or killed");
  command.add_flag("--overwrite", args.overwrite, "Replace files that are there")->excludes(resume);
  command
      .add_option("--save-every", args.save_every,
                  "Blocks between two states that --continue can go on from; 0: none. A minute of video by default")
      ->check(number_from_zero());
  command.add_flag("--dry-run", args.dry_run, "Check everything and print what would be made, without writing a file");
  command.add_flag("--json", args.json, "Results as one object a video");
  command.add_flag("--quiet", args.quiet, "No progress");
}

void add_model(CLI::App& command, GenerateArgs& args) {
  CLI::Option* model = command.add_option(
      "--model", args.model.model,
      "A preset with weights (world-small), a shipped model, a run folder, a weight file or a Wan folder");
  suggest(*model, {"world-small"});
  command.add_option("--wan", args.model.wan,
                     "Wan folder: text encoder and VAE, and the network where --model has none");
  command.add_option("--config", args.model.config,
                     "Preset or YAML file with window, schedule and size, in place of a folder's own or of a guess");
  command
      .add_option("--set", args.model.overrides, "Override one key of it, as context.sink_frames=0; may be repeated")
      ->allow_extra_args(false);
  add_device(command, args.model.device);
  command.add_option("--dtype", args.model.dtype, "float64, float32 or bfloat16; the config's, on a CPU float32")
      ->check(CLI::IsMember({"float64", "float32", "bfloat16"}));
  command.add_option("--threads", args.threads, "CPU threads; as many as torch takes by default")
      ->check(positive_number());
}

}  // namespace

void add_generate(CLI::App& app) {
  auto args = std::make_shared<GenerateArgs>();
  CLI::App* command = app.add_subcommand("generate", "Prompts to videos of any length, streamed as they are made");
  command->footer(
      "Try: sgf generate --model world-small --seconds 20 --out world.mp4\n"
      "Exit codes: 0 all videos whole; 1 failed; 3 stopped by SIGINT or SIGTERM: --continue goes on.");
  add_model(*command, *args);
  add_prompts(*command, *args);
  add_shape(*command, *args);
  add_output(*command, *args);
  command->callback([args] { run_generate(*args); });
}

}  // namespace sgf

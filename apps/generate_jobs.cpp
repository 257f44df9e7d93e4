#include "apps/generate_jobs.h"

#include "apps/commands.h"
#include "apps/say.h"
#include "apps/table.h"
#include "apps/threads.h"
#include "apps/version.h"
#include "apps/video_manifest.h"
#include "sgf/assembly/conditioning.h"
#include "sgf/assembly/start_file.h"
#include "sgf/config/network_work.h"
#include "sgf/core/counted.h"
#include "sgf/core/error.h"
#include "sgf/core/gibibytes.h"
#include "sgf/core/in_quotes.h"
#include "sgf/dataset/prompt_list.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/file_lock.h"
#include "sgf/media/video_writer.h"
#include "sgf/streaming/output_name.h"
#include "sgf/streaming/video_orders.h"
#include "sgf/world/caption.h"
#include "sgf/world/preset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostVideos = 100'000;  // of one command: all of them are planned before the first

// In whole patches of the network.
PictureSize size_of(const std::string& text, const Config& c) {
  const PictureSize size = parse_size(text), step = size_step(c);
  SGF_CHECK(size.height % step.height == 0 && size.width % step.width == 0,
            "--size must be a multiple of {}x{} pixels for this network, got {}; the next larger size is {}x{}",
            step.width, step.height, text, (size.width + step.width - 1) / step.width * step.width,
            (size.height + step.height - 1) / step.height * step.height);
  return size;
}

VideoWishes wishes_of(const GenerateArgs& args, const Config& c) {
  VideoWishes wishes{.wan = args.model.wan,
                     .loras = args.model.loras,
                     .seconds = args.seconds,
                     .seed = args.seed,
                     .steps = args.steps,
                     .negative = args.negative,
                     .guidance = args.guidance,
                     .on_switch = *enum_from_name<PromptSwitch>(args.on_switch),
                     .image = args.image,
                     .video = args.video,
                     .enlarge = args.enlarge,
                     .crf = args.crf,
                     .save_every = args.save_every,
                     .build = version_text()};
  if (!args.size.empty()) wishes.size = size_of(args.size, c);
  if (!args.positions.empty()) wishes.positions = *enum_from_name<PositionKind>(args.positions);
  return wishes;
}

// The video's prompts in time, where there is one video.
std::vector<TimedPrompt> timeline(const GenerateArgs& args, const Config& c) {
  if (!args.script.empty()) return read_prompt_script(args.script);
  std::string first = args.prompt;
  if (first.empty()) {
    if (c.data.world.empty()) misused("a prompt is missing; pass --prompt \"...\", --script FILE or --prompts FILE");
    first = world_prompts(c, 0, 1).front();
  }
  std::vector<TimedPrompt> prompts{{0, first}};
  for (const auto& [time, prompt] : args.changes) prompts.push_back({parse_time(time), prompt});
  check_timeline(prompts);
  return prompts;
}

void check_guidance(const GenerateArgs& args) {
  SGF_CHECK(std::isfinite(args.guidance), "--guidance must be a finite number, got {}", args.guidance);
  SGF_CHECK(args.negative.empty() || args.guidance != 1,
            "--negative has no effect with --guidance 1; pass another value, for example --guidance 3");
}

// A video that is continued keeps the number it was begun with.
int64_t threads_of(const GenerateArgs& args, const VideoJob& job) {
  const Config& config = job.order.config;
  const int64_t asked = threads_asked(args.threads, config, args.model.overrides);
  const std::optional<int64_t> stored = threads_of_state(job.output);
  return stored ? threads_as_stored(asked, *stored, job.output.target)
                : threads_for_work(asked, work_of_block(config), cores_of_rank());
}

VideoJob first_job(const GenerateArgs& args) {
  check_guidance(args);
  const ChosenModel chosen = choose_model(args.model);
  VideoPlan plan = plan_video(wishes_of(args, chosen.config), chosen);
  GenerateOutput output{.latents = args.latents, .resume = args.resume, .overwrite = args.overwrite};
  if (!args.format.empty()) output.format = *enum_from_name<SinkKind>(args.format);
  return {.order = std::move(plan.order), .output = std::move(output), .blocks = plan.blocks};
}

std::string ending(const std::optional<SinkKind>& format) {
  if (!format) return can_write_videos() ? ".mp4" : "/";
  return *format == SinkKind::kMp4 ? ".mp4" : *format == SinkKind::kY4m ? ".y4m" : *format == SinkKind::kPng ? "/" : "";
}

void check_seeds(const GenerateArgs& args, int64_t seed, int64_t lines) {
  for (int64_t line = 0; line < lines && !args.same_noise; ++line)
    SGF_CHECK(seed <= std::numeric_limits<int64_t>::max() - line,
              "the prompt of line {} has the seed {} + {}, which is above 2^63 - 1; pass a smaller --seed", line, seed,
              line);
}

// Earlier versions gave every prompt the same noise, and videos of other lines another name. Another seed makes the
// same names: the first line, whose seed is the set's, tells which it was.
void refuse_earlier_set(const GenerateArgs& args, const NamedVideo& video, const std::string& first_prompt,
                        const std::string& target) {
  const auto name_of = [&](const NamedVideo& v) {
    return video_name(v, VideoNaming::kNumbered) + fs::path(target).extension().string();
  };
  if (!args.resume || args.same_noise || video.line == 0 || !fs::exists(fs::path(args.out) / name_of(video))) return;
  const auto begins_with = [&](int64_t seed) {
    const std::string name = name_of({.prompt = first_prompt, .samples = video.samples, .seed = seed});
    return fs::exists(fs::path(args.out) / name) || lists_clip(args.out, name);
  };
  const int64_t other = video.seed - video.line;  // the seed of a set with noise of its own in which it has this name
  const bool may_be_same = begins_with(video.seed), may_be_other = other >= 0 && begins_with(other);
  if (may_be_same && may_be_other) return;  // two sets in one folder
  SGF_CHECK(!may_be_same,
            "{}: these videos were made with the same noise for every prompt; pass --same-noise to continue them",
            args.out);
  SGF_CHECK(
      !may_be_other,
      "{}: these videos were made with --seed {}; pass it to continue them, or leave out --continue to add others",
      args.out, other);
  fail(
      "{}: these videos were made with another --seed, or with the same noise for every prompt; pass that --seed or "
      "--same-noise to continue them",
      args.out);
}

// --prompts: every line, as many samples of each as were asked for, in one folder.
std::vector<VideoJob> many_jobs(const GenerateArgs& args, const VideoJob& pattern) {
  const PromptSet set{read_prompts(args.prompts_file), args.samples, args.same_noise};
  const int64_t seed = pattern.order.config.run.seed;
  check_seeds(args, seed, std::ssize(set.prompts));
  SGF_CHECK(std::ssize(set.prompts) <= kMostVideos / set.samples,
            "{} x {} videos are more than {} in one command; pass fewer --samples, or split {}",
            counted(std::ssize(set.prompts), "prompt"), set.samples, kMostVideos, args.prompts_file);
  const auto naming = *enum_from_name<VideoNaming>(args.naming);
  std::vector<VideoJob> jobs;
  for (const SetVideo& video : videos_in_set(set, seed)) {
    VideoJob job{order_in_set(pattern.order, set, video), pattern.output, pattern.blocks};
    const std::string& prompt = job.order.prompts.front().prompt;
    const NamedVideo name{prompt, video.line, naming == VideoNaming::kVbench ? video.sample : video.number, set.samples,
                          video.seed};
    job.output.target = (fs::path(args.out) / video_name(name, naming)).string() + ending(pattern.output.format);
    refuse_earlier_set(args, {prompt, video.line, video.sample, set.samples, seed}, set.prompts.front(),
                       job.output.target);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::vector<VideoJob> asked_jobs(const GenerateArgs& args) {
  VideoJob job = first_job(args);
  if (!args.prompts_file.empty()) return many_jobs(args, job);
  if (args.samples != 1) misused("--samples needs --prompts; for more videos of one prompt pass different seeds");
  job.order.prompts = timeline(args, job.order.config);
  job.output.target = args.out;
  if (args.out.empty()) {
    const NamedVideo name{.prompt = job.order.prompts.front().prompt, .seed = job.order.config.run.seed};
    job.output.target = video_name(name, VideoNaming::kNumbered).substr(5) + ending(job.output.format);
  }
  return {job};
}

}  // namespace

PictureSize parse_size(const std::string& text) {
  const std::optional<PictureSize> size = parse_picture_size(text);
  SGF_CHECK(size.has_value(),
            "--size must be WIDTHxHEIGHT in pixels, for example 832x480, each side at most {}, got {}",
            kLongestPictureSide, in_quotes(text));
  return *size;
}

std::vector<VideoJob> jobs_of(const GenerateArgs& args) {
  std::vector<VideoJob> jobs = asked_jobs(args);
  for (const VideoJob& job : jobs) order_text(job.order);  // refuses what the video could not store
  return jobs;
}

void choose_threads(const GenerateArgs& args, std::vector<VideoJob>& jobs) {
  for (VideoJob& job : jobs) job.order.threads = threads_of(args, job);
}

namespace {

// A model of a world has seen as many objects as the world has, and makes anything of other prompts.
void warn_of_objects(const WorldPreset& world, const std::vector<std::string>& prompts,
                     const std::function<void(const std::string&)>& warn) {
  for (const std::string& prompt : prompts) {
    const int64_t named = count_named_objects(prompt);
    if (named != world.objects)
      warn(fmt::format("{}: names {} {}, but {} was trained on videos with {}; results will be poor", in_quotes(prompt),
                       named, named == 1 ? "object" : "objects", world.name, world.objects));
  }
}

}  // namespace

void check_prompts(const std::vector<VideoJob>& jobs, const StreamParts& parts,
                   const std::function<void(const std::string&)>& warn) {
  std::set<std::string> prompts;
  for (const VideoJob& job : jobs)
    for (const TimedPrompt& prompt : job.order.prompts) prompts.insert(prompt.prompt);
  const GenerateOrder& order = jobs.front().order;
  const std::vector<std::string> shown(prompts.begin(), prompts.end());
  if (order.guidance != 1) prompts.insert(order.negative);
  const std::vector<std::string> list(prompts.begin(), prompts.end());
  if (!order.config.data.world.empty()) {
    check_words(*parts.text, list);
    return warn_of_objects(world_preset(order.config.data.world), shown, warn);
  }
  parts.text->encode_ahead(list, {});
}

namespace {

int64_t bytes_of(const fs::path& path) {
  if (!fs::is_directory(path)) return static_cast<int64_t>(fs::file_size(path));
  int64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) bytes += static_cast<int64_t>(entry.file_size());
  return bytes;
}

nlohmann::json plan_json(const VideoJob& job) {
  const Config& c = job.order.config;
  const PictureSize size = picture_size(c);
  const int64_t pictures = pictures_for(job.blocks, c);
  const fs::path weights = find_start_file(job.order.model).path;
  return {{"file", job.output.target},
          {"prompts", to_json(job.order).at("prompts")},
          {"weights", weights.string()},
          {"weights_gib", gib_of(bytes_of(weights))},
          {"wan", job.order.wan},
          {"config", c.name},
          {"seed", c.run.seed},
          {"frames", pictures},
          {"seconds", static_cast<double>(pictures) / c.video.fps},
          {"blocks", job.blocks},
          {"width", size.width * job.order.enlarge},
          {"height", size.height * job.order.enlarge},
          {"cache_gib", gib_of(stream_cache_bytes(c))},
          {"device", enum_name(c.run.device)},
          {"dtype", enum_name(c.run.dtype)},
          {"threads", job.order.threads}};
}

}  // namespace

void print_plan(const std::vector<VideoJob>& jobs, bool json) {
  Table table({"file", "prompt", "frames", "seconds", "size"});
  for (const VideoJob& job : jobs) {
    const nlohmann::json plan = plan_json(job);
    if (json) say_json(plan);
    table.add({job.output.target, job.order.prompts.front().prompt, plan["frames"].dump(),
               fmt::format("{:.2f}", plan["seconds"].get<double>()),
               fmt::format("{}x{}", plan["width"].dump(), plan["height"].dump())});
  }
  if (json) return;
  const nlohmann::json plan = plan_json(jobs.front());
  table.print();
  say("");
  say("weights {} ({:.2f} GiB), config {}, text encoder and VAE: {}", plan["weights"].get<std::string>(),
      plan["weights_gib"].get<double>(), plan["config"].get<std::string>(),
      jobs.front().order.wan.empty() ? "those of the world" : jobs.front().order.wan);
  say("device {}, dtype {}: KV cache {:.2f} GiB for any length of video", plan["device"].get<std::string>(),
      plan["dtype"].get<std::string>(), plan["cache_gib"].get<double>());
}

void write_manifest(const std::string& folder, const std::vector<VideoJob>& jobs) {
  // Several commands may write into one folder: each adds to what is listed when its turn comes.
  FileLock turn = FileLock::take(fs::path(folder) / ".manifest.lock", std::chrono::seconds(60));
  const std::string& world = jobs.front().order.config.data.world;
  const auto file_of = [&](const VideoJob& job) {
    return fs::path(job.output.target).lexically_relative(folder).string();
  };
  std::set<std::string> files;
  for (const VideoJob& job : jobs) files.insert(file_of(job));
  nlohmann::json list{{"clips", earlier_clips(folder, world, files)}};
  if (!world.empty()) list["world"] = world;
  for (const VideoJob& job : jobs) {
    list["clips"].push_back({{"file", file_of(job)},
                             {"caption", job.order.prompts.front().prompt},
                             {"seed", job.order.config.run.seed},
                             {"sample", job.order.number}});
  }
  const std::string name = "manifest.json";
  sweep_half_written(folder, [&](const std::string& target) { return target == name; });
  AtomicFile file(fs::path(folder) / name);
  file.write(list.dump(1) + "\n");
  file.commit();
  turn.remove_file();
}

}  // namespace sgf

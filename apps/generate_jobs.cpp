#include "apps/generate_jobs.h"

#include "apps/say.h"
#include "apps/table.h"
#include "apps/threads.h"
#include "apps/version.h"
#include "sgf/assembly/codec_and_text.h"
#include "sgf/assembly/conditioning.h"
#include "sgf/assembly/start_file.h"
#include "sgf/config/network_work.h"
#include "sgf/core/error.h"
#include "sgf/core/gibibytes.h"
#include "sgf/core/in_quotes.h"
#include "sgf/dataset/prompt_list.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/weight_identity.h"
#include "sgf/media/video_writer.h"
#include "sgf/streaming/order_loras.h"
#include "sgf/streaming/output_name.h"
#include "sgf/world/caption.h"
#include "sgf/world/preset.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr double kSavedSeconds = 60;  // of video, between two saved states
constexpr int64_t kShownSide = 128;   // smaller frames are enlarged: H.264 keeps colour once for four pixels

constexpr int64_t kLongestSide = 1 << 20;  // far beyond any video; keeps sizes within 64 bits

// "832x480": width and height.
PictureSize parse_size(const std::string& text) {
  PictureSize size;
  const size_t cross = text.find('x');
  const auto read = [&](std::string_view part, int64_t& side) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), side);
    return !part.empty() && error == std::errc() && end == part.data() + part.size() && side > 0 &&
           side <= kLongestSide;
  };
  const std::string_view view = text;
  SGF_CHECK(cross != std::string::npos && read(view.substr(0, cross), size.width) &&
                read(view.substr(cross + 1), size.height),
            "--size must be WIDTHxHEIGHT in pixels, for example 832x480, each side at most {}, got {}", kLongestSide,
            in_quotes(text));
  return size;
}

void set_size(Config& c, const std::string& text) {
  const PictureSize size = parse_size(text);
  const int64_t factor = codec_shape(c).spatial;
  const int64_t rows = factor * c.model.patch_size[1], columns = factor * c.model.patch_size[2];
  SGF_CHECK(size.height % rows == 0 && size.width % columns == 0,
            "--size must be a multiple of {}x{} pixels for this network, got {}; the next larger size is {}x{}",
            columns, rows, text, (size.width + columns - 1) / columns * columns,
            (size.height + rows - 1) / rows * rows);
  c.video.height = size.height / factor;
  c.video.width = size.width / factor;
}

std::vector<double> even_steps(int64_t count) {
  SGF_CHECK(count >= 1 && count <= 1000, "--steps must be from 1 to 1000, got {}", count);
  std::vector<double> steps;
  for (int64_t i = 0; i < count; ++i)
    steps.push_back(1000.0 * static_cast<double>(count - i) / static_cast<double>(count));
  return steps;
}

Config complete_config(const GenerateArgs& args, Config c) {
  if (args.seed) c.run.seed = *args.seed;
  if (!args.size.empty()) set_size(c, args.size);
  if (args.steps) {
    c.schedule.denoising_steps = even_steps(*args.steps);
    c.schedule.first_block_steps.clear();
  }
  if (!args.positions.empty()) c.context.positions = *enum_from_name<PositionKind>(args.positions);
  if (!args.negative.empty()) c.negative_prompt = args.negative;
  validate(c);
  return c;
}

// The video's prompts in time, where there is one video.
std::vector<TimedPrompt> timeline(const GenerateArgs& args, const Config& c) {
  if (!args.script.empty()) return read_prompt_script(args.script);
  std::string first = args.prompt;
  if (first.empty()) {
    SGF_CHECK(!c.data.world.empty(), "a prompt is missing; pass --prompt \"...\", --script FILE or --prompts FILE");
    first = world_prompts(c, 0, 1).front();
  }
  std::vector<TimedPrompt> prompts{{0, first}};
  for (const auto& [time, prompt] : args.changes) prompts.push_back({parse_time(time), prompt});
  check_timeline(prompts);
  return prompts;
}

int64_t enlargement(const GenerateArgs& args, const Config& c) {
  if (args.enlarge) return *args.enlarge;
  const int64_t side = std::min(c.video.height, c.video.width) * codec_shape(c).spatial;
  int64_t times = 1;
  while (!c.data.world.empty() && times * side < kShownSide) times *= 2;  // sgf world measure shrinks by 2, 4, 8
  return times;
}

void check_guidance(const GenerateArgs& args) {
  SGF_CHECK(std::isfinite(args.guidance), "--guidance must be a finite number, got {}", args.guidance);
  SGF_CHECK(args.negative.empty() || args.guidance != 1,
            "--negative has no effect with --guidance 1; pass another value, for example --guidance 3");
}

// A video is made again from another folder too.
std::string from_anywhere(const std::string& path) {
  return path.empty() ? path : fs::absolute(path).lexically_normal().string();
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
  ChosenModel chosen = choose_model(args.model);
  VideoJob job{.seconds = args.seconds};
  GenerateOrder& order = job.order;
  order.config = complete_config(args, std::move(chosen.config));
  order.model = from_anywhere(chosen.weights);
  order.wan = from_anywhere(args.model.wan);
  if (order.wan.empty() && order.config.data.world.empty() && fs::is_directory(order.model)) order.wan = order.model;
  order.negative = order.config.negative_prompt;
  order.guidance = args.guidance;
  order.on_switch = *enum_from_name<PromptSwitch>(args.on_switch);
  order.image = from_anywhere(args.image);
  order.video = from_anywhere(args.video);
  order.enlarge = enlargement(args, order.config);
  order.crf = args.crf;
  job.blocks = blocks_for(args.seconds, order.config);
  order.save_every = args.save_every.value_or(blocks_for(kSavedSeconds, order.config));
  order.model_identity = weight_identity(open_tensor_file(find_start_file(order.model).path));
  order.loras = choose_loras(args.model.loras, order.model);
  order.build = version_text();
  job.output = {.latents = args.latents, .resume = args.resume, .overwrite = args.overwrite};
  if (!args.format.empty()) job.output.format = *enum_from_name<SinkKind>(args.format);
  return job;
}

std::string ending(const std::optional<SinkKind>& format) {
  if (!format) return can_write_videos() ? ".mp4" : "/";
  return *format == SinkKind::kMp4 ? ".mp4" : *format == SinkKind::kY4m ? ".y4m" : *format == SinkKind::kPng ? "/" : "";
}

// Noise is a function of (seed, number of the video). The prompt of line i has the seed `seed` + i, and its samples
// count from 0. With one noise for all prompts, numbers of a prompt in several lines go on from line to line instead.
struct VideoNoise {
  int64_t seed = 0;
  int64_t number = 0;
};

VideoNoise noise_of(const GenerateArgs& args, int64_t seed, int64_t line, int64_t in_line, int64_t in_set) {
  if (args.same_noise) return {seed, in_set};
  SGF_CHECK(seed <= std::numeric_limits<int64_t>::max() - line,
            "the prompt of line {} has the seed {} + {}, which is above 2^63 - 1; pass a smaller --seed", line, seed,
            line);
  return {seed + line, in_line};
}

// Earlier versions gave every prompt the same noise, and videos of other lines another name.
void refuse_earlier_set(const GenerateArgs& args, const NamedVideo& video, const std::string& target) {
  if (!args.resume || args.same_noise || video.line == 0) return;
  const fs::path earlier = fs::path(args.out) / video_name(video, VideoNaming::kNumbered);
  SGF_CHECK(!fs::exists(earlier.string() + fs::path(target).extension().string()),
            "{}: these videos were made with the same noise for every prompt; pass --same-noise to continue them",
            args.out);
}

// --prompts: every line, as many samples of each as were asked for, in one folder.
std::vector<VideoJob> many_jobs(const GenerateArgs& args, const VideoJob& pattern) {
  SGF_CHECK(args.changes.empty(), "--at cannot be combined with --prompts; it changes the prompt of one video");
  SGF_CHECK(args.latents.empty(), "--latents cannot be combined with --prompts; it writes the latents of one video");
  SGF_CHECK(!args.out.empty() && args.out != "-", "--prompts writes many videos; name their folder with --out");
  const std::vector<std::string> prompts = read_prompts(args.prompts_file);
  const auto naming = *enum_from_name<VideoNaming>(args.naming);
  const int64_t seed = pattern.order.config.run.seed;
  std::map<std::string, int64_t> made;  // of each prompt: one that stands in several lines has further samples
  std::vector<VideoJob> jobs;
  for (int64_t line = 0; line < static_cast<int64_t>(prompts.size()); ++line) {
    const std::string& prompt = prompts[static_cast<size_t>(line)];
    for (int64_t i = 0; i < args.samples; ++i) {
      const int64_t sample = made[prompt]++;
      const VideoNoise noise = noise_of(args, seed, line, i, sample);
      VideoJob job = pattern;
      job.order.prompts = {{0, prompt}};
      job.order.config.run.seed = noise.seed;
      job.order.number = noise.number;
      const NamedVideo name{prompt, line, naming == VideoNaming::kVbench ? sample : noise.number, args.samples,
                            noise.seed};
      job.output.target = (fs::path(args.out) / video_name(name, naming)).string() + ending(pattern.output.format);
      refuse_earlier_set(args, {prompt, line, sample, args.samples, seed}, job.output.target);
      jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

std::vector<VideoJob> asked_jobs(const GenerateArgs& args) {
  VideoJob job = first_job(args);
  if (!args.prompts_file.empty()) return many_jobs(args, job);
  SGF_CHECK(args.samples == 1, "--samples needs --prompts; for more videos of one prompt pass different seeds");
  job.order.prompts = timeline(args, job.order.config);
  job.output.target = args.out;
  if (args.out.empty()) {
    const NamedVideo name{.prompt = job.order.prompts.front().prompt, .seed = job.order.config.run.seed};
    job.output.target = video_name(name, VideoNaming::kNumbered).substr(5) + ending(job.output.format);
  }
  return {job};
}

}  // namespace

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

int64_t cache_bytes(const Config& c) {
  const int64_t frames = c.context.sink_frames + c.context.fifo_frames + c.context.block_frames;
  const int64_t tokens = c.video.height / c.model.patch_size[1] * (c.video.width / c.model.patch_size[2]);
  const int64_t element = c.run.dtype == ComputeDtype::kBFloat16 ? 2 : c.run.dtype == ComputeDtype::kFloat32 ? 4 : 8;
  return 2 * 2 * c.model.num_layers * frames * tokens * c.model.dim *
         element;  // the cache, and what a block reads of it
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
          {"cache_gib", gib_of(cache_bytes(c))},
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
  nlohmann::json list{{"clips", nlohmann::json::array()}};
  if (const std::string& world = jobs.front().order.config.data.world; !world.empty()) list["world"] = world;
  for (const VideoJob& job : jobs) {
    list["clips"].push_back({{"file", fs::path(job.output.target).lexically_relative(folder).string()},
                             {"caption", job.order.prompts.front().prompt},
                             {"seed", job.order.config.run.seed},
                             {"sample", job.order.number}});
  }
  const std::string name = "manifest.json";
  sweep_half_written(folder, [&](const std::string& target) { return target == name; });
  AtomicFile file(fs::path(folder) / name);
  file.write(list.dump(1) + "\n");
  file.commit();
}

}  // namespace sgf

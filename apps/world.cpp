// `sgf world render|measure`: clips of the built-in world as files, and videos held against their captions.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/table.h"
#include "apps/threads.h"
#include "sgf/core/counted.h"
#include "sgf/core/error.h"
#include "sgf/media/frame_source.h"
#include "sgf/media/video_writer.h"
#include "sgf/streaming/video_prompt.h"
#include "sgf/world/caption.h"
#include "sgf/world/clips.h"
#include "sgf/world/files.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace sgf {
namespace {

struct RenderArgs {
  std::string preset = "world-tiny";
  std::string format = "mp4";
  std::string prompt;
  std::string strip;
  ClipOrder order;
  ClipFiles files;
  int64_t threads = 0;
};

struct WorldMeasureArgs {
  std::vector<std::string> videos;
  std::string prompt;
  std::string manifest;
  std::string preset;
  int64_t segments = 4, threads = 0;
  bool json = false;
};

void run_render(RenderArgs args) {
  args.order.preset = world_preset(args.preset);
  args.files.format = *enum_from_name<ClipFormat>(args.format);
  if (!args.prompt.empty()) args.order.caption = parse_caption(args.prompt);
  const ClipEncoder encoder =
      render_clips(args.order, args.files, show_progress(args.order.clips, "clip"), threads_for_files(args.threads));
  if (!encoder.is_h264) {
    warn("FFmpeg has no H.264 encoder here; {} was used, which some browsers cannot play", encoder.name);
  }
  if (!args.strip.empty()) write_png(args.strip, strip_of_clips(args.order));
  say("{} of {} in {}, listed in manifest.json and captions.txt", counted(args.order.clips, "clip"),
      counted(args.order.frames, "frame"), args.files.folder.string());
}

void add_render(CLI::App& world) {
  auto args = std::make_shared<RenderArgs>();
  CLI::App* command = world.add_subcommand("render", "Render clips of the built-in world, with captions");
  command->add_option("--out", args->files.folder, "new or empty folder to write to")->type_name("DIR")->required();
  command->add_option("--preset", args->preset, "world to render")
      ->capture_default_str()
      ->check(CLI::IsMember(world_preset_names()));
  command->add_option("--clips", args->order.clips, "number of clips")->capture_default_str()->check(positive_number());
  command->add_option("--frames", args->order.frames, "frames per clip")
      ->capture_default_str()
      ->check(positive_number());
  check_seed(*command->add_option("--seed", args->order.seed, "random seed")->capture_default_str());
  command->add_option("--prompt", args->prompt, "caption of all clips; they differ in everything it does not name")
      ->type_name("TEXT")
      ->check(has_words());
  command->add_option("--format", args->format, "file format: mp4, or one folder of lossless png per clip")
      ->capture_default_str()
      ->check(CLI::IsMember({"mp4", "png"}));
  command->add_option("--fps", args->files.fps, "frames per second of mp4")
      ->capture_default_str()
      ->check(positive_number());
  command->add_option("--crf", args->files.crf, "constant rate factor of mp4; 0 = best quality, 51 = smallest file")
      ->capture_default_str()
      ->check(CLI::Range(0, 51));
  command->add_option("--enlarge", args->files.enlarge, "integer upscale factor of mp4, a power of 2")
      ->capture_default_str()
      ->check(CLI::IsMember({1, 2, 4, 8, 16, 32, 64}));
  command->add_option("--strip", args->strip, "PNG file to draw frames of the first clips to")
      ->type_name("FILE")
      ->check(has_extension(".png"));
  add_threads(*command, args->threads, kThreadPerFile);
  command->footer(
      "Examples:\n"
      "  sgf world render --out clips --clips 8 --preset world-small\n"
      "  sgf world render --out discs --prompt \"a fast red disc on a grey field\"\n\n"
      "Clip i depends only on the seed and i. Each thread renders whole clips, so the files do not depend on "
      "--threads.");
  command->callback([args] { run_render(*args); });
}

std::string shown_score(double value) { return fmt::format("{:.3f}", value); }
std::string shown_score(const std::optional<double>& value) { return value ? shown_score(*value) : "-"; }

using Row = std::pair<std::string, const SegmentScore*>;  // what is scored, and its scores

std::vector<Row> rows_of(const MeasuredVideo& video) {
  std::vector<Row> rows;
  for (const SegmentScore& segment : video.score.segments) {
    rows.emplace_back(fmt::format("{}-{}", segment.frames.begin, segment.frames.end - 1), &segment);
  }
  rows.emplace_back("all", &video.score.whole);
  rows.emplace_back("true clips", &video.truth);
  return rows;
}

void print_frame_scores(const std::vector<Row>& rows) {
  Table table({"frames", "valid", "count", "background", "bg drift", "landmark drift", "re-render", "motion energy",
               "sharpness"});
  for (const auto& [name, score] : rows) {
    table.add({name, shown_score(score->valid), shown_score(score->count_right), shown_score(score->background_error),
               shown_score(score->background_drift), shown_score(score->landmark_drift),
               shown_score(score->rerender_error), shown_score(score->motion_energy), shown_score(score->sharpness)});
  }
  table.print();
}

// "red disc", or which one it is where captions differ.
std::string object_name(const std::string& caption, size_t object) {
  if (caption.empty()) return fmt::format("object {}", object + 1);
  const ObjectWords words = parse_caption(caption).objects[object];
  return fmt::format("{} {}", enum_name(words.colour), enum_name(words.shape));
}

void print_object_scores(const std::vector<Row>& rows, const std::string& caption) {
  Table table({"frames", "object", "present", "colour", "identity", "hue drift", "size drift", "pattern", "motion"});
  for (size_t i = 0; i < rows.front().second->objects.size(); ++i) {
    for (const auto& [name, score] : rows) {
      const ObjectScore& object = score->objects[i];
      table.add({name, object_name(caption, i), shown_score(object.presence), shown_score(object.colour_error),
                 shown_score(object.identity_error), shown_score(object.hue_drift), shown_score(object.size_drift),
                 shown_score(object.pattern_error), shown_score(object.motion)});
    }
  }
  table.print();
}

void print_video(const MeasuredVideo& video) {
  const std::vector<Row> rows = rows_of(video);
  print_frame_scores(rows);
  say("");
  print_object_scores(rows, video.caption);
}

void print_list(const std::vector<MeasuredVideo>& videos) {
  Table table({"video", "frames", "valid", "re-render", "caption"});
  for (const MeasuredVideo& video : videos) {
    table.add({shown_name(video.file.string()), shown_count(video.score.whole.frames.frames()),
               shown_score(video.score.whole.valid), shown_score(video.score.whole.rerender_error), video.caption});
  }
  table.print();
}

void print_videos(const std::vector<MeasuredVideo>& videos) {
  if (videos.size() == 1) {
    say("{}: {}", videos.front().file.string(), videos.front().caption);
    say("");
    print_video(videos.front());
    return;
  }
  print_list(videos);
  say("");
  say("mean of {} videos", videos.size());
  say("");
  print_video(mean_video(videos));
}

// A video that a manifest lists under the same name.
const ListedClip& listed(const ClipList& list, const std::filesystem::path& video, const std::string& manifest) {
  const auto name = [](const std::filesystem::path& path) { return path.lexically_normal().filename(); };
  for (const ListedClip& clip : list.clips) {
    if (name(clip.file) == name(video)) return clip;
  }
  fail("{} does not list {}", manifest, video.string());
}

// By the prompt given for all, or by the one that each video says it was made from; `world` is theirs if none is named.
std::vector<CaptionedVideo> prompted_videos(const WorldMeasureArgs& args, std::string& world) {
  std::vector<CaptionedVideo> videos;
  for (const std::string& video : args.videos) {
    std::string prompt = args.prompt;
    if (prompt.empty()) {
      const std::optional<VideoPrompt> noted = prompt_in_video(video);
      if (!noted) open_frames(video);  // a missing or broken file is the first thing to say
      if (!noted) misused(fmt::format("{} contains no prompt; pass --prompt TEXT or --manifest FILE", video));
      prompt = noted->prompt;
      if (world.empty()) world = noted->world;
    }
    videos.push_back({video, prompt});
  }
  return videos;
}

std::vector<CaptionedVideo> videos_of(const WorldMeasureArgs& args, std::string& world) {
  if (args.manifest.empty()) return prompted_videos(args, world);
  std::vector<CaptionedVideo> videos;
  const ClipList list = read_manifest(args.manifest);
  SGF_CHECK(args.preset.empty() || args.preset == list.world, "{} lists clips of {}, not of {}", args.manifest,
            list.world, args.preset);
  world = list.world;
  for (const std::string& video : args.videos) videos.push_back({video, listed(list, video, args.manifest).caption});
  if (!videos.empty()) return videos;
  for (const ListedClip& clip : list.clips) videos.push_back({clip.file, clip.caption});
  return videos;
}

void run_measure(const WorldMeasureArgs& args) {
  std::string world = args.preset;
  const std::vector<CaptionedVideo> videos = videos_of(args, world);
  if (world.empty()) world = world_of_caption(parse_caption(videos.front().caption)).name;
  const auto measured =
      measure_files(videos, world_preset(world), args.segments,
                    show_progress(static_cast<int64_t>(videos.size()), "video"), threads_for_files(args.threads));
  if (!args.json) {
    print_videos(measured);
    return;
  }
  for (const MeasuredVideo& video : measured) say_json(to_json(video));
  if (measured.size() > 1) say_json(nlohmann::json{{"mean", to_json(mean_video(measured))}});
}

// What the options need of one another, before anything is opened.
void check_measure(const WorldMeasureArgs& args) {
  if (args.videos.empty() && args.manifest.empty())
    misused("no videos given; pass a video, a folder of PNG files, or --manifest FILE");
}

constexpr const char* kMeasureFooter =
    "Examples:\n"
    "  sgf world measure world.mp4\n"
    "  sgf world measure --manifest videos/manifest.json --json\n\n"
    "A frame is valid if every object of the caption is present in its colour and shape and in a size that the world "
    "has, "
    "there is no other object, and the background colour is nearest to the caption's colour and within 0.12 of it "
    "(Euclidean in RGB). An absent object has '-' for its errors and an identity error of 1. Identity, drift and "
    "re-render compare with the first 12 frames. Motion energy, motion and sharpness are ratios to true clips. The row "
    "'true clips' holds the scores of true clips with the same caption. Each thread measures whole videos, so the "
    "scores do not depend on --threads.";

void add_measure(CLI::App& world) {
  auto args = std::make_shared<WorldMeasureArgs>();
  CLI::App* command =
      world.add_subcommand("measure", "Score videos against the objects and colours that their captions name");
  command->add_option("videos", args->videos, "video files or folders of PNG files (default: all of --manifest)")
      ->type_name("PATH");
  CLI::Option* prompt = command
                            ->add_option("--prompt", args->prompt,
                                         "caption of all videos (default: the prompt in the metadata of each video)")
                            ->type_name("TEXT")
                            ->check(has_words());
  command->add_option("--manifest", args->manifest, "manifest.json that lists videos and captions")
      ->type_name("FILE")
      ->excludes(prompt);
  command
      ->add_option("--preset", args->preset,
                   "world of the videos (default: that of the manifest, else by the number of objects in the caption)")
      ->check(CLI::IsMember(world_preset_names()));
  command->add_option("--segments", args->segments, "number of equal parts in time to score")
      ->capture_default_str()
      ->check(positive_number());
  add_threads(*command, args->threads, kThreadPerFile);
  command->add_flag("--json", args->json, "results as JSON, one object per video, then the mean");
  command->footer(kMeasureFooter);
  command->callback([args] {
    check_measure(*args);
    run_measure(*args);
  });
}

}  // namespace

void add_world(CLI::App& app) {
  CLI::App* world = app.add_subcommand("world", "Use the built-in world: render clips, measure videos");
  world->footer("Example:\n  sgf world render --out clips --clips 8");
  world->require_subcommand(1);
  add_render(*world);
  add_measure(*world);
}

}  // namespace sgf

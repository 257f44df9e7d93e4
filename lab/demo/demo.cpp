#include "lab/demo/demo.h"

#include "lab/demo/demo_commands.h"
#include "lab/demo/demo_folder.h"
#include "lab/demo/demo_pictures.h"
#include "lab/demo/long_videos.h"
#include "sgf/assembly/shipped_model.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/files/mapped_file.h"
#include "sgf/report/html_page.h"
#include "sgf/runs/metrics_log.h"
#include "sgf/training/build_stage.h"
#include "sgf/training/run/train_run.h"
#include "sgf/training/update_schedule.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <array>
#include <future>
#include <vector>

namespace sgf {
namespace {

// The matched pair that the demo trains: two runs from the same student that differ only in the gradient boundary.
struct LivePairOrder {
  Config config;
  std::filesystem::path out;  // holds the run folders, named by live_run_names()
  ProgressMode progress = ProgressMode::kLog;
  ProgressOutput output = {};
  std::function<void(const std::string&)> say;
};

struct LiveRun {
  const char* name;
  const char* words;
  const char* folder;
  GradientBoundary boundary;
};

constexpr std::array kLiveRuns{
    LiveRun{"SF", "Self Forcing", "self_forcing", GradientBoundary::kFrozenContext},
    LiveRun{"SGF", "Self Gradient Forcing", "self_gradient_forcing", GradientBoundary::kOpenContext},
};

DemoArm train_live(const LivePairOrder& order, const LiveRun& run) {
  Config config = order.config;
  config.name = run.folder;
  config.dmd.boundary = run.boundary;
  const std::filesystem::path folder = order.out / run.folder;
  order.say(fmt::format("  {}: {} updates at batch {}", run.words, config.train.steps, config.train.global_batch));
  const TrainResult result = run_training(
      {.config = config, .out = folder, .facts = {{"demo", true}}, .progress = order.progress, .output = order.output});
  SGF_CHECK(result.end == TrainEnd::kDone, "the demo's {} run ended after update {}: {}", run.words, result.steps_done,
            result.reason);
  return {run.name, read_metrics(folder / "metrics.jsonl").rows};
}

// Folders of the two runs, SF's first.
std::vector<std::string> live_run_names() { return {kLiveRuns[0].folder, kLiveRuns[1].folder}; }

// The metrics of each run, SF's first. Throws Error if a run stops early.
std::vector<DemoArm> train_live_pair(const LivePairOrder& order) {
  std::vector<DemoArm> arms;
  for (const LiveRun& run : kLiveRuns) arms.push_back(train_live(order, run));
  return arms;
}

namespace fs = std::filesystem;

struct DemoStudent {
  const char* name;    // on the page
  const char* folder;  // of its model
};
constexpr std::array kDemoStudents{DemoStudent{"student", "student"}, DemoStudent{"SF", "sf"},
                                   DemoStudent{"SGF", "sgf"}};
constexpr const char* kTrueClips = "true clips";
constexpr size_t kPicturePrompts = 2;  // in the picture for a README

// All are streamed by one config: a model that was trained with another would be shown at its worst.
void check_fits(const fs::path& model, const Config& config) {
  const fs::path file = model / "config.yaml";
  const Config own = parse_config(MappedFile::open(file)->text(), file.string());
  SGF_CHECK(
      own.model == config.model && own.context == config.context && own.schedule == config.schedule,
      "{}: has another network, window or schedule than the demo's models; sgf generate --model {} streams it as its "
      "config says",
      file.string(), model.string());
}

// The demo's config with the bundled models; a model that is not there is an Error.
Config config_with_models(const DemoSettings& settings) {
  for (const char* role : {"teacher", "student", "sf", "sgf"}) {
    const fs::path model = settings.models / role;
    SGF_CHECK(
        is_shipped_model(model),
        "{}: holds no model (model.safetensors and config.yaml); --models names a folder with teacher, student, sf "
        "and sgf",
        model.string());
    check_fits(model, settings.config);
  }
  Config config = settings.config;
  config.train.start_from = (settings.models / "student").string();
  config.dmd.teacher = (settings.models / "teacher").string();
  return config;
}

BoundaryGap compare_boundaries(const Config& config, c10::Device device, const DemoSettings& settings) {
  settings.say("1 of 4: one rollout, both gradients");
  const BoundaryGap gap = boundary_gap(build_dmd_parts(config, build_conditioning(config, device), device), 0);
  settings.say(
      fmt::format("  the same loss, {:.6f} and {:.6f}; gradient norm {:.4f} with SF, {:.4f} with SGF, of which "
                  "{:.4f} came through the cache",
                  gap.loss_frozen, gap.loss_open, gap.norm_frozen, gap.norm_open, gap.context_norm));
  return gap;
}

void train_pair(DemoContents& contents, const Config& config, const DemoSettings& settings) {
  settings.say("2 of 4: a short matched pair, trained from the bundled student");
  contents.steps = config.train.steps;
  contents.batch = config.train.global_batch;
  contents.generator_updates = update_schedule(config.dmd).counts_after(config.train.steps).generator;
  contents.arms = train_live_pair({.config = config,
                                   .out = settings.out,
                                   .progress = settings.progress,
                                   .output = settings.output,
                                   .say = settings.say});
}

// [contestant]: [prompts, F, 3, H, W], in the order of the contents' contestants, which it adds.
std::vector<at::Tensor> make_videos(DemoContents& contents, const LongVideos& videos, const DemoSettings& settings) {
  settings.say(fmt::format("3 of 4: {} videos of {} frames from each student, {} times the training length",
                           videos.prompts().size(), contents.frames, contents.frames / contents.train_frames));
  std::vector<at::Tensor> all;
  const auto take = [&](const char* name, const at::Tensor& made) {
    contents.contestants.push_back({name, videos.measure_all(made, settings.measuring)});
    all.push_back(made);
  };
  for (const DemoStudent& student : kDemoStudents) {
    settings.say(fmt::format("  {}", student.name));
    take(student.name,
         videos.of_student((settings.models / student.folder).string(), settings.progress, settings.output));
  }
  settings.say(fmt::format("  {}", kTrueClips));
  take(kTrueClips, videos.of_world());
  return all;
}

SideBySide side_by_side(const DemoContents& contents, const std::vector<at::Tensor>& all, const std::string& prompt,
                        size_t number, double fps) {
  SideBySide side{.prompt = prompt, .names = {}, .videos = {}, .train_frames = contents.train_frames, .fps = fps};
  for (size_t i = 0; i < all.size(); ++i) {
    side.names.push_back(contents.contestants[i].name);
    side.videos.push_back(all[i][static_cast<int64_t>(number)].clamp(0, 1));
  }
  return side;
}

// SF and SGF alone too, for those who want to compare them. Encoders of small pictures have one thread each.
std::vector<std::future<void>> write_each_alone(const DemoFolder& folder, const SideBySide& side, size_t number) {
  std::vector<std::future<void>> files;
  for (size_t i = 1; i < kDemoStudents.size(); ++i)
    files.push_back(std::async(std::launch::async, [&side, i, path = folder.video(kDemoStudents[i].folder, number)] {
      write_alone(path, side.videos[i], side.fps);
    }));
  return files;
}

// The files of one prompt.
DemoVideo write_prompt(const DemoFolder& folder, const SideBySide& side, const RgbImage& moments, size_t number,
                       bool writes_videos) {
  DemoVideo video{.prompt = side.prompt, .mp4 = {}, .png = encode_png(moments), .marks = {}};
  write_png(folder.strip(number), moments);
  if (!writes_videos) return video;
  std::vector<std::future<void>> alone = write_each_alone(folder, side, number);
  const fs::path together = folder.video("together", number);
  if (write_together(together, side)) video.mp4 = MappedFile::open(together)->text();
  for (std::future<void>& file : alone) file.get();
  return video;
}

void write_pictures(DemoContents& contents, const DemoFolder& folder, const LongVideos& videos,
                    const std::vector<at::Tensor>& all, const DemoSettings& settings) {
  settings.say("4 of 4: video files and the page");
  std::vector<RgbImage> shown;
  for (size_t i = 0; i < videos.prompts().size(); ++i) {
    const SideBySide side = side_by_side(contents, all, videos.prompts()[i], i, settings.config.video.fps);
    const RgbImage moments = draw_moments(side);
    contents.videos.push_back(write_prompt(folder, side, moments, i, settings.writes_videos));
    for (size_t k = 0; k < side.names.size(); ++k)
      contents.videos.back().marks.push_back({side.names[k], videos.mark_frames(side.videos[k], i)});
    if (i < kPicturePrompts) shown.push_back(moments);
  }
  write_png(folder.picture(), stack_images(shown));
}

}  // namespace

DemoResult run_demo(const DemoSettings& settings) {
  const Config config = config_with_models(settings);
  if (config.run.threads > 0) at::set_num_threads(static_cast<int>(config.run.threads));
  const c10::Device device = device_of(config.run.device);
  const LongVideos videos(config, settings.frames, settings.prompts, device);
  const DemoFolder folder(settings.out, live_run_names());

  DemoResult result{
      .contents = {.train_frames = config.video.frames, .frames = settings.frames, .fps = config.video.fps},
      .page = folder.page()};
  DemoContents& contents = result.contents;
  contents.gap = compare_boundaries(config, device, settings);
  train_pair(contents, config, settings);
  write_pictures(contents, folder, videos, make_videos(contents, videos, settings), settings);
  contents.commands = next_commands({.models = settings.models,
                                     .out = settings.out,
                                     .trained = live_run_names().back(),
                                     .steps = config.train.steps,
                                     .world = config.data.world,
                                     .has_videos = settings.writes_videos},
                                    videos.prompts().front());
  save_page(result.page, write_demo_page(contents));
  return result;
}

}  // namespace sgf

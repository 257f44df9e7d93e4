#include "sgf/evaluation/demo.h"

#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/data/picture_strip.h"
#include "sgf/data/world_caption.h"
#include "sgf/data/world_codec.h"
#include "sgf/data/world_render.h"
#include "sgf/evaluation/demo_page.h"
#include "sgf/evaluation/long_rollout.h"
#include "sgf/training/build_stage.h"
#include "sgf/training/metrics_log.h"
#include "sgf/training/stage_files.h"

#include <ATen/ATen.h>

#include <fstream>
#include <iterator>

namespace sgf {
namespace {

namespace fs = std::filesystem;

struct Contestant {
  std::string name;
  at::Tensor videos;  // [prompts, F, 3, H, W] in [0, 1]
};

struct ArmSpec {
  std::string name;
  std::string folder;
  BoundaryChoice boundary;
};

const std::vector<ArmSpec> kArms{{"Self Forcing", "self_forcing", BoundaryChoice::kFrozen},
                                 {"Self Gradient Forcing", "self_gradient_forcing", BoundaryChoice::kOpen}};

DemoArm train_arm(const DemoSettings& settings, const ArmSpec& arm) {
  Config config = settings.config;
  config.name = arm.folder;
  config.dmd.boundary = arm.boundary;
  const fs::path folder = settings.out / arm.folder;
  run_training({.config = config, .out = folder, .facts = {{"demo", true}}, .progress = settings.progress});
  return {arm.name, read_metrics(folder / "metrics.jsonl").rows};
}

// A true clip with each caption, for the strips and the table's last row.
at::Tensor true_videos(const WorldPreset& world, const std::vector<std::string>& prompts, int64_t frames) {
  constexpr uint64_t kTruthSeed = 77;
  std::vector<ClipSpan> spans;
  for (size_t i = 0; i < prompts.size(); ++i)
    spans.push_back({draw_scene(world, kTruthSeed, static_cast<int64_t>(i), parse_caption(prompts[i])), {0, frames}});
  return render(world, spans);
}

DemoRow measured(const Contestant& contestant, const WorldPreset& world, const std::vector<std::string>& prompts) {
  std::vector<SegmentScore> first, last;
  for (size_t i = 0; i < prompts.size(); ++i) {
    const WorldScore score = measure(contestant.videos[static_cast<int64_t>(i)], parse_caption(prompts[i]), world);
    first.push_back(score.segments.front());
    last.push_back(score.segments.back());
  }
  return {contestant.name, mean_score(first), mean_score(last)};
}

// A picture a prompt: a row a contestant.
std::vector<ReportStrip> strips_of(const std::vector<Contestant>& contestants, const std::vector<std::string>& prompts,
                                   const fs::path& folder) {
  constexpr int64_t kColumns = 12, kScale = 4;
  std::vector<ReportStrip> strips;
  fs::create_directories(folder);
  for (size_t i = 0; i < prompts.size(); ++i) {
    std::vector<at::Tensor> rows;
    std::string names;
    for (const Contestant& contestant : contestants) {
      rows.push_back(contestant.videos[static_cast<int64_t>(i)].clamp(0, 1));
      names += (names.empty() ? "" : ", ") + contestant.name;
    }
    const fs::path path = folder / fmt::format("{}.png", i);
    write_png(path, strip_of_videos(rows, kColumns, kScale));
    std::ifstream file(path, std::ios::binary);
    strips.push_back({fmt::format("{} (rows: {})", prompts[i], names), {std::istreambuf_iterator<char>(file), {}}});
  }
  return strips;
}

// Only what an earlier demo left is taken away.
void clear_earlier_demo(const fs::path& out) {
  for (const ArmSpec& arm : kArms) fs::remove_all(out / arm.folder);
  fs::create_directories(out);
}

}  // namespace

DemoResult run_demo(const DemoSettings& settings) {
  const Config& config = settings.config;
  const c10::Device device = device_from_name(enum_name(config.run.device));
  const StageSurroundings around = build_surroundings(config, device);
  const WorldPreset world = world_preset(config.data.world);
  clear_earlier_demo(settings.out);

  DemoResult result;
  settings.say("One rollout, both boundaries:");
  result.gap = boundary_gap(build_dmd_parts(config, around, device), 0);
  settings.say(
      fmt::format("  loss {:.6f} and {:.6f}, gradient norm {:.4f} frozen and {:.4f} open; through the context "
                  "{:.4f}, cosine {:+.3f}; Pass 2 is {:.1e} from Pass 1",
                  result.gap.loss_frozen, result.gap.loss_open, result.gap.norm_frozen, result.gap.norm_open,
                  result.gap.context_norm, result.gap.cosine, result.gap.recovery_relative_l2));

  std::vector<DemoArm> arms;
  std::vector<Contestant> contestants;
  const auto roll = [&](const std::string& name, const std::string& weights) {
    settings.say(fmt::format("{}: {} frames of {} prompts", name, settings.rollout_frames, settings.prompts.size()));
    const at::Tensor latents =
        long_rollout(config, weights, around.text->encode(settings.prompts), settings.rollout_frames, device);
    contestants.push_back({name, around.codec->decode(latents).to(at::kCPU)});
  };
  for (const ArmSpec& arm : kArms) {
    settings.say(fmt::format("{}: {} steps of training", arm.name, config.train.steps));
    arms.push_back(train_arm(settings, arm));
  }
  roll("the student they start from", config.train.start_from);
  for (const ArmSpec& arm : kArms) roll(arm.name, (settings.out / arm.folder).string());
  contestants.push_back({"true clips", true_videos(world, settings.prompts, settings.rollout_frames)});

  for (const Contestant& contestant : contestants) result.rows.push_back(measured(contestant, world, settings.prompts));
  result.page = settings.out / "demo.html";
  const auto strips = strips_of(contestants, settings.prompts, settings.out / "strips");
  save_page(result.page, write_demo_page(result, arms, strips, settings.rollout_frames));
  return result;
}

}  // namespace sgf

#include "lab/study/evaluate_arm.h"

#include "lab/study/arm_file.h"
#include "lab/study/arm_pictures.h"
#include "lab/study/gradient_probe.h"
#include "lab/study/segment_scores.h"
#include "lab/study/train_arm.h"
#include "sgf/assembly/networks_from_config.h"
#include "sgf/assembly/start_file.h"
#include "sgf/core/error.h"
#include "sgf/diagnosis/diagnosis_setup.h"
#include "sgf/diagnosis/recovery_per_exit.h"
#include "sgf/files/sha256.h"
#include "sgf/files/tensor_file.h"
#include "sgf/world/codec.h"
#include "sgf/world/source.h"
#include "sgf/world/text.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>

namespace sgf {
namespace {

using Json = nlohmann::json;

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

Json recovery_json(const ExitRecovery& r) {
  return {{"exit", r.exit},
          {"timestep", r.timestep},
          {"rollouts", r.noises},
          {"relative_l2", r.report.relative_l2},
          {"cosine", r.report.cosine},
          {"max_abs", r.report.max_abs}};
}

Json probe_json(const LayerProbe& p) {
  return {{"layer", p.layer},
          {"frozen_norm", p.frozen_norm},
          {"context_norm", p.context_norm},
          {"ratio", p.ratio},
          {"cosine", p.cosine}};
}

class ArmEvaluator {
 public:
  explicit ArmEvaluator(const ArmEvaluation& e)
      : e_(e), config_(e.study.config_of(e.arm)), weights_(weights_of_arm(e.study, e.arm)) {}

  Json all() {
    const Stopwatch watch;
    Json json = arm_header(e_.study, e_.arm);
    json["build"] = e_.build;
    json["device"] = e_.device.str();
    if (!weights_.empty()) json["weights"] = {{"file", named_weights()}, {"sha256", sha256_of_file(weights_)}};
    if (e_.arm.is_trained()) json["training"] = training_facts(e_.study, e_.arm);
    json["scores"] = to_json(scores(e_.study.segments(e_.arm), ContextSplit{}, &json["strip"]));
    if (e_.arm.has_extras()) add_extras(json);
    json["seconds"] = watch.seconds();
    return json;
  }

 private:
  // The output of training is beside ARM.json, also after the folder was moved.
  std::string named_weights() const { return (e_.arm.is_trained() ? weights_.filename() : weights_).string(); }

  ScoreTable scores(const std::vector<int64_t>& lengths, ContextSplit split, Json* strip) {
    const Stopwatch watch;
    const StudyEvaluation& rules = e_.study.evaluation();
    const WatchedFrames watched(config_.video.frames, rules.window_frames, lengths);
    const ArmPictures pictures(
        {e_.study, e_.arm, config_, weights_.string(), e_.device, watched, split, [this] { stop_where_asked(); }});
    MeasuringPool pool({.world = world_preset(config_.data.world),
                        .captions = pictures.captions(),
                        .watched = watched,
                        .window_frames = rules.window_frames,
                        .threads = e_.threads,
                        .waiting = 2 * rules.batch});
    const int64_t prompts = e_.study.prompts(e_.arm.granularity);
    for (int64_t first = 0; first < prompts; first += rules.batch) {
      stop_where_asked();
      const at::Tensor videos = pictures.of(first, std::min(rules.batch, prompts - first));
      if (first == 0 && strip != nullptr) *strip = strip_png(videos.slice(0, 0, rules.strip_prompts), watched);
      pool.add(first, videos);
    }
    const double streamed = watch.seconds();
    ScoreTable table = pool.finish();
    e_.say(fmt::format("{}: {} videos of {} frames generated in {:.1f} s, measured after {:.1f} s", e_.arm.id(),
                       prompts, watched.video_frames(), streamed, watch.seconds()));
    return table;
  }

  void stop_where_asked() const {
    if (e_.should_stop && e_.should_stop()) throw ArmStopped{};
  }

  void add_extras(Json& json) {
    for (const int64_t sink : e_.study.settings(e_.arm.granularity).sinks) {
      const ScoreTable table = scores({e_.study.evaluation().sink_horizon}, ContextSplit{.sink = sink}, nullptr);
      json["sinks"].push_back({{"sink", sink}, {"scores", to_json(table)}});
    }
    add_recovery(json);
    if (e_.arm.is_trained()) add_probe(json);
  }

  void add_recovery(Json& json) {
    if (e_.study.evaluation().recovery_rollouts == 0) return;
    const DiagnosisSetup run(config_, weights_.string(), e_.device);
    const RecoverySettings setting{.dit = run.dit(),
                                   .rollout = run.rollout(),
                                   .noise = [&](int64_t number) { return run.noise(number, 1); },
                                   .text = [&](int64_t number) { return run.text(number, 1); },
                                   .noises = e_.study.evaluation().recovery_rollouts,
                                   .on_record = {}};
    for (size_t exit = 1; exit <= setting.rollout.timesteps.size(); ++exit)
      json["recovery"].push_back(recovery_json(measure_recovery(setting, static_cast<int64_t>(exit))));
  }

  // Uses the run's last weights and critic, on updates that it did not make.
  void add_probe(Json& json) {
    if (e_.study.evaluation().probe_updates == 0) return;
    const std::filesystem::path state = last_state_of(e_.study, e_.arm);
    if (state.empty()) {
      json["probe_left_out"] = "the run's last checkpoint was removed";
      return;
    }
    Config config = config_;
    config.train.start_from = (state / "generator.safetensors").string();
    config.dmd.critic = (state / "critic.safetensors").string();
    const Conditioning around = build_conditioning(config, e_.device);
    const DmdParts parts = build_dmd_parts(config, around, e_.device);
    for (const LayerProbe& probe :
         probe_context_gradient(parts, config.train.steps, e_.study.evaluation().probe_updates))
      json["probe"].push_back(probe_json(probe));
  }

  const ArmEvaluation& e_;
  Config config_;
  std::filesystem::path weights_;
};

}  // namespace

nlohmann::json evaluate_arm(const ArmEvaluation& evaluation) {
  const int64_t threads = evaluation.study.config_of(evaluation.arm).run.threads;
  if (threads > 0) at::set_num_threads(static_cast<int>(threads));  // as training does
  return ArmEvaluator(evaluation).all();
}

}  // namespace sgf

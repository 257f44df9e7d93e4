// The settings of a run: one struct per section. Each lies in the room that it configures, with its description; those
// of no single room are here. Defaults are the tiny preset. A new section needs a struct, its `describe`, and a line in
// Config and in Config's `describe`.
#pragma once

#include "sgf/context/context_settings.h"
#include "sgf/core/compute_dtype.h"
#include "sgf/core/device_kind.h"
#include "sgf/core/enum_names.h"
#include "sgf/dataset/data_settings.h"
#include "sgf/kernels/attention_backend.h"
#include "sgf/model/dit_config.h"
#include "sgf/schedule/schedule_settings.h"
#include "sgf/training/settings/optimiser_settings.h"
#include "sgf/training/settings/train_settings.h"

#include <array>
#include <cstdint>
#include <string>

namespace sgf {

// Size of the latent video. The codec sets the pixels per latent pixel and side: 8 for Wan, 2 or 4 for the worlds.
struct VideoSettings {
  int64_t frames = 21;
  int64_t height = 8;
  int64_t width = 8;
  double fps = 16;

  bool operator==(const VideoSettings&) const = default;
};

template <class V>
void describe(V& v, VideoSettings& s) {
  v.field("frames", s.frames, "length in latent frames, at least 1");
  v.field("height", s.height, "height of a latent frame in latent pixels, at least 1 (Wan: pixels / 8)");
  v.field("width", s.width, "width of a latent frame in latent pixels, at least 1 (Wan: pixels / 8)");
  v.field("fps", s.fps, "frames per second when played, above 0");
}

// Device, precision and seed.
struct RunSettings {
  DeviceKind device = DeviceKind::kAuto;
  ComputeDtype dtype = ComputeDtype::kFloat32;
  AttentionBackend attention = AttentionBackend::kAuto;
  int64_t threads = 0;
  int64_t seed = 0;

  bool operator==(const RunSettings&) const = default;
};

template <class V>
void describe(V& v, RunSettings& r) {
  v.field("device", r.device, "device to compute on; auto = a GPU if there is one");
  v.field("dtype", r.dtype,
          "element type of the network's matrix products; norms, RoPE and softmax use at least float32");
  v.field("attention", r.attention, "attention implementation; auto = the fastest that fits");
  v.field("threads", r.threads, "CPU threads; 0 = chosen by sgf, from OMP_NUM_THREADS or by the size of the network");
  v.field("seed", r.seed, "random seed of all noise streams, 0 or more; 0 does not mean random");
}

struct Config {
  std::string name = "tiny";
  std::string description;
  DitConfig model = dit_preset("tiny");
  ContextSettings context;
  ScheduleSettings schedule;
  VideoSettings video;
  RunSettings run;
  std::string negative_prompt;
  TrainSettings train;
  OptimiserSettings optimiser;
  OptimiserSettings critic_optimiser{.learning_rate = 4e-7};
  DmdChoices dmd;
  DistilSettings distil;
  DataSettings data;
  OutputSettings output;

  bool operator==(const Config&) const = default;
};

template <class V>
void describe(V& v, Config& c) {
  v.field("name", c.name, "name of the config in reports and of its run folder");
  v.field("description", c.description, "one-line description");
  v.field("model", c.model, "shape of the network");
  v.field("context", c.context, "history visible to a block");
  v.field("schedule", c.schedule, "noise levels");
  v.field("video", c.video, "size of the latent video");
  v.field("run", c.run, "device, precision and seed");
  v.field("negative_prompt", c.negative_prompt, "negative prompt of guidance");
  v.field("train", c.train, "stage, length and batch of the training");
  v.field("optimiser", c.optimiser, "optimiser of the trained network; in dmd of the generator");
  v.field("critic_optimiser", c.critic_optimiser, "optimiser of the critic in dmd");
  v.field("dmd", c.dmd, "Self Forcing and Self Gradient Forcing");
  v.field("distil", c.distil, "consistency distillation");
  v.field("data", c.data, "clips and prompts");
  v.field("output", c.output, "checkpoints, samples and reports of a run");
}

}  // namespace sgf

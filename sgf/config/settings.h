// The settings of a run: one struct per section, each described beside it. Defaults are the tiny preset. A new section
// needs a struct, its `describe`, and a line in Config and in Config's `describe`.
#pragma once

#include <cstdint>
#include <string>

#include "sgf/config/train_config.h"
#include "sgf/context/context_settings.h"
#include "sgf/core/compute_dtype.h"
#include "sgf/core/device_kind.h"
#include "sgf/kernels/attention_backend.h"
#include "sgf/model/dit_config.h"
#include "sgf/schedule/schedule_settings.h"

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
  v.field("frames", s.frames, "latent frames, not pixel frames");
  v.field("height", s.height, "latent rows");
  v.field("width", s.width, "latent columns");
  v.field("fps", s.fps, "pixel frames a second when played");
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
  v.field("device", r.device, "where tensors live; auto takes a GPU if there is one");
  v.field("dtype", r.dtype, "of the network's products; norms, RoPE and softmax are never narrower than float32");
  v.field("attention", r.attention, "attention implementation; auto takes the fastest that fits");
  v.field("threads", r.threads, "CPU threads, 0 = all");
  v.field("seed", r.seed, "of every noise stream; 0 is a seed like any other");
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
  v.field("name", c.name, "what this config is called in reports");
  v.field("description", c.description, "a line for people");
  v.field("model", c.model, "shape of the network");
  v.field("context", c.context, "which history a block sees");
  v.field("schedule", c.schedule, "noise levels");
  v.field("video", c.video, "size of the latent video");
  v.field("run", c.run, "device, precision, seed");
  v.field("negative_prompt", c.negative_prompt, "what guidance steers away from");
  v.field("train", c.train, "which stage, how long, on how much");
  v.field("optimiser", c.optimiser, "of the trained network: the generator in dmd");
  v.field("critic_optimiser", c.critic_optimiser, "of dmd's critic");
  v.field("dmd", c.dmd, "Self (Gradient) Forcing");
  v.field("distil", c.distil, "consistency distillation");
  v.field("data", c.data, "clips and prompts");
  v.field("output", c.output, "what a run leaves in its folder");
}

}  // namespace sgf

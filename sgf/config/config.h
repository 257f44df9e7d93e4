// The settings of a run: plain structs whose defaults are the tiny preset, each with its description beside it.
// A new section is a struct, its `describe`, and a line in Config and in Config's.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sgf/config/config_schema.h"
#include "sgf/config/flat_config.h"
#include "sgf/config/train_config.h"
#include "sgf/core/enum_names.h"

namespace sgf {

// The Wan DiT's shape.
struct ModelSettings {
  int64_t dim = 96;
  int64_t ffn_dim = 160;
  int64_t freq_dim = 64;
  int64_t text_dim = 48;
  int64_t text_len = 16;
  int64_t num_heads = 4;
  int64_t num_layers = 3;
  int64_t in_dim = 4;
  int64_t out_dim = 4;
  std::array<int64_t, 3> patch_size = {1, 2, 2};
  double eps = 1e-6;

  bool operator==(const ModelSettings&) const = default;
};

template <class V>
void describe(V& v, ModelSettings& m) {
  v.field("dim", m.dim, "width of the residual stream");
  v.field("ffn_dim", m.ffn_dim, "width inside the feed-forward layers");
  v.field("freq_dim", m.freq_dim, "width of the timestep sinusoid");
  v.field("text_dim", m.text_dim, "width of the text encoder's output");
  v.field("text_len", m.text_len, "rows of text a prompt is padded to");
  v.field("num_heads", m.num_heads, "attention heads; must divide dim");
  v.field("num_layers", m.num_layers, "transformer blocks");
  v.field("in_dim", m.in_dim, "latent channels read");
  v.field("out_dim", m.out_dim, "latent channels predicted");
  v.field("patch_size", m.patch_size, "latent frames, rows and columns of a token");
  v.field("eps", m.eps, "added inside the norms");
}

// Where the frames that a block sees stand in RoPE time.
enum class PositionChoice {
  kAbsolute,    // at their own frame number, as in training
  kContiguous,  // 0..n-1 in the order they are seen
  kTopAligned,  // sink at 0, the rest up to the last trained position
};

constexpr auto enum_names(PositionChoice) {
  return std::array{EnumName{PositionChoice::kAbsolute, "absolute"},
                    EnumName{PositionChoice::kContiguous, "contiguous"},
                    EnumName{PositionChoice::kTopAligned, "top_aligned"}};
}

// Which history a block sees, in latent frames.
struct ContextSettings {
  int64_t sink_frames = 4;
  int64_t fifo_frames = 16;
  int64_t block_frames = 1;
  std::optional<int64_t> first_block_frames;
  PositionChoice positions = PositionChoice::kAbsolute;
  int64_t train_frames = 21;

  bool operator==(const ContextSettings&) const = default;
};

template <class V>
void describe(V& v, ContextSettings& c) {
  v.field("sink_frames", c.sink_frames, "first frames that stay visible forever");
  v.field("fifo_frames", c.fifo_frames, "frames before the block that roll; neither the sink nor the block counts");
  v.field("block_frames", c.block_frames, "frames denoised together: 1 frame-wise, 3 chunk-wise");
  v.field("first_block_frames", c.first_block_frames, "size of the first block where it differs");
  v.field("positions", c.positions, "RoPE positions while streaming; training always uses absolute");
  v.field("train_frames", c.train_frames, "RoPE positions seen in training, which top_aligned never leaves");
}

// How sigma is found for a timestep.
enum class SigmaChoice {
  kExact,         // t / 1000
  kNearestTable,  // the nearest of table_size entries, as the public code does; never 0
};

constexpr auto enum_names(SigmaChoice) {
  return std::array{EnumName{SigmaChoice::kExact, "exact"}, EnumName{SigmaChoice::kNearestTable, "nearest_table"}};
}

struct ScheduleSettings {
  double shift = 5;
  int64_t table_size = 1000;
  std::vector<double> denoising_steps = {1000, 750, 500, 250};
  bool warp_denoising_steps = true;
  SigmaChoice sigma_lookup = SigmaChoice::kExact;

  bool operator==(const ScheduleSettings&) const = default;
};

template <class V>
void describe(V& v, ScheduleSettings& s) {
  v.field("shift", s.shift, "s of sigma = s b / (1 + (s - 1) b)");
  v.field("table_size", s.table_size, "entries of the schedule's table");
  v.field("denoising_steps", s.denoising_steps, "timesteps of a block, from noise to clean, in (0, 1000]");
  v.field("warp_denoising_steps", s.warp_denoising_steps, "pass the steps through the shift before use");
  v.field("sigma_lookup", s.sigma_lookup, "sigma of a timestep: t / 1000, or the nearest table entry");
}

// The latent video; the codec says how many pixels a latent pixel is (8 a side in Wan's, 2 or 4 in the worlds').
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

enum class DeviceChoice { kAuto, kCpu, kCuda };
enum class DtypeChoice { kFloat64, kFloat32, kBFloat16 };
enum class AttentionChoice { kAuto, kCudnn, kFlash, kMath };

constexpr auto enum_names(DeviceChoice) {
  return std::array{EnumName{DeviceChoice::kAuto, "auto"}, EnumName{DeviceChoice::kCpu, "cpu"},
                    EnumName{DeviceChoice::kCuda, "cuda"}};
}
constexpr auto enum_names(DtypeChoice) {
  return std::array{EnumName{DtypeChoice::kFloat64, "float64"}, EnumName{DtypeChoice::kFloat32, "float32"},
                    EnumName{DtypeChoice::kBFloat16, "bfloat16"}};
}
constexpr auto enum_names(AttentionChoice) {
  return std::array{EnumName{AttentionChoice::kAuto, "auto"}, EnumName{AttentionChoice::kCudnn, "cudnn"},
                    EnumName{AttentionChoice::kFlash, "flash"}, EnumName{AttentionChoice::kMath, "math"}};
}

// On what and how the program computes.
struct RunSettings {
  DeviceChoice device = DeviceChoice::kAuto;
  DtypeChoice dtype = DtypeChoice::kFloat32;
  AttentionChoice attention = AttentionChoice::kAuto;
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
  ModelSettings model;
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

// A config, and what became of each key where the file was a flat, Self-Forcing-style one.
struct LoadedConfig {
  Config config;
  std::vector<FlatNote> flat_notes;
};
LoadedConfig load_config_with_notes(const std::filesystem::path& file_or_preset,
                                    const std::vector<std::string>& overrides,
                                    const std::vector<std::filesystem::path>& preset_folders);

// File or preset, its bases, then the overrides ("model.dim=96") in order; read, and validated.
Config load_config(const std::filesystem::path& file_or_preset, const std::vector<std::string>& overrides,
                   const std::vector<std::filesystem::path>& preset_folders);

// Refuses a name that would lead out of the folder that is named after it.
void check_name(std::string_view key, const std::string& name);

// A config without bases, as to_yaml writes it; `source` stands in messages. Not validated.
Config parse_config(std::string_view yaml, const std::string& source);

// The whole config; parse_config gives an equal one, whose to_yaml is the same bytes.
std::string to_yaml(const Config& config);

// The same settings as one JSON object, for programs.
std::string to_json(const Config& config);

// Refuses values out of range and settings that contradict each other, naming both keys.
void validate(const Config& config);

std::vector<KeyHelp> known_keys();

}  // namespace sgf

#include "sgf/streaming/choose_model.h"

#include "sgf/assembly/preset_folders.h"
#include "sgf/assembly/shipped_model.h"
#include "sgf/assembly/wan_survey.h"
#include "sgf/assembly/window_source.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/core/nearest_name.h"
#include "sgf/core/notice.h"
#include "sgf/core/shell_argument.h"
#include "sgf/files/bundled.h"
#include "sgf/runs/run_folder.h"
#include "sgf/weights/load_dit.h"
#include "sgf/weights/lora_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kShippedStudent = "sgf";  // the bundled model that a world's name selects

bool is_preset(const std::string& name) {
  const std::vector<std::string> names = preset_names();
  return std::ranges::find(names, name) != names.end();
}

// The preset of this network among some.
std::optional<std::string> preset_of(const DitConfig& network, const std::vector<const char*>& names) {
  for (const char* name : names) {
    if (!is_preset(name)) continue;
    DitConfig known = load_config(name, {}, preset_folders()).model;
    known.text_len = network.text_len;  // not visible in the weights
    if (known == network) return name;
  }
  return {};
}

// For all frames at once only size and schedule matter, which Wan's networks share.
std::optional<std::string> preset_without_window(const DitConfig& network) {
  if (const auto wan = preset_of(network, {"wan-1.3b", "wan-14b"})) return wan;
  return network.in_dim == 16 ? std::optional<std::string>("wan-1.3b") : std::nullopt;
}

std::string window_of(const Config& c) {
  return fmt::format("sink {} + FIFO {} + block {}", c.context.sink_frames, c.context.fifo_frames,
                     c.context.block_frames);
}

// The config of weights that come without one. Each world's network has a size of its own; Wan's networks have one
// size for every window, so that guessing would make poor videos without a word.
WindowSource source_of(const ModelArgs& args, const fs::path& path, const DitConfig& network) {
  if (const auto world = preset_of(network, {"world-tiny", "world-small"})) return {*world, "of its size"};
  SGF_CHECK(network.in_dim == 16,
            "{}: no preset has a network with {} latent channels; pass --config with its window and size",
            path.string(), network.in_dim);
  const bool needs_window = args.needs_window || is_many_step_release(path);  // the latter is sampled in blocks
  if (!needs_window) return {*preset_without_window(network), "of its size"};
  if (const std::optional<WindowSource> source = find_window_source(path)) {
    const Config found = load_config(source->config, {}, preset_folders());
    notice_once("window of " + path.string(), fmt::format("{}: streamed with {}, {}, because {}", path.string(),
                                                          source->config, window_of(found), source->reason));
    return *source;
  }
  throw ModelQuestion(path.string() +
                          ": does not say whether it is frame-wise or chunk-wise, nor its window; name a config, or "
                          "put the YAML file of its training beside it",
                      window_choices(network));
}

ChosenModel model_of(const std::string& source, const std::vector<std::string>& overrides, const fs::path& weights) {
  return {load_config(source, overrides, preset_folders()),
          weights.string(),
          {.adapter = load_flat_adapter(source, preset_folders()), .config = source}};
}

// Networks of Wan and of each world differ by the channels of their latents: a config of the other kind has another
// VAE and other prompts.
void check_channels(const Config& config, const DitConfig& network, const fs::path& path) {
  SGF_CHECK(config.model.in_dim == network.in_dim,
            "{}: its network has {} latent channels, but the config {} is for {}{}; pass --config with a preset for "
            "such networks",
            path.string(), network.in_dim, config.name, config.model.in_dim,
            config.data.world.empty() ? "" : " of the built-in world " + config.data.world);
}

ChosenModel from_file(const ModelArgs& args, const fs::path& path) {
  const DitConfig network = read_dit_config(path);
  const WindowSource source = args.config.empty() ? source_of(args, path, network) : WindowSource{args.config, "asked"};
  std::vector<std::string> overrides = args.overrides;
  if (source.is_many_step) overrides.insert(overrides.begin(), "train.stage=teacher_forcing");
  ChosenModel chosen = model_of(source.config, overrides, path);
  Config& config = chosen.config;
  check_channels(config, network, path);
  const int64_t text_len = config.model.text_len;
  config.model = network;
  if (args.config.empty()) config.model.text_len = text_len;
  config = parse_config(to_yaml(config), path.string());
  return chosen;
}

[[noreturn]] void ask_for_student(const std::string& folder) {
  SGF_CHECK(fs::is_directory(folder), "{}: no such folder; --wan names a Wan folder, and --model the student to run",
            folder);
  const std::string wan = shell_argument(folder);
  throw ModelQuestion(
      fmt::format("{}: is a Wan folder, whose network is the many-step base model that denoises all frames at once; "
                  "streaming needs a causal few-step student",
                  folder),
      {fmt::format("sgf generate --model checkpoints/chunkwise/ar/model.pt --wan {} --prompt \"...\"   a student", wan),
       fmt::format(
           "sgf sample --model {} --solver unipc --mode at-once --prompt \"...\" --out samples   the base model",
           wan)});
}

// A run or a bundled model: with the window, schedule and size of its training, unless --config is given.
ChosenModel from_folder(const ModelArgs& args, const fs::path& folder) {
  const std::string config = args.config.empty() ? (folder / "config.yaml").string() : args.config;
  return model_of(config, args.overrides, folder);
}

// Weights in a bundled model's folder select the folder, since its config.yaml replaces a guess.
bool is_shipped_file(const fs::path& file) {
  return file.filename() == kShippedWeights && is_shipped_model(file.parent_path());
}

// The official name of a DiT, beside other parts of a Wan folder.
bool is_base_file(const fs::path& file) {
  return file.filename().string().starts_with("diffusion_pytorch_model") && has_base_model(file.parent_path());
}

// The run of a checkpoint or of a weight file in a checkpoint; empty for other paths.
fs::path run_around(const fs::path& model) {
  const fs::path named = fs::absolute(model).lexically_normal();
  const fs::path inner = named.has_filename() ? named : named.parent_path();
  const fs::path checkpoint = fs::is_directory(inner) ? inner : inner.parent_path();
  const fs::path run = checkpoint.parent_path().parent_path();
  return fs::exists(checkpoint / "state.json") && is_run_folder(run) ? run : fs::path();
}

ChosenModel from_preset(const ModelArgs& args) {
  const std::optional<fs::path> shipped = find_beside_presets(fs::path("models") / args.model / kShippedStudent);
  const bool has_weights = shipped && is_shipped_model(*shipped);
  SGF_CHECK(!has_weights || args.wan.empty(), "{} has its own text encoder and VAE; remove --wan {}", args.model,
            shell_argument(args.wan));
  if (!args.wan.empty()) ask_for_student(args.wan);
  SGF_CHECK(has_weights, "{} is a preset without bundled weights: pass --model FILE --config {} with a weight file",
            args.model, args.model);
  return from_folder(args, *shipped);
}

ChosenModel named_model(const ModelArgs& args) {
  if (args.model.empty() && !args.wan.empty()) ask_for_student(args.wan);
  const std::string model = find_bundled(args.model).string();
  SGF_CHECK(!model.empty(), "no model given: use --model world-small (bundled), or --model FILE for your own weights");
  if (is_run_folder(model)) return from_folder(args, model);  // a bundled model too: both have a config.yaml
  if (is_shipped_file(model)) return from_folder(args, fs::path(model).parent_path());
  if (const fs::path run = run_around(model); !run.empty()) {
    ChosenModel chosen = from_folder(args, run);
    chosen.weights = model;
    return chosen;
  }
  if (args.needs_window && has_base_model(model)) ask_for_student(model);
  if (args.needs_window && args.config.empty() && is_base_file(model)) ask_for_student(fs::path(model).parent_path());
  if (fs::exists(model)) return from_file(args, model);
  if (is_preset(model)) return from_preset(args);
  const std::optional<std::string> nearest = nearest_name(model, preset_names());
  fail("{}: no such file, folder or preset; {}", model,
       nearest ? fmt::format("did you mean {}?", *nearest)
               : "expected a weight file, a run folder or a bundled model, for example world-small");
}

void set_precision(Config& c, const ModelArgs& args) {
  const bool is_named = args.device != "auto" || !sets_key(args.overrides, "run.device");
  const c10::Device device = device_from_name(is_named ? args.device : enum_name(c.run.device));
  c.run.device = device.is_cpu() ? DeviceKind::kCpu : DeviceKind::kCuda;
  if (!args.dtype.empty())
    c.run.dtype = *enum_from_name<ComputeDtype>(args.dtype);
  else if (device.is_cpu() && !sets_key(args.overrides, "run.dtype"))
    c.run.dtype = ComputeDtype::kFloat32;  // the dtype in configs is the fast one on a GPU
}

}  // namespace

ChosenModel choose_model(const ModelArgs& args) {
  ChosenModel chosen = named_model(args);
  set_precision(chosen.config, args);
  return chosen;
}

}  // namespace sgf

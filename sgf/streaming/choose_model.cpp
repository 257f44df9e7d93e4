#include "sgf/streaming/choose_model.h"

#include "sgf/assembly/preset_folders.h"
#include "sgf/assembly/shipped_model.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/nearest_name.h"
#include "sgf/files/bundled.h"
#include "sgf/runs/run_folder.h"
#include "sgf/weights/load_dit.h"
#include "sgf/weights/wan_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWanPreset = "wan-1.3b-chunkwise";
constexpr const char* kShippedStudent = "sgf";  // the bundled model that a world's name selects

bool is_preset(const std::string& name) {
  const std::vector<std::string> names = preset_names();
  return std::ranges::find(names, name) != names.end();
}

// The preset with this network; its window and schedule are the best guess.
std::optional<std::string> preset_of(const DitConfig& network) {
  for (const char* name : {"world-tiny", "world-small", kWanPreset, "wan-14b"}) {
    if (!is_preset(name)) continue;
    DitConfig known = load_config(name, {}, preset_folders()).model;
    known.text_len = network.text_len;  // not visible in the weights
    if (known == network) return name;
  }
  if (network.in_dim == 16) return kWanPreset;  // Wan's latents with another network size
  return {};
}

ChosenModel from_file(const ModelArgs& args, const fs::path& path) {
  const DitConfig network = read_dit_config(path);
  const std::optional<std::string> guess = preset_of(network);
  SGF_CHECK(!args.config.empty() || guess,
            "{}: no preset has a network with {} latent channels; pass --config with its window and size",
            path.string(), network.in_dim);
  Config config = load_config(args.config.empty() ? *guess : args.config, args.overrides, preset_folders());
  const int64_t text_len = config.model.text_len;
  config.model = network;
  if (args.config.empty()) config.model.text_len = text_len;
  return {parse_config(to_yaml(config), path.string()), path.string()};
}

// A Wan folder that holds a network. Throws if it has only VAE and text encoder.
std::string wan_network(const std::string& folder) {
  WanFolder(folder).dit();
  return folder;
}

// A run or a bundled model: with the window, schedule and size of its training, unless --config is given.
ChosenModel from_folder(const ModelArgs& args, const fs::path& folder) {
  const std::string config = args.config.empty() ? (folder / "config.yaml").string() : args.config;
  return {load_config(config, args.overrides, preset_folders()), folder.string()};
}

// Weights in a bundled model's folder select the folder, since its config.yaml replaces a guess.
bool is_shipped_file(const fs::path& file) {
  return file.filename() == kShippedWeights && is_shipped_model(file.parent_path());
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
  SGF_CHECK(args.config.empty() || args.wan.empty(),
            "{} is a preset with its own settings for the network in {}: omit --config or --model", args.model,
            args.wan);
  if (!args.wan.empty()) return {load_config(args.model, args.overrides, preset_folders()), wan_network(args.wan)};
  const std::optional<fs::path> shipped = find_beside_presets(fs::path("models") / args.model / kShippedStudent);
  SGF_CHECK(shipped && is_shipped_model(*shipped),
            "{} is a preset without bundled weights: pass --model FILE --config {} for a weight file, or --wan DIR for "
            "a Wan folder",
            args.model, args.model);
  return from_folder(args, *shipped);
}

ChosenModel named_model(const ModelArgs& args) {
  const std::string model =
      args.model.empty() && !args.wan.empty() ? wan_network(args.wan) : find_bundled(args.model).string();
  SGF_CHECK(!model.empty(),
            "no model given: use --model world-small (bundled), or --model FILE or --wan DIR for your own weights");
  if (is_run_folder(model)) return from_folder(args, model);  // a bundled model too: both have a config.yaml
  if (is_shipped_file(model)) return from_folder(args, fs::path(model).parent_path());
  if (const fs::path run = run_around(model); !run.empty()) return {from_folder(args, run).config, model};
  if (fs::exists(model)) return from_file(args, model);
  if (is_preset(model)) return from_preset(args);
  const std::optional<std::string> nearest = nearest_name(model, preset_names());
  fail("{}: no such file, folder or preset{}", model, nearest ? fmt::format("; did you mean {}?", *nearest) : "");
}

bool is_set(const ModelArgs& args, const std::string& key) {
  return std::ranges::any_of(args.overrides, [&](const std::string& text) { return text.starts_with(key + "="); });
}

void set_precision(Config& c, const ModelArgs& args) {
  const bool is_named = args.device != "auto" || !is_set(args, "run.device");
  const c10::Device device = device_from_name(is_named ? args.device : enum_name(c.run.device));
  c.run.device = device.is_cpu() ? DeviceKind::kCpu : DeviceKind::kCuda;
  if (!args.dtype.empty())
    c.run.dtype = *enum_from_name<ComputeDtype>(args.dtype);
  else if (device.is_cpu() && !is_set(args, "run.dtype"))
    c.run.dtype = ComputeDtype::kFloat32;  // the dtype in configs is the fast one on a GPU
}

}  // namespace

ChosenModel choose_model(const ModelArgs& args) {
  ChosenModel chosen = named_model(args);
  set_precision(chosen.config, args);
  return chosen;
}

}  // namespace sgf

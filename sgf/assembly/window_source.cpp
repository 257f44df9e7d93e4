#include "sgf/assembly/window_source.h"

#include "sgf/assembly/preset_folders.h"
#include "sgf/config/config.h"
#include "sgf/config/config_tree.h"
#include "sgf/core/shell_argument.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/path_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMostConfigBytes = 1 << 20;

struct KnownPreset {
  const char* name;
  const char* what;
};

constexpr std::array kStreamingPresets{
    KnownPreset{"wan-1.3b-framewise", "Self Gradient Forcing, frame-wise"},
    KnownPreset{"wan-1.3b-chunkwise", "Self Gradient Forcing, chunk-wise"},
    KnownPreset{"self-forcing", "Self-Forcing"},
    KnownPreset{"longlive", "LongLive 1"},
    KnownPreset{"causal-forcing-chunkwise", "Causal-Forcing, chunk-wise"},
    KnownPreset{"causal-forcing-framewise", "Causal-Forcing, frame-wise"},
    KnownPreset{"wan-14b-chunkwise", "14B, chunk-wise"},
};

// The end of a path as a release has it. The starts are Causal-Forcing's; the authors' release has them below init/.
struct ReleasedFile {
  const char* ending;
  const char* preset;
  bool is_many_step = false;
};

constexpr std::array kReleasedFiles{
    ReleasedFile{"framewise/ar/model.pt", "wan-1.3b-framewise"},
    ReleasedFile{"chunkwise/ar/model.pt", "wan-1.3b-chunkwise"},
    ReleasedFile{"framewise/ar_diffusion.pt", "causal-forcing-framewise", true},
    ReleasedFile{"chunkwise/ar_diffusion.pt", "causal-forcing-chunkwise", true},
    ReleasedFile{"framewise/causal_cd.pt", "causal-forcing-framewise"},
    ReleasedFile{"chunkwise/causal_cd.pt", "causal-forcing-chunkwise"},
    ReleasedFile{"framewise/causal_ode.pt", "causal-forcing-framewise"},
    ReleasedFile{"chunkwise/causal_ode.pt", "causal-forcing-chunkwise"},
    ReleasedFile{"framewise/causal_forcing.pt", "causal-forcing-framewise"},
    ReleasedFile{"chunkwise/causal_forcing.pt", "causal-forcing-chunkwise"},
    ReleasedFile{"self_forcing_dmd.pt", "self-forcing"},
    ReleasedFile{"self_forcing_sid.pt", "self-forcing"},
    ReleasedFile{"longlive_base.pt", "longlive"},
};

bool is_yaml(const fs::path& path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

// Whether a YAML file is a config of ours or of the family; a folder of weights may hold other YAML files too.
// default_config.yaml is what the family's configs are merged over, and has no window.
bool is_config(const fs::path& file) {
  std::error_code ignored;
  if (file.filename() == "config.yaml") return true;
  if (file.stem() == "default_config" || fs::file_size(file, ignored) > kMostConfigBytes || ignored) return false;
  try {
    const auto mapped = MappedFile::open(file);
    const ConfigNode tree = parse_yaml(mapped->text(), {.source = file.string(), .line = 1, .column = 1});
    return tree.kind == ConfigNode::Kind::kMapping && (is_flat_config(tree) || tree.find("context") != nullptr);
  } catch (const Error&) {
    return false;
  }
}

std::vector<fs::path> configs_in(const fs::path& folder) {
  std::vector<fs::path> configs;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (is_yaml(it->path()) && is_file(it->path()) && is_config(it->path())) configs.push_back(it->path());
  }
  std::ranges::sort(configs);
  return configs;
}

fs::path folder_around(const fs::path& weights) {
  if (is_folder(weights)) return weights;
  return weights.has_parent_path() ? weights.parent_path() : fs::path(".");
}

bool ends_with_path(const fs::path& path, const fs::path& ending) {
  auto own = path.end();
  for (auto part = ending.end(); part != ending.begin();) {
    if (own == path.begin() || *--own != *--part) return false;
  }
  return true;
}

std::optional<WindowSource> place_in_release(const fs::path& path) {
  for (const ReleasedFile& file : kReleasedFiles)
    if (ends_with_path(path, file.ending))
      return WindowSource{file.preset, fmt::format("its path ends in {}, as in the release", file.ending),
                          file.is_many_step};
  return std::nullopt;
}

// A checkpoint of the authors' trainer, copied into a folder that says its granularity. Other file names below such a
// folder may be of Causal-Forcing, which has another window. Of several such folders the innermost counts.
std::optional<WindowSource> granularity_of(const fs::path& path) {
  if (path.stem() != "model") return std::nullopt;
  for (fs::path inner = path.parent_path(); inner.has_filename(); inner = inner.parent_path())
    for (const char* granularity : {"framewise", "chunkwise"})
      if (inner.filename() == granularity)
        return WindowSource{fmt::format("wan-1.3b-{}", granularity),
                            fmt::format("one of its folders is named {}", granularity)};
  return std::nullopt;
}

[[noreturn]] void ask_for_config(const fs::path& weights, const std::vector<fs::path>& configs,
                                 const std::optional<WindowSource>& folder) {
  std::vector<std::string> choices;
  for (const fs::path& config : configs) choices.push_back("--config " + shell_argument(config.string()));
  if (folder) choices.push_back(fmt::format("--config {}   {}", folder->config, folder->reason));
  throw ModelQuestion(
      fmt::format("{}: has {} configs beside it, each with a window of its own; name the one it was trained with",
                  weights.string(), configs.size()),
      std::move(choices));
}

}  // namespace

bool same_size(DitConfig a, const DitConfig& b) {
  a.text_len = b.text_len;
  return a == b;
}

std::optional<WindowSource> find_window_source(const fs::path& weights) {
  const std::vector<fs::path> configs = configs_in(folder_around(weights));
  if (configs.size() == 1) return WindowSource{configs.front().string(), "it is beside the weights"};
  // As it was given: what the folders above the working directory are called says nothing of the weights.
  const fs::path path = weights.lexically_normal();
  if (const auto place = place_in_release(path)) return place;
  const std::optional<WindowSource> folder = granularity_of(path);
  if (!configs.empty()) ask_for_config(weights, configs, folder);
  return folder;
}

bool is_many_step_release(const fs::path& weights) {
  const std::optional<WindowSource> place = place_in_release(weights.lexically_normal());
  return place && place->is_many_step;
}

std::vector<std::string> window_choices(const DitConfig& network) {
  std::vector<std::string> fitting, all;
  for (const KnownPreset& preset : kStreamingPresets) {
    const Config config = load_config(preset.name, {}, preset_folders());
    const std::string window = fmt::format("sink {} + FIFO {} + {}", config.context.sink_frames,
                                           config.context.fifo_frames, config.context.block_frames);
    all.push_back(fmt::format("--config {:<25} {:<22} {}", preset.name, window, preset.what));
    if (same_size(config.model, network)) fitting.push_back(all.back());
  }
  return fitting.empty() ? all : fitting;
}

}  // namespace sgf

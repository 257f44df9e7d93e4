// The weight files and the clips, pairs or prompts of a run. They are stored in its facts, so that a resumed run uses
// the same ones even if a teacher's folder has changed. Torch-free.
#pragma once

#include "sgf/config/config.h"
#include "sgf/weights/weight_names.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct StartSource {
  // "train.start_from", "dmd.teacher", "dmd.critic", "distil.teacher", "data.clips", "data.pairs" or "data.prompts"
  std::string key;
  std::string given;  // as in the config: often a run folder
  std::filesystem::path file;
  std::optional<int64_t> step;  // of its checkpoint
  std::string identity;
  std::string role;  // outer key of the network that is used, as "generator"; "" without outer keys, and for data
};

// The current clips, pairs or prompts of the config's stage.
std::vector<StartSource> data_sources(const Config& config);

nlohmann::json to_json(const std::vector<StartSource>& sources);

// From the last start in facts.json that lists them; empty if the file or the list is missing.
std::vector<StartSource> read_start_sources(const std::filesystem::path& facts_file);

// The weight files of the config's run. A `recorded` file is used again while it exists. Throws if the teacher, clips,
// pairs or prompts differ from the recorded ones. If a checkpoint holds generator and critic, other files for these
// only give a notice. `say` also hears which network of a file with several is used.
std::vector<StartSource> choose_start_sources(const Config& config, const std::vector<StartSource>& recorded,
                                              bool has_checkpoint, const std::function<void(const std::string&)>& say);

// Which network of a file each setting uses.
WeightPurpose purpose_of_source(std::string_view key);

// The config with these files instead of their folders.
Config with_start_sources(Config config, const std::vector<StartSource>& sources);

}  // namespace sgf

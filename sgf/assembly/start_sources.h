// Which weight files a run took its networks from, and which clips, pairs or prompts it learns: kept in its facts, so
// that a resumed run takes the same ones and not what a teacher's folder has become since. Torch-free.
#pragma once

#include "sgf/config/config.h"

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
  std::string given;  // as the config has it: often a run folder
  std::filesystem::path file;
  std::optional<int64_t> step;  // of the checkpoint it lies in
  std::string identity;
};

// The clips, pairs or prompts that the config's stage reads, as they are now.
std::vector<StartSource> data_sources(const Config& config);

nlohmann::json to_json(const std::vector<StartSource>& sources);

// Of the last start that facts.json tells them of; none where the file or the list is missing.
std::vector<StartSource> read_start_sources(const std::filesystem::path& facts_file);

// What the config's run takes its weights from now. A file `recorded` earlier is taken again while it is there. Refuses
// another teacher than the recorded one, other clips, pairs and prompts; where a checkpoint holds generator and critic,
// other files for these are only said aloud.
std::vector<StartSource> choose_start_sources(const Config& config, const std::vector<StartSource>& recorded,
                                              bool has_checkpoint, const std::function<void(const std::string&)>& say);

// The config with these files in place of the folders they were found in.
Config with_start_sources(Config config, const std::vector<StartSource>& sources);

}  // namespace sgf

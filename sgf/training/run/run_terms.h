// The terms that must be equal on all ranks of a training run. Device and output may differ. Torch-free.
#pragma once

#include "sgf/assembly/start_sources.h"
#include "sgf/config/config.h"
#include "sgf/training/distributed/rank_agreement.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// Every resolved setting except name, description, run.device, run.threads and output, since only the first rank
// writes. `prefix` is prepended to the keys.
RunTerms config_terms(const Config& config, const std::string& prefix = "");

// The identities of weights, clips, pairs and prompts: a path may have other content on another host.
RunTerms source_terms(const std::vector<StartSource>& sources);

// The identities of the weight and optimiser files of a checkpoint.
RunTerms checkpoint_terms(const std::filesystem::path& checkpoint);

}  // namespace sgf

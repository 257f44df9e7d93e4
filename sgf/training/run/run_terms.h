// What the ranks of a training run must have in common. Where a rank computes and what it leaves may differ.
// Torch-free.
#pragma once

#include "sgf/assembly/start_sources.h"
#include "sgf/config/config.h"
#include "sgf/training/distributed/rank_agreement.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// Every setting as resolved, but name, description, run.device, run.threads and output: the first rank alone writes.
// `prefix` stands before the keys.
RunTerms config_terms(const Config& config, const std::string& prefix = "");

// The identities of weights, clips, pairs and prompts: the same path may lead to other content on another host.
RunTerms source_terms(const std::vector<StartSource>& sources);

// The identities of the weight and optimiser files of a checkpoint.
RunTerms checkpoint_terms(const std::filesystem::path& checkpoint);

}  // namespace sgf

// What `sgf inspect` says about the files in a run folder that are not weights.
#pragma once

#include "apps/own_places.h"

namespace sgf {

// For config.yaml, facts.json, metrics.jsonl and report.html of a run; nothing for other files.
std::optional<OwnPlace> find_run_file(const std::filesystem::path& file);

}  // namespace sgf

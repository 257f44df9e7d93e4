// Computes the case of a recording with this program.
#pragma once

#include "sgf/files/tensors.h"
#include "sgf/verify/recording.h"
#include "sgf/verify/verify_recording.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace sgf {

// The kinds that this program supports.
std::vector<std::string> replayable_kinds();

// The outputs of this program for a case, under the recording's names (`out.*`, `grad*.*`).
NamedTensors replay(const Recording& recording, const ReplayOptions& options);

nlohmann::json to_json(const VerifyResult& result);

}  // namespace sgf

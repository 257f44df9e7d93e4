// Streams as JSON, for the page and other clients.
#pragma once

#include "sgf/serving/stream_engine.h"

#include <nlohmann/json_fwd.hpp>

namespace sgf {

nlohmann::json stream_json(const StreamView& view);

// "48.1 frames/s; denoising 200 ms, decoding 20 ms, encoding 9 ms per block"
std::string rate_line(const BlockRates& rates);

}  // namespace sgf

// GET /metrics: counters in Prometheus's text format.
#pragma once

#include "sgf/serving/http/http_server.h"
#include "sgf/serving/stream_engine.h"

#include <cstddef>
#include <string>

namespace sgf {

std::string metrics_text(const StreamEngine::Totals& engine, const HttpCounts& http, size_t listeners);

}  // namespace sgf

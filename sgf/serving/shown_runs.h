// Training runs beside the streams: a list, and the files of their reports.
#pragma once

#include "sgf/serving/http/http_message.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>

namespace sgf {

// Runs with a report in the folders of `runs`, newest first; none if it is empty.
nlohmann::json runs_json(const std::filesystem::path& runs);

// GET /runs/NAME/FILE: the report, or a picture, video or table beside it. Nothing outside the folder of the run, and
// no weights. A report may not reach the server: the browser treats it as a page of another origin.
HttpResponse run_file(const std::filesystem::path& runs, const HttpRequest& request);

}  // namespace sgf

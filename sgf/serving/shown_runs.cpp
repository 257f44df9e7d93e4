#include "sgf/serving/shown_runs.h"

#include "sgf/files/strict_json.h"
#include "sgf/serving/http/file_body.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <string>
#include <utility>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr auto kFresh = std::chrono::minutes(2);  // a run that wrote metrics since then is shown as live
constexpr std::streamoff kTail = 1 << 16;

const std::map<std::string, std::string> kTypes{{".html", "text/html; charset=utf-8"},
                                                {".png", "image/png"},
                                                {".mp4", "video/mp4"},
                                                {".svg", "image/svg+xml"},
                                                {".json", "application/json"},
                                                {".jsonl", "text/plain; charset=utf-8"},
                                                {".yaml", "text/plain; charset=utf-8"}};

// The step in the last whole line of metrics.jsonl.
Json last_step(const fs::path& metrics) {
  std::ifstream file(metrics, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  file.seekg(std::max<std::streamoff>(0, size - kTail));
  std::string line, last;
  while (std::getline(file, line) && !file.eof()) last = line;
  const std::optional<Json> json = try_parse_json(last);
  return json && json->is_object() ? json->value("step", Json()) : Json();
}

bool is_fresh(const fs::path& file) {
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(file, error);
  return !error && fs::file_time_type::clock::now() - written < kFresh;
}

}  // namespace

Json runs_json(const fs::path& runs) {
  std::vector<std::pair<fs::file_time_type, Json>> found;
  std::error_code error;
  if (!runs.empty())
    for (const auto& entry : fs::directory_iterator(runs, error)) {
      const fs::path report = entry.path() / "report.html", metrics = entry.path() / "metrics.jsonl";
      const std::string name = entry.path().filename().string();
      if (!fs::is_regular_file(report, error)) continue;
      found.emplace_back(fs::last_write_time(report, error), Json{{"name", name},
                                                                  {"report", "/runs/" + name + "/report.html"},
                                                                  {"step", last_step(metrics)},
                                                                  {"live", is_fresh(metrics)}});
    }
  std::ranges::sort(found, std::ranges::greater(), [](const auto& run) { return run.first; });
  Json data = Json::array();
  for (auto& [time, run] : found) data.push_back(std::move(run));
  return {{"object", "list"}, {"data", data}};
}

HttpResponse run_file(const fs::path& runs, const HttpRequest& request) {
  const auto unknown = [&] { return HttpError(404, "not_found", fmt::format("there is no {}", request.name())); };
  if (runs.empty() || request.path[1] == "." || request.path[1] == "..") throw unknown();
  fs::path file = runs;
  for (size_t i = 1; i < request.path.size(); ++i) file /= request.path[i];
  const auto type = kTypes.find(file.extension().string());
  std::error_code error;
  const fs::path real = fs::canonical(file, error), root = fs::canonical(runs / request.path[1], error);
  const auto [at, end] = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
  if (error || type == kTypes.end() || at != root.end()) throw unknown();  // links lead nowhere else
  HttpResponse response = file_response(request, {.path = real, .content_type = type->second});
  response.headers.emplace_back("Content-Security-Policy",
                                "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src "
                                "'unsafe-inline'; img-src 'self' data:; media-src 'self' data:");
  return response;
}

}  // namespace sgf

#include "apps/run_files.h"

#include "sgf/config/config.h"
#include "sgf/core/error.h"
#include "sgf/files/json_file.h"
#include "sgf/files/mapped_file.h"
#include "sgf/runs/metrics_log.h"
#include "sgf/runs/run_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <array>

namespace sgf {
namespace {

namespace fs = std::filesystem;

void describe_config(OwnPlace& place, const fs::path& file) {
  const Config config = parse_config(MappedFile::open(file)->text(), file.string());
  place.facts.emplace_back("name", config.name);
  place.facts.emplace_back("stage", enum_name(config.train.stage));
  place.facts.emplace_back("updates", fmt::format("{}", config.train.steps));
}

void describe_facts(OwnPlace& place, const fs::path& file) {
  const nlohmann::json starts = read_json_file(file);
  SGF_CHECK(starts.is_array() && !starts.empty() && starts.back().is_object(),
            "{}: expected a list with one object per start of the run", file.string());
  place.facts.emplace_back("starts", fmt::format("{}", starts.size()));
  const nlohmann::json device = starts.back().value("device", nlohmann::json());
  if (device.is_string()) place.facts.emplace_back("device", device.get<std::string>());
}

void describe_metrics(OwnPlace& place, const fs::path& file) {
  const std::vector<MetricsRow> rows = read_metrics(file).rows;
  place.facts.emplace_back("updates", fmt::format("{}", rows.size()));
  if (rows.empty()) return;
  std::vector<std::string> names;
  for (const Metric& metric : rows.back().metrics) names.push_back(metric.name);
  place.facts.emplace_back("metrics", fmt::format("{}", fmt::join(names, ", ")));
}

struct RunFile {
  const char* name;
  const char* content;
  void (*describe)(OwnPlace&, const fs::path&);
};

constexpr std::array<RunFile, 4> kRunFiles{
    {{"config.yaml", "config of a run or model, for sgf train and sgf config", describe_config},
     {"facts.json", "facts of a run: build, device and command of each start", describe_facts},
     {"metrics.jsonl", "metrics of a run, one row per update", describe_metrics},
     {"report.html", "report of a run; open it in a browser", [](OwnPlace&, const fs::path&) {}}}};

}  // namespace

std::optional<OwnPlace> find_run_file(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!is_run_folder(folder)) return std::nullopt;
  for (const RunFile& known : kRunFiles)
    if (file.filename() == known.name)
      return describe_place(known.content, [&](OwnPlace& place) { known.describe(place, file); });
  return std::nullopt;
}

}  // namespace sgf

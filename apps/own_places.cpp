#include "apps/own_places.h"

#include "sgf/assembly/shipped_model.h"
#include "sgf/config/config.h"
#include "sgf/core/error.h"
#include "sgf/dataset/clip_manifest.h"
#include "sgf/dataset/pair_manifest.h"
#include "sgf/dataset/shard_folder.h"
#include "sgf/files/json_file.h"
#include "sgf/files/mapped_file.h"
#include "sgf/runs/checkpoint_store.h"
#include "sgf/runs/run_folder.h"
#include "sgf/streaming/video_prompt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// Facts are read as far as they can be; what stands in the way is the place's problem.
template <class Read>
OwnPlace described(std::string content, const Read& read) {
  OwnPlace place{.content = std::move(content), .facts = {}, .problem = "", .weights = std::nullopt};
  try {
    read(place);
  } catch (const Error& error) {
    place.problem = error.what();
  }
  return place;
}

void add_config(OwnPlace& place, const fs::path& folder, int64_t& steps) {
  const fs::path file = folder / "config.yaml";
  const Config config = parse_config(MappedFile::open(file)->text(), file.string());
  place.facts.emplace_back("name", config.name);
  place.facts.emplace_back("stage", enum_name(config.train.stage));
  steps = config.train.steps;
}

OwnPlace run_place(const fs::path& folder) {
  return described("run of sgf train", [&](OwnPlace& place) {
    int64_t steps = 0;
    add_config(place, folder, steps);
    const CheckpointStore store(folder / "checkpoints");
    const CheckpointSurvey survey = store.survey();
    const int64_t made = survey.complete.empty() ? 0 : survey.complete.back();
    place.facts.emplace_back("updates", fmt::format("{} of {}", made, steps));
    place.facts.emplace_back("checkpoints", fmt::format("{}", fmt::join(survey.complete, ", ")));
    if (!survey.complete.empty()) place.weights = store.folder_of(made);
    for (const DamagedCheckpoint& one : survey.damaged)
      place.problem += (place.problem.empty() ? "" : "; ") + one.description;
  });
}

OwnPlace model_place(const fs::path& folder) {
  return described("model with its config", [&](OwnPlace& place) {
    int64_t steps = 0;
    place.weights = folder;
    add_config(place, folder, steps);
  });
}

OwnPlace clips_place(const fs::path& folder) {
  return described("clips of sgf data encode, for data.clips", [&](OwnPlace& place) {
    const ClipManifest manifest = read_clip_manifest(folder);
    place.facts.emplace_back("videos", fmt::format("{}", manifest.videos.size()));
    place.facts.emplace_back(
        "clips", fmt::format("{} of latents [{}]", manifest.clips(), fmt::join(manifest.order.latent, ", ")));
  });
}

OwnPlace pairs_place(const fs::path& folder) {
  return described("pairs of sgf pairs, for data.pairs", [&](OwnPlace& place) {
    const PairOrder order = read_pair_manifest(folder).order;
    place.facts.emplace_back("stage", order.stage);
    place.facts.emplace_back("pairs", fmt::format("{} of latents [{}]", order.count, fmt::join(order.latent, ", ")));
  });
}

std::string format_in(const fs::path& file) {
  const nlohmann::json content = try_read_json_file(file).value_or(nullptr);
  const nlohmann::json format = content.is_object() ? content.value("format", nlohmann::json()) : nlohmann::json();
  return format.is_string() ? format.get<std::string>() : "";
}

std::optional<OwnPlace> folder_place(const fs::path& folder) {
  if (is_shipped_model(folder)) return model_place(folder);
  if (is_run_folder(folder)) return run_place(folder);
  const std::string format = format_in(order_file(folder));
  if (format.starts_with("sgf clips ")) return clips_place(folder);
  if (format.starts_with("sgf ode pairs ")) return pairs_place(folder);
  return std::nullopt;
}

OwnPlace scores_place(const nlohmann::json& scores) {
  return described("scores of sgf eval", [&](OwnPlace& place) {
    const auto count = [&](const char* key) { return scores.contains(key) ? scores[key].size() : 0; };
    const nlohmann::json protocol = scores.value("protocol", nlohmann::json());
    place.facts.emplace_back("protocol", protocol.is_string() ? protocol.get<std::string>() : "unknown");
    place.facts.emplace_back("videos", fmt::format("{}", count("videos")));
    place.facts.emplace_back("totals", fmt::format("{}", count("totals")));
  });
}

std::optional<OwnPlace> json_place(const fs::path& file) {
  const std::string format = format_in(file);
  if (format.starts_with("sgf-eval ")) return scores_place(read_json_file(file));
  const bool is_of_shards = format.starts_with("sgf clips ") || format.starts_with("sgf ode pairs ");
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  return is_of_shards ? folder_place(folder) : std::nullopt;
}

std::optional<OwnPlace> video_place(const fs::path& file) {
  const std::optional<GenerateOrder> order = order_in_video(file);
  if (!order) return std::nullopt;
  return described("video of sgf generate; sgf redo --show prints what made it", [&](OwnPlace& place) {
    place.facts.emplace_back("prompt", order->prompts.front().prompt);
    if (order->prompts.size() > 1)
      place.facts.emplace_back("changes", fmt::format("{} of the prompt", order->prompts.size() - 1));
    place.facts.emplace_back("seed", fmt::format("{}", order->config.run.seed));
    place.facts.emplace_back("model", order->model);
  });
}

}  // namespace

std::optional<OwnPlace> find_own_place(const fs::path& path) {
  std::error_code ignored;  // opening it will say what is wrong
  if (fs::is_directory(path, ignored)) return folder_place(path);
  if (path.extension() == ".json") return json_place(path);
  return path.extension() == ".mp4" ? video_place(path) : std::nullopt;
}

}  // namespace sgf

#include "apps/own_places.h"

#include "sgf/assembly/preset_folders.h"
#include "sgf/assembly/shipped_model.h"
#include "sgf/bench/bench_compare.h"
#include "sgf/config/config.h"
#include "sgf/core/error.h"
#include "sgf/dataset/clip_manifest.h"
#include "sgf/dataset/pair_manifest.h"
#include "sgf/dataset/shard_folder.h"
#include "sgf/files/json_file.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/path_kind.h"
#include "sgf/files/strict_json.h"
#include "sgf/media/video_reader.h"
#include "sgf/runs/checkpoint_store.h"
#include "sgf/runs/metrics_log.h"
#include "sgf/runs/run_folder.h"
#include "sgf/streaming/video_prompt.h"
#include "sgf/text/tokenizer.h"
#include "sgf/weights/weight_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string_view>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// A place whose facts `read` adds. An Error of `read` becomes the problem.
OwnPlace describe_place(std::string content, const std::function<void(OwnPlace&)>& read) {
  OwnPlace place{.content = std::move(content), .facts = {}, .problem = "", .weights = std::nullopt};
  try {
    read(place);
  } catch (const Error& error) {
    place.problem = error.what();
  }
  return place;
}

Config add_config(OwnPlace& place, const fs::path& file) {
  Config config = parse_config(MappedFile::open(file)->text(), file.string());
  place.facts.emplace_back("name", config.name);
  place.facts.emplace_back("stage", enum_name(config.train.stage));
  return config;
}

OwnPlace run_place(const fs::path& folder) {
  return describe_place("run of sgf train", [&](OwnPlace& place) {
    const int64_t steps = add_config(place, folder / "config.yaml").train.steps;
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
  return describe_place("model with its config", [&](OwnPlace& place) {
    place.weights = folder;
    add_config(place, folder / "config.yaml");
  });
}

OwnPlace clips_place(const fs::path& folder) {
  return describe_place("clips of sgf data encode, for data.clips", [&](OwnPlace& place) {
    const ClipManifest manifest = read_clip_manifest(folder);
    place.facts.emplace_back("videos", fmt::format("{}", manifest.videos.size()));
    place.facts.emplace_back(
        "clips", fmt::format("{} of latents [{}]", manifest.clips(), fmt::join(manifest.order.latent, ", ")));
  });
}

OwnPlace pairs_place(const fs::path& folder) {
  return describe_place("pairs of sgf pairs, for data.pairs", [&](OwnPlace& place) {
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

// manifest.json of the videos in a folder.
std::optional<OwnPlace> clip_list_place(const fs::path& file) {
  const nlohmann::json list = try_read_json_file(file).value_or(nullptr);
  const nlohmann::json clips = list.is_object() ? list.value("clips", nlohmann::json()) : nlohmann::json();
  if (!clips.is_array() || clips.empty() || !clips.front().is_object()) return std::nullopt;
  if (!clips.front().contains("file") || !clips.front().contains("caption")) return std::nullopt;
  return describe_place("videos with their prompts, for sgf eval and sgf world measure", [&](OwnPlace& place) {
    const nlohmann::json world = list.value("world", nlohmann::json());
    if (world.is_string()) place.facts.emplace_back("world", world.get<std::string>());
    place.facts.emplace_back("videos", fmt::format("{}", clips.size()));
  });
}

// One JSON object per line, of which each has an item.
std::optional<OwnPlace> bench_place(const fs::path& file) {
  const std::shared_ptr<const MappedFile> mapped = MappedFile::open(file);
  const std::string_view text = mapped->text();
  const nlohmann::json line = try_parse_json(text.substr(0, text.find('\n'))).value_or(nullptr);
  const auto word = [&](const char* key) {
    const nlohmann::json value = line.is_object() ? line.value(key, nlohmann::json()) : nlohmann::json();
    return value.is_string() ? value.get<std::string>() : "";
  };
  if (word("item").empty() || word("device").empty()) return std::nullopt;
  return describe_place("times of sgf bench, for sgf bench --compare", [&](OwnPlace& place) {
    EarlierBench::read(file);  // refuses a line that cannot be compared
    place.facts.emplace_back("lines", fmt::format("{}", std::ranges::count(text, '\n')));
    place.facts.emplace_back("device", word("device"));
  });
}

// Of sgf generate: an mp4 file, or a folder of PNG files.
std::optional<OwnPlace> generated_place(const fs::path& video) {
  const std::optional<GenerateOrder> order = order_in_video(video);
  if (!order) return std::nullopt;
  const bool is_mp4 = video.extension() == ".mp4";
  const char* content = is_mp4 ? "video of sgf generate; sgf redo --show prints what made it"
                               : "frames of sgf generate; sgf-order.json holds what made them";
  return describe_place(content, [&](OwnPlace& place) {
    place.facts.emplace_back("prompt", order->prompts.front().prompt);
    if (order->prompts.size() > 1)
      place.facts.emplace_back("changes", fmt::format("{} of the prompt", order->prompts.size() - 1));
    place.facts.emplace_back("seed", fmt::format("{}", order->config.run.seed));
    place.facts.emplace_back("model", order->model);
  });
}

// A y4m file holds the hash of what made it, and nothing else.
std::optional<OwnPlace> video_place(const fs::path& file) {
  if (const std::optional<OwnPlace> place = generated_place(file)) return place;
  if (!can_read_videos()) return std::nullopt;
  return describe_place("video without the metadata of sgf generate", [&](OwnPlace& place) {
    const VideoReader video(file);
    place.facts.emplace_back("size", fmt::format("{} x {}", video.width(), video.height()));
    if (video.fps()) place.facts.emplace_back("fps", fmt::format("{:.6g}", *video.fps()));
    if (video.frame_count()) place.facts.emplace_back("frames", fmt::format("{}", *video.frame_count()));
  });
}

bool holds(const fs::path& folder, const std::function<bool(const fs::path&)>& is_wanted) {
  std::error_code error;  // a folder that cannot be listed holds nothing
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (is_wanted(it->path())) return true;
  return false;
}

bool is_events(const fs::path& file) { return file.filename().string().starts_with("events.out.tfevents."); }

struct KnownFolder {
  const char* content;
  bool (*is_one)(const fs::path& folder);
};

constexpr std::array<KnownFolder, 7> kKnownFolders{
    {{"page and videos of sgf demo; open demo.html in a browser",
      [](const fs::path& f) { return fs::exists(f / "demo.html"); }},
     {"checkpoints of a run; inspect one of them",
      [](const fs::path& f) { return f.filename() == "checkpoints" && is_run_folder(f.parent_path()); }},
     {"samples of a run",
      [](const fs::path& f) { return f.filename() == "samples" && is_run_folder(f.parent_path()); }},
     {"TensorBoard events of a run", [](const fs::path& f) { return holds(f, is_events); }},
     {"videos of sgf sample, or samples of a run; their prompts are in prompts.txt",
      [](const fs::path& f) { return fs::exists(f / "prompts.txt") && fs::exists(f / "0.png"); }},
     {"models; inspect one of them", [](const fs::path& f) { return holds(f, is_shipped_model); }},
     {"recipe, for sgf recipe run or sgf study",
      [](const fs::path& f) { return holds(f, [](const fs::path& file) { return file.extension() == ".yaml"; }); }}}};

std::optional<OwnPlace> known_folder(const fs::path& folder) {
  const fs::path clean = fs::absolute(folder).lexically_normal();
  const fs::path named = clean.has_filename() ? clean : clean.parent_path();
  for (const KnownFolder& known : kKnownFolders)
    if (known.is_one(named)) return describe_place(known.content, [](OwnPlace&) {});
  return std::nullopt;
}

std::optional<OwnPlace> folder_place(const fs::path& folder) {
  if (is_shipped_model(folder)) return model_place(folder);
  if (is_run_folder(folder)) return run_place(folder);
  const std::string format = format_in(order_file(folder));
  if (format.starts_with("sgf clips ")) return clips_place(folder);
  if (format.starts_with("sgf ode pairs ")) return pairs_place(folder);
  if (std::optional<OwnPlace> clips = clip_list_place(folder / "manifest.json")) return clips;
  if (std::optional<OwnPlace> generated = generated_place(folder)) return generated;
  return holds(folder, is_weight_file) ? std::nullopt : known_folder(folder);
}

OwnPlace scores_place(const nlohmann::json& scores) {
  return describe_place("scores of sgf eval", [&](OwnPlace& place) {
    const auto count = [&](const char* key) { return scores.contains(key) ? scores[key].size() : 0; };
    const nlohmann::json protocol = scores.value("protocol", nlohmann::json());
    place.facts.emplace_back("protocol", protocol.is_string() ? protocol.get<std::string>() : "unknown");
    place.facts.emplace_back("videos", fmt::format("{}", count("videos")));
    place.facts.emplace_back("totals", fmt::format("{}", count("totals")));
  });
}

bool is_cached_score(const fs::path& file) {
  const nlohmann::json content = try_read_json_file(file).value_or(nullptr);
  return content.is_object() && content.size() == 3 && content.contains("key") && content.contains("value") &&
         content.contains("sha256");
}

std::optional<OwnPlace> json_place(const fs::path& file) {
  const std::string format = format_in(file);
  if (format.starts_with("sgf-eval ")) return scores_place(read_json_file(file));
  if (is_cached_score(file)) return describe_place("cached scores of one video, of sgf eval", [](OwnPlace&) {});
  const bool is_of_shards = format.starts_with("sgf clips ") || format.starts_with("sgf ode pairs ");
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (is_of_shards) return folder_place(folder);
  if (std::optional<OwnPlace> clips = clip_list_place(file)) return clips;
  return bench_place(file);
}

void describe_config(OwnPlace& place, const fs::path& file) {
  place.facts.emplace_back("updates", fmt::format("{}", add_config(place, file).train.steps));
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

// For config.yaml, facts.json, metrics.jsonl and report.html of a run; nothing for other files.
std::optional<OwnPlace> find_run_file(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!is_run_folder(folder)) return std::nullopt;
  for (const RunFile& known : kRunFiles)
    if (file.filename() == known.name)
      return describe_place(known.content, [&](OwnPlace& place) { known.describe(place, file); });
  return std::nullopt;
}

struct NamedFile {
  const char* name;    // at its end
  const char* beside;  // another file that must be there; empty: none
  const char* content;
};

constexpr std::array<NamedFile, 4> kNamedFiles{
    {{"DONE", "state.json", "mark of a complete checkpoint, with a hash per file"},
     {"state.json", "DONE", "counters of a checkpoint of sgf train"},
     {"sgf-order.json", "", "settings of the frames in this folder, for sgf redo and --continue"},
     {".key.json", "", "key of a blind study by sgf compare: which video is which"}}};

std::optional<OwnPlace> find_named_file(const fs::path& file) {
  if (is_events(file)) return describe_place("TensorBoard events of a run", [](OwnPlace&) {});
  for (const NamedFile& known : kNamedFiles)
    if (file.filename().string().ends_with(known.name) &&
        (*known.beside == '\0' || fs::exists(fs::path(file).replace_filename(known.beside))))
      return describe_place(known.content, [](OwnPlace&) {});
  return std::nullopt;
}

// A preset, a file of a recipe, or a file of the user's.
OwnPlace yaml_place(const fs::path& file) {
  if (file.filename() == "study.yaml") return describe_place("recipe of sgf study", [](OwnPlace&) {});
  return describe_place("config, for sgf train and sgf config", [&](OwnPlace& place) {
    const Config config = load_config(file, {}, preset_folders());
    place.facts = {{"name", config.name},
                   {"stage", std::string(enum_name(config.train.stage))},
                   {"updates", fmt::format("{}", config.train.steps)}};
  });
}

OwnPlace tokenizer_place(const fs::path& file) {
  return describe_place("tokenizer of the text encoder (SentencePiece)", [&](OwnPlace& place) {
    place.facts.emplace_back("pieces", fmt::format("{}", Tokenizer(file).vocabulary()));
  });
}

}  // namespace

std::optional<OwnPlace> find_own_place(const fs::path& path) {
  if (is_folder(path)) return folder_place(path);
  if (!is_file(path)) return std::nullopt;
  if (const std::optional<OwnPlace> place = find_run_file(path)) return place;
  if (const std::optional<OwnPlace> place = find_named_file(path)) return place;
  const fs::path kind = path.extension();
  if (kind == ".yaml" || kind == ".yml") return yaml_place(path);
  if (kind == ".json" || kind == ".jsonl") return json_place(path);
  if (path.filename() == "spiece.model") return tokenizer_place(path);
  return kind == ".mp4" || kind == ".y4m" ? video_place(path) : std::nullopt;
}

}  // namespace sgf

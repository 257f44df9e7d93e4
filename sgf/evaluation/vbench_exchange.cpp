#include "sgf/evaluation/vbench_exchange.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/json_file.h"
#include "sgf/files/writable_folder.h"
#include "sgf/media/frame_source.h"
#include "sgf/media/video_writer.h"
#include "sgf/streaming/output_name.h"
#include "sgf/vbench/leaderboard.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

namespace sgf {
namespace {

namespace fs = std::filesystem;

bool is_mp4(const fs::path& file) { return fs::is_regular_file(file) && file.extension() == ".mp4"; }

void encode_video(const fs::path& from, const fs::path& to, double fps) {
  const auto source = open_frames(from);
  VideoWriter writer(to, {.width = source->width(), .height = source->height(), .fps = source->fps().value_or(fps)});
  while (const std::optional<RgbImage> picture = source->next()) writer.add(*picture);
  writer.finish();
}

void put_video(const ListedVideo& video, const fs::path& to, double fps) {
  SGF_CHECK(video.prompt.has_value(), "it is not in the list of prompts");
  if (!is_mp4(video.file)) return encode_video(video.file, to, fps);
  open_frames(video.file);  // finds invalid videos now, not hours later in VBench
  fs::copy_file(video.file, to, fs::copy_options::overwrite_existing);
}

// VBench writes [score, rows of videos]; a plain score is accepted too.
double score_of(const nlohmann::json& value, const std::string& name, const fs::path& file) {
  const nlohmann::json& score = value.is_array() && !value.empty() ? value[0] : value;
  const bool is_score = score.is_number() || score.is_boolean();
  SGF_CHECK(is_score, "{}: the score of {} must be a number, got {}", file.string(), in_quotes(name),
            in_quotes(score.dump()));
  return score.is_boolean() ? (score.get<bool>() ? 1.0 : 0.0) : score.get<double>();
}

// Scores of all sixteen dimensions are at most 1 in magnitude.
void check_is_of_one(double score, const std::string& name, const fs::path& file) {
  SGF_CHECK(std::abs(score) <= 1, "{}: the score of {} is {}; scores must be fractions of 1, not percent",
            file.string(), in_quotes(name), score);
}

std::string dimension_name(std::string name) {
  for (char& c : name)
    if (c == ' ') c = '_';
  return name;
}

// Dimensions and scores from a file of VBench or of sgf eval.
std::map<std::string, double> scores_in(const fs::path& file) {
  const nlohmann::json content = read_json_file(file);
  SGF_CHECK(content.is_object() && !content.empty(),
            "{} is not a result: expected {{\"dimension\": [score, ...]}} from VBench or \"totals\" from sgf eval",
            file.string());
  std::map<std::string, double> scores;
  if (content.contains("totals")) {
    SGF_CHECK(content.value("protocol", nlohmann::json()) != "world",
              "{} holds metrics of the built-in world, which are not dimensions of VBench", file.string());
    for (const auto& [name, total] : content.at("totals").items())
      if (total.contains("value") && total["value"].is_number()) scores[name] = total["value"].get<double>();
    return scores;
  }
  for (const auto& [name, value] : content.items()) scores[dimension_name(name)] = score_of(value, name, file);
  for (const auto& [name, score] : scores)
    SGF_CHECK(is_vbench_dimension(name),
              "{}: {} is not a dimension of VBench; expected a result of VBench or of sgf eval", file.string(),
              in_quotes(name));
  return scores;
}

nlohmann::json or_null(const std::optional<double>& value) { return value ? nlohmann::json(*value) : nlohmann::json(); }

}  // namespace

VbenchExport export_for_vbench(const std::vector<ListedVideo>& videos, const fs::path& folder, double fps,
                               const std::function<void(int64_t)>& done) {
  SGF_CHECK(!fs::exists(folder) || fs::is_empty(folder), "{} is not empty: choose an empty or a new folder",
            folder.string());
  create_folder(folder / "videos");
  VbenchExport exported;
  std::map<std::string, int64_t> samples;
  nlohmann::ordered_json prompts = nlohmann::ordered_json::object();
  for (size_t i = 0; i < videos.size(); ++i) {
    const std::string prompt = videos[i].prompt.value_or("");
    const int64_t sample = samples[prompt];
    const std::string name =
        video_name({.prompt = prompt, .line = 0, .sample = sample, .samples = 1, .seed = 0}, VideoNaming::kVbench) +
        ".mp4";
    try {
      put_video(videos[i], folder / "videos" / name, fps);
      ++samples[prompt];
      ++exported.videos;
      prompts[name] = prompt;
      if (prompt_of_name(name) != prompt) exported.renamed.push_back(prompt);
    } catch (const std::exception& error) {
      exported.failed.push_back(fmt::format("{}: {}", videos[i].file.string(), error.what()));
    }
    done(static_cast<int64_t>(i) + 1);
  }
  write_json_file(folder / "prompts.json", prompts);
  return exported;
}

nlohmann::json import_results(const std::vector<fs::path>& files) {
  std::map<std::string, double> scores;
  nlohmann::json sources = nlohmann::json::array();
  for (const fs::path& file : files) {
    sources.push_back(file.string());
    for (const auto& [name, score] : scores_in(file)) {
      check_is_of_one(score, name, file);
      SGF_CHECK(!scores.contains(name), "{}: another file already has a score of {}", file.string(), name);
      scores[name] = score;
    }
  }
  SGF_CHECK(!scores.empty(), "no scores found in {}", sources.dump());
  const LeaderboardTotals totals = leaderboard_totals(scores);
  nlohmann::json result{{"format", "sgf-eval 1"}, {"protocol", "imported"}, {"sources", sources}};
  for (const auto& [name, score] : scores) result["totals"][name] = {{"value", score}};
  result["leaderboard"] = {{"quality", or_null(totals.quality)},
                           {"semantic", or_null(totals.semantic)},
                           {"total", or_null(totals.total)},
                           {"missing", totals.missing}};
  return result;
}

}  // namespace sgf

#include "sgf/assembly/start_sources.h"

#include "sgf/assembly/start_file.h"
#include "sgf/assembly/train_needs.h"
#include "sgf/core/error.h"
#include "sgf/dataset/clip_manifest.h"
#include "sgf/dataset/pair_manifest.h"
#include "sgf/files/json_integer.h"
#include "sgf/files/sha256.h"
#include "sgf/files/strict_json.h"
#include "sgf/files/weight_identity.h"
#include "sgf/runs/run_folder.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSourcesKey = "sources";
constexpr const char *kClipsKey = "data.clips", *kPairsKey = "data.pairs", *kPromptsKey = "data.prompts";

// Teachers are not trained, so checkpoints do not hold them.
bool is_teacher(std::string_view key) { return key.ends_with(".teacher"); }

// The settings with weights that the stage reads.
std::vector<std::pair<const char*, std::string*>> weight_settings(Config& c) {
  std::vector<std::pair<const char*, std::string*>> settings{{"train.start_from", &c.train.start_from}};
  if (c.train.stage == StageChoice::kDmd) {
    settings.emplace_back("dmd.teacher", &c.dmd.teacher);
    settings.emplace_back("dmd.critic", &c.dmd.critic);
  }
  if (c.train.stage == StageChoice::kCausalCd) settings.emplace_back("distil.teacher", &c.distil.teacher);
  std::erase_if(settings, [](const auto& setting) { return setting.second->empty(); });
  return settings;
}

const StartSource* find_source(const std::vector<StartSource>& sources, std::string_view key) {
  const auto found = std::ranges::find(sources, key, &StartSource::key);
  return found == sources.end() ? nullptr : &*found;
}

StartSource source_from_json(const std::string& key, const nlohmann::json& json) {
  StartSource source{.key = key,
                     .given = json.at("given").get<std::string>(),
                     .file = json.at("file").get<std::string>(),
                     .identity = json.at("identity").get<std::string>()};
  if (const auto step = json.find("step"); step != json.end()) source.step = integer_of(*step);
  if (const auto role = json.find("role"); role != json.end()) source.role = role->get<std::string>();
  return source;
}

std::string describe_source(const StartSource& source) {
  return fmt::format("{} ({}{})", source.file.string(), source.step ? fmt::format("step {}; ", *source.step) : "",
                     source.identity);
}

// Keeps the recorded file: the folder may have a newer checkpoint than the one this run started from.
StartSource source_of(StageChoice stage, const std::string& key, const std::string& given, const StartSource* before) {
  const bool stays = before != nullptr && before->given == given && fs::exists(before->file);
  if (!stays && is_teacher(key)) check_stage_of(key, given, stage_of_teacher(stage));
  const StartFile file = stays ? StartFile{before->file, before->step} : find_start_file(given);
  const StartWeights start = open_start_weights(file.path, purpose_of_source(key));
  return {key, given, fs::absolute(file.path), file.step, weight_identity(start.file), start.index.role};
}

// A teacher is not in the checkpoint. Earlier versions, which recorded no role, took inference's network.
void check_network(const StartSource& now, const StartSource& before) {
  if (!is_teacher(now.key) || now.role.empty()) return;
  const std::string was = before.role.empty() ? open_start_weights(now.file).index.role : before.role;
  SGF_CHECK(was == now.role,
            "{}: the run started with {} of {}, but this version trains with {}; start a new run in another folder "
            "(--out), or resume with the version that made it",
            now.key, shown_role(was), now.file.string(), shown_role(now.role));
}

void say_network(const StartSource& source, const std::function<void(const std::string&)>& say) {
  if (source.role.empty()) return;
  const std::string choice = describe_network_choice(source.file, purpose_of_source(source.key));
  if (!choice.empty()) say(fmt::format("{}: {}", source.key, choice));
}

StartSource place_source(const char* key, const std::string& place, std::string identity) {
  return {key, place, fs::absolute(place), std::nullopt, std::move(identity), ""};
}

// Checkpoints do not hold the data either: other clips, pairs or prompts would continue a different run.
void check_data(const StartSource& now, const std::vector<StartSource>& recorded) {
  const StartSource* before = find_source(recorded, now.key);
  SGF_CHECK(before == nullptr || before->identity == now.identity,
            "{}: the run started with other content in {} than {} holds now; restore the content, or start a new run "
            "in another folder (--out)",
            now.key, before->file.string(), now.given);
}

}  // namespace

nlohmann::json to_json(const std::vector<StartSource>& sources) {
  nlohmann::json out = nlohmann::json::object();
  for (const StartSource& source : sources) {
    nlohmann::json& one =
        out[source.key] = {{"given", source.given}, {"file", source.file.string()}, {"identity", source.identity}};
    if (source.step) one["step"] = *source.step;
    if (!source.role.empty()) one["role"] = source.role;
  }
  return out;
}

std::vector<StartSource> read_start_sources(const fs::path& facts_file) {
  const nlohmann::json starts = read_facts(facts_file);
  std::vector<StartSource> sources;
  try {
    for (const nlohmann::json& start : starts) {
      if (!start.contains(kSourcesKey)) continue;
      sources.clear();
      for (const auto& [key, json] : start.at(kSourcesKey).items()) sources.push_back(source_from_json(key, json));
    }
  } catch (const nlohmann::json::exception& error) {
    fail(
        "{}: the list of weight files is damaged: {}; restore the file from a copy, or rename it to resume without "
        "comparing teacher and data",
        facts_file.string(), json_complaint(error.what()));
  }
  return sources;
}

std::vector<StartSource> choose_start_sources(const Config& config, const std::vector<StartSource>& recorded,
                                              bool has_checkpoint, const std::function<void(const std::string&)>& say) {
  std::vector<StartSource> sources;
  Config named = config;
  for (const auto& [key, given] : weight_settings(named)) {
    const StartSource* before = find_source(recorded, key);
    sources.push_back(source_of(config.train.stage, key, *given, before));
    const StartSource& now = sources.back();
    say_network(now, say);
    if (before != nullptr && before->identity == now.identity) check_network(now, *before);
    if (before == nullptr || before->identity == now.identity) continue;
    const bool is_in_checkpoint = has_checkpoint && !is_teacher(now.key);
    SGF_CHECK(is_in_checkpoint,
              "{}: the run started with {}, but now finds another network: {}; name the original file (e.g. its "
              "checkpoint folder), or start a new run in another folder (--out)",
              now.key, describe_source(*before), describe_source(now));
    say(fmt::format("{}: the run started with {}, now finds {}; the weights of the checkpoint are used instead",
                    now.key, describe_source(*before), describe_source(now)));
  }
  for (StartSource& source : data_sources(config)) {
    check_data(source, recorded);
    sources.push_back(std::move(source));
  }
  return sources;
}

WeightPurpose purpose_of_source(std::string_view key) {
  return key == "dmd.critic" ? WeightPurpose::kCritic : WeightPurpose::kTraining;
}

std::vector<StartSource> data_sources(const Config& c) {
  std::vector<StartSource> sources;
  if (!c.data.clips.empty())
    sources.push_back(place_source(kClipsKey, c.data.clips, clip_identity(read_clip_manifest(c.data.clips))));
  if (reads_pairs(c.train.stage) && !c.data.pairs.empty())
    sources.push_back(place_source(kPairsKey, c.data.pairs, pair_identity(read_pair_manifest(c.data.pairs))));
  if (c.train.stage == StageChoice::kDmd && fs::exists(c.data.prompts))
    sources.push_back(place_source(kPromptsKey, c.data.prompts, sha256_of_file(c.data.prompts)));
  return sources;
}

Config with_start_sources(Config config, const std::vector<StartSource>& sources) {
  for (const auto& [key, value] : weight_settings(config))
    if (const StartSource* source = find_source(sources, key)) *value = source->file.string();
  return config;
}

}  // namespace sgf

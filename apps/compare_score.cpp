// `sgf compare score FILE…`: what raters said, in numbers.
#include "apps/commands.h"
#include "apps/compare.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/table.h"
#include "lab/preference/preference_score.h"
#include "sgf/core/error.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace sgf {
namespace {

struct CompareScoreArgs {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> videos, names;
  std::string key;
  ResampleSettings bootstrap;
  bool json = false;
};

// What a study was about: from its key, or from the videos alone.
struct KnownStudy {
  std::array<std::string, 2> names{"A", "B"};
  std::vector<std::string> captions;  // empty without a key
  std::vector<bool> a_is_left;
};

// A key found in the working directory, not named with --key, may belong to another study. It is then ignored if the
// videos can identify the methods.
std::optional<BlindStudy> key_of(const CompareScoreArgs& args, const std::vector<ShownPair>& shown) {
  const bool is_named = !args.key.empty();
  if (!is_named && !std::filesystem::exists(kDefaultStudyKey)) return std::nullopt;
  BlindStudy study = read_blind_study(is_named ? args.key : kDefaultStudyKey);
  const bool must_fit = is_named || args.videos.empty();
  return must_fit || study.shown() == shown ? std::optional(std::move(study)) : std::nullopt;
}

KnownStudy study_behind(const CompareScoreArgs& args, const std::vector<ShownPair>& shown) {
  const std::optional<BlindStudy> key = key_of(args, shown);
  SGF_CHECK(key || !args.videos.empty(),
            "{} is missing, so the sides of the methods are unknown; name the key with --key, or the videos with "
            "--videos A_DIR B_DIR",
            kDefaultStudyKey);
  KnownStudy known;
  if (!args.videos.empty()) {
    known.names = {args.videos[0], args.videos[1]};
    known.a_is_left = sides_by_videos(shown, args.videos[0], args.videos[1]);
  }
  if (key) {
    const std::vector<bool> by_key = sides_by_key(shown, *key);
    SGF_CHECK(args.videos.empty() || by_key == known.a_is_left,
              "the key says that method A is in {}; --videos takes the folder of A first", args.videos[1]);
    known.names = key->names;
    known.a_is_left = by_key;
    for (const BlindPair& pair : key->pairs) known.captions.push_back(pair.caption);
  }
  if (args.names.size() == 2) known.names = {args.names[0], args.names[1]};
  return known;
}

nlohmann::json count_json(const GsbCount& count) {
  nlohmann::json json{{"good", count.good}, {"same", count.same}, {"bad", count.bad}};
  json["preference"] = count.preference() ? nlohmann::json(*count.preference()) : nlohmann::json();
  return json;
}

nlohmann::json score_json(const PreferenceScore& score, const KnownStudy& known, const CompareScoreArgs& args) {
  nlohmann::json json = count_json(score.all);
  json["a"] = known.names[0];
  json["b"] = known.names[1];
  json["open"] = score.open;
  json["interval"] = score.interval ? nlohmann::json{score.interval->low, score.interval->high} : nlohmann::json();
  json["bootstrap"] = {{"level", .95}, {"resamples", args.bootstrap.resamples}, {"seed", args.bootstrap.seed}};
  json["chose_left"] = score.chose_left;
  json["chose_right"] = score.chose_right;
  json["agreement"] = nullptr;
  if (const auto& agreement = score.agreement)
    json["agreement"] = {{"pairs", agreement->pairs},
                         {"raw", agreement->raw},
                         {"kappa", agreement->kappa ? nlohmann::json(*agreement->kappa) : nlohmann::json()},
                         {"kind", score.raters.size() == 2 ? "cohen" : "fleiss"}};
  for (const RaterScore& rater : score.raters) {
    nlohmann::json entry = count_json(rater.count);
    entry["rater"] = rater.rater;
    entry["open"] = rater.open;
    json["raters"].push_back(std::move(entry));
  }
  for (size_t p = 0; p < score.pairs.size(); ++p) {
    nlohmann::json entry = count_json(score.pairs[p]);
    if (!known.captions.empty()) entry["caption"] = known.captions[p];
    json["pairs"].push_back(std::move(entry));
  }
  return json;
}

std::string shown_preference(const GsbCount& count) {
  return count.preference() ? fmt::format("{:+.3f}", *count.preference()) : "-";
}

void print_agreement(const PreferenceScore& score) {
  if (!score.agreement) {
    say("agreement: needs two raters and a pair that all raters answered");
    return;
  }
  const RaterAgreement& agreement = *score.agreement;
  say("agreement: two raters agree in {:.1f} % of answers, {} kappa {}, over {} pairs that all raters answered",
      100 * agreement.raw, score.raters.size() == 2 ? "Cohen's" : "Fleiss'",
      agreement.kappa ? fmt::format("{:.3f}", *agreement.kappa) : "undefined (all answers are the same)",
      agreement.pairs);
}

void print_score(const PreferenceScore& score, const KnownStudy& known, const CompareScoreArgs& args) {
  say("A is {}, B is {}; {} pairs, {} {}", shown_name(known.names[0]), shown_name(known.names[1]), score.pairs.size(),
      score.raters.size(), score.raters.size() == 1 ? "rater" : "raters");
  say("");
  Table table({"rater", "G: A better", "S: same", "B: B better", "open", "(G-B)/(G+S+B)"});
  const auto add_row = [&](const std::string& name, const GsbCount& count, int64_t open) {
    table.add({shown_name(name), shown_count(count.good), shown_count(count.same), shown_count(count.bad),
               shown_count(open), shown_preference(count)});
  };
  for (const RaterScore& rater : score.raters) add_row(rater.rater, rater.count, rater.open);
  if (score.raters.size() > 1) add_row("all", score.all, score.open);
  table.print();
  say("");
  say("95 % interval: {}", score.interval
                               ? fmt::format("{:+.3f} to {:+.3f} ({} resamples of pairs, seed {})", score.interval->low,
                                             score.interval->high, args.bootstrap.resamples, args.bootstrap.seed)
                               : "needs two answered pairs");
  print_agreement(score);
  say("sides: left was chosen {} times, right {} times", score.chose_left, score.chose_right);
  if (score.open > 0) say("incomplete: {} answers are missing and not counted above", score.open);
}

void run_compare_score(const CompareScoreArgs& args) {
  const std::vector<RaterAnswers> answers = read_all_answers(args.files);
  const KnownStudy known = study_behind(args, answers.front().shown);
  const PreferenceScore score = score_preference(answers, known.a_is_left, args.bootstrap);
  if (args.json)
    say_json(score_json(score, known, args));
  else
    print_score(score, known, args);
}

}  // namespace

void add_compare_score(CLI::App& compare) {
  auto args = std::make_shared<CompareScoreArgs>();
  CLI::App* command = compare.add_subcommand("score", "Score the answers that raters exported from the page");
  command->add_option("files", args->files, "files of answers, one per rater")->type_name("FILE")->required();
  command->add_option("--key", args->key, "key file that sgf compare wrote")
      ->type_name("FILE")
      ->default_str(kDefaultStudyKey);
  command->add_option("--videos", args->videos, "folders of A and B, whose hashes check the answers")
      ->type_name("A_DIR B_DIR")
      ->expected(2);
  command->add_option("--names", args->names, "names of the two methods (default: those in the key)")
      ->type_name("A B")
      ->expected(2);
  command->add_option("--resamples", args->bootstrap.resamples, "resamples of the bootstrap over pairs")
      ->capture_default_str()
      ->check(CLI::Range(100, 1000000));
  check_seed(
      *command->add_option("--seed", args->bootstrap.seed, "random seed of the bootstrap")->capture_default_str());
  command->add_flag("--json", args->json, "result as one JSON object, with every pair");
  command->footer(
      "Examples:\n"
      "  sgf compare score anna.json ben.json\n"
      "  sgf compare score anna.json ben.json --key page.key.json --json\n\n"
      "With --videos and without --key, the hashes of the videos tell which method was on which side.");
  command->callback([args] { run_compare_score(*args); });
}

}  // namespace sgf

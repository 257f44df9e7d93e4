#include "lab/preference/rater_answers.h"

#include "lab/preference/preference_json.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/sha256.h"

#include <map>
#include <set>

namespace sgf {
namespace {

std::optional<RaterChoice> read_choice(const PreferenceReader& pair) {
  SGF_CHECK(pair.json().contains("answer"), "{}: lacks \"answer\"", pair.place());
  const nlohmann::json& answer = pair.json()["answer"];
  if (answer.is_null()) return std::nullopt;
  const auto choice = answer.is_string() ? enum_from_name<RaterChoice>(answer.get<std::string>()) : std::nullopt;
  SGF_CHECK(choice.has_value(), "{}: \"answer\" must be \"left\", \"same\", \"right\" or null, got {}", pair.place(),
            in_quotes(answer.dump()));
  return choice;
}

// Ann, ann and " Ann " are the same rater.
std::string rater_key(const std::string& name) {
  std::string key;
  for (const char c : name)
    if (static_cast<unsigned char>(c) > ' ') key += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return key;
}

std::set<std::string> hashes_in(const std::filesystem::path& folder) {
  SGF_CHECK(std::filesystem::is_directory(folder), "{} is not a folder; --videos needs the two folders of the study",
            folder.string());
  std::set<std::string> hashes;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file()) hashes.insert(sha256_of_file(entry.path()));
  return hashes;
}

}  // namespace

RaterAnswers read_answers(const std::filesystem::path& path) {
  const nlohmann::json document = read_preference_file(path, "sgf_compare", "file of answers to a page of sgf compare");
  const PreferenceReader reader(document, path.string());
  RaterAnswers answers{.file = path, .rater = reader.read<std::string>("rater"), .shown = {}, .choices = {}};
  SGF_CHECK(!rater_key(answers.rater).empty(), "{}: \"rater\" is empty; fill in the name of the rater", path.string());
  const auto pairs = reader.read_list("pairs");
  for (size_t i = 0; i < pairs.size(); ++i) {
    const PreferenceReader pair(pairs[i], fmt::format("{}, pair {}", path.string(), i + 1));
    answers.shown.push_back({pair.read_sha256("left"), pair.read_sha256("right")});
    answers.choices.push_back(read_choice(pair));
  }
  SGF_CHECK(study_id(answers.shown) == reader.read_sha256("study"),
            "{}: its pairs are not those that its \"study\" was made of: the file was changed", path.string());
  return answers;
}

std::vector<RaterAnswers> read_all_answers(const std::vector<std::filesystem::path>& files) {
  std::vector<RaterAnswers> all;
  std::map<std::string, std::filesystem::path> raters;
  for (const std::filesystem::path& file : files) {
    RaterAnswers answers = read_answers(file);
    const auto [other, is_new] = raters.emplace(rater_key(answers.rater), file);
    SGF_CHECK(is_new, "{} and {} are both from {}: a rater counts once, so pass only one of them",
              other->second.string(), file.string(), in_quotes(answers.rater));
    SGF_CHECK(all.empty() || all.front().shown == answers.shown,
              "{} and {} belong to different studies; score each study separately", files.front().string(),
              file.string());
    all.push_back(std::move(answers));
  }
  return all;
}

std::vector<bool> sides_by_key(const std::vector<ShownPair>& shown, const BlindStudy& key) {
  SGF_CHECK(shown == key.shown(),
            "the answers belong to study {}..., but the key to {}...; pass the right key with --key",
            study_id(shown).substr(0, 12), key.id().substr(0, 12));
  std::vector<bool> a_is_left;
  for (const BlindPair& pair : key.pairs) a_is_left.push_back(pair.a_is_left);
  return a_is_left;
}

std::vector<bool> sides_by_videos(const std::vector<ShownPair>& shown, const std::filesystem::path& a,
                                  const std::filesystem::path& b) {
  const std::set<std::string> in_a = hashes_in(a), in_b = hashes_in(b);
  std::vector<bool> a_is_left;
  for (size_t i = 0; i < shown.size(); ++i) {
    const auto& [left, right] = shown[i];
    const bool straight = in_a.contains(left) && in_b.contains(right);
    const bool crossed = in_b.contains(left) && in_a.contains(right);
    SGF_CHECK(
        straight || crossed,
        "the answers do not belong to these videos: for pair {} ({}..., {}...), {} and {} do not hold one video each",
        i + 1, left.substr(0, 12), right.substr(0, 12), a.string(), b.string());
    SGF_CHECK(straight != crossed,
              "both videos of pair {} are in both {} and {}: pass the key to tell the methods apart", i + 1, a.string(),
              b.string());
    a_is_left.push_back(straight);
  }
  return a_is_left;
}

}  // namespace sgf

#include "lab/preference/blind_study.h"

#include "lab/preference/preference_json.h"
#include "sgf/files/sha256.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sgf {
namespace {

// A pseudo-random key per pair and purpose: sorting by it shuffles, independent of the input order.
std::string draw_for(const VideoPair& pair, int64_t seed, std::string_view purpose) {
  return sha256_of(fmt::format("{} {} {} {}", purpose, seed, pair.a.sha256, pair.b.sha256));
}

BlindPair place_pair(const VideoPair& pair, bool a_is_left) {
  const std::string &a = pair.a.sha256, &b = pair.b.sha256;
  return {a_is_left ? ShownPair{a, b} : ShownPair{b, a}, a_is_left, pair.caption(), pair.a.file, pair.b.file};
}

void sort_by_draw(std::vector<VideoPair>& pairs, int64_t seed, std::string_view purpose) {
  std::ranges::sort(pairs, {}, [&](const VideoPair& pair) { return draw_for(pair, seed, purpose); });
}

BlindPair read_pair(const PreferenceReader& reader) {
  BlindPair pair;
  pair.shown = {reader.read_sha256("left"), reader.read_sha256("right")};
  pair.a_is_left = reader.read<bool>("a_is_left");
  pair.caption = reader.read<std::string>("caption");
  pair.a = reader.read<std::string>("a");
  pair.b = reader.read<std::string>("b");
  return pair;
}

}  // namespace

std::string study_id(const std::vector<ShownPair>& shown) {
  Sha256 hash;
  hash.update("sgf compare, version 1\n");
  for (const ShownPair& pair : shown) hash.update(pair.left + " " + pair.right + "\n");
  return hash.hex();
}

std::vector<ShownPair> BlindStudy::shown() const {
  std::vector<ShownPair> all;
  for (const BlindPair& pair : pairs) all.push_back(pair.shown);
  return all;
}

std::string BlindStudy::id() const { return study_id(shown()); }

BlindStudy make_blind_study(std::vector<VideoPair> pairs, std::array<std::string, 2> names, int64_t seed) {
  sort_by_draw(pairs, seed, "side");
  std::multimap<std::string, BlindPair> ordered;  // by a second draw, independent of the sides
  for (size_t i = 0; i < pairs.size(); ++i) {
    const bool is_odd_one = i % 2 == 0 && i + 1 == pairs.size();
    const bool heads = draw_for(pairs[i], seed, "odd one").front() < '8';
    ordered.emplace(draw_for(pairs[i], seed, "order"), place_pair(pairs[i], is_odd_one ? heads : i % 2 == 0));
  }
  BlindStudy study{.names = std::move(names), .seed = seed, .pairs = {}};
  for (auto& [draw, pair] : ordered) study.pairs.push_back(std::move(pair));
  return study;
}

nlohmann::json to_json(const BlindStudy& study) {
  nlohmann::json pairs = nlohmann::json::array();
  for (const BlindPair& pair : study.pairs)
    pairs.push_back({{"left", pair.shown.left},
                     {"right", pair.shown.right},
                     {"a_is_left", pair.a_is_left},
                     {"caption", pair.caption},
                     {"a", pair.a.string()},
                     {"b", pair.b.string()}});
  return {{"sgf_compare_key", 1},
          {"study", study.id()},
          {"names", study.names},
          {"seed", study.seed},
          {"pairs", std::move(pairs)}};
}

BlindStudy read_blind_study(const std::filesystem::path& path) {
  const nlohmann::json document = read_preference_file(path, "sgf_compare_key", "key of sgf compare");
  const PreferenceReader reader(document, path.string());
  BlindStudy study{.names = {}, .seed = reader.read<int64_t>("seed"), .pairs = {}};
  const auto names = reader.read<std::vector<std::string>>("names");
  SGF_CHECK(names.size() == 2, "{}: \"names\" must hold two names, got {}", path.string(), names.size());
  study.names = {names[0], names[1]};
  const auto pairs = reader.read_list("pairs");
  for (size_t i = 0; i < pairs.size(); ++i)
    study.pairs.push_back(read_pair(PreferenceReader(pairs[i], fmt::format("{}, pair {}", path.string(), i + 1))));
  SGF_CHECK(study.id() == reader.read_sha256("study"), "{}: its pairs do not match its \"study\": the file was changed",
            path.string());
  return study;
}

}  // namespace sgf

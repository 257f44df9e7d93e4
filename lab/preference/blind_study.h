// A blind study: pairs in random order, each with a random side for method A. Raters see sides; only the key, which
// they do not get, has the methods. Torch-free.
#pragma once

#include "lab/preference/paired_videos.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// One pair as shown to a rater: the files by SHA-256.
struct ShownPair {
  std::string left, right;

  bool operator==(const ShownPair&) const = default;
};

// The identity of a study: a hash of pairs, sides and order.
std::string study_id(const std::vector<ShownPair>& shown);

struct BlindPair {
  ShownPair shown;
  bool a_is_left = true;
  std::string caption;
  std::filesystem::path a, b;
};

struct BlindStudy {
  std::array<std::string, 2> names;  // of methods A and B
  int64_t seed = 0;
  std::vector<BlindPair> pairs;  // in display order

  std::vector<ShownPair> shown() const;
  std::string id() const;
};

// A is on the left in half of the pairs; the seed determines which, and the order.
BlindStudy make_blind_study(std::vector<VideoPair> pairs, std::array<std::string, 2> names, int64_t seed);

nlohmann::json to_json(const BlindStudy& study);
// Reads a key file; throws if it is invalid.
BlindStudy read_blind_study(const std::filesystem::path& path);

}  // namespace sgf

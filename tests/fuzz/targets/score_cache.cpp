// A kept score: a file that somebody else may have written is passed over.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/evaluation/score_cache.h"
#include "sgf/files/sha256.h"

#include <nlohmann/json.hpp>

namespace sgf::fuzz {
namespace {

void read(std::string_view input) {
  static const nlohmann::json key{{"metric", "dynamic_degree"}, {"video", "sha"}};
  ScoreCache cache(scratch_folder() / "scores");
  scratch_file("scores/" + sha256_of(key.dump()) + ".json", input);
  const nlohmann::json found = cache.find(key);
  if (found.is_null()) return;
  cache.keep(key, found);
  must(cache.find(key) == found, "a kept score is found again");
}

const Registered target("score_cache", read);

}  // namespace
}  // namespace sgf::fuzz

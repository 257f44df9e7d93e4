// The answers of one rater, as exported by the page of a study. Torch-free.
#pragma once

#include "lab/preference/blind_study.h"
#include "sgf/core/enum_names.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

enum class RaterChoice { kLeft, kSame, kRight };  // which is better

constexpr auto enum_names(RaterChoice) {
  return std::array{EnumName{RaterChoice::kLeft, "left"}, EnumName{RaterChoice::kSame, "same"},
                    EnumName{RaterChoice::kRight, "right"}};
}

struct RaterAnswers {
  std::filesystem::path file;
  std::string rater;
  std::vector<ShownPair> shown;
  std::vector<std::optional<RaterChoice>> choices;  // one per pair; empty if open
};

// Throws with the place of the fault if the file is invalid.
RaterAnswers read_answers(const std::filesystem::path& path);

// Answers to one study, each rater once; otherwise throws and names the files.
std::vector<RaterAnswers> read_all_answers(const std::vector<std::filesystem::path>& files);

// For each pair, whether A was on the left, from the key of the study or from the videos. Throws if the answers do not
// belong to them.
std::vector<bool> sides_by_key(const std::vector<ShownPair>& shown, const BlindStudy& key);
std::vector<bool> sides_by_videos(const std::vector<ShownPair>& shown, const std::filesystem::path& a,
                                  const std::filesystem::path& b);

}  // namespace sgf

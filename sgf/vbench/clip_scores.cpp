#include "sgf/vbench/clip_scores.h"

#include "sgf/core/error.h"

namespace sgf {
namespace {

double mean_of(const std::vector<double>& values) {
  SGF_CHECK(!values.empty(), "the mean needs at least one score, got none");
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

double mean_over_clips(const std::vector<ClipScore>& scores) {
  std::vector<double> values;
  for (const ClipScore& clip : scores) values.push_back(clip.score);
  return mean_of(values);
}

double mean_over_videos(const std::vector<ClipScore>& scores) {
  std::vector<std::string> videos;  // in the order of their arrival
  std::map<std::string, std::vector<double>> clips;
  for (const ClipScore& clip : scores) {
    if (!clips.contains(clip.video)) videos.push_back(clip.video);
    clips[clip.video].push_back(clip.score);
  }
  std::vector<double> means;
  for (const std::string& video : videos) means.push_back(mean_of(clips[video]));
  return mean_of(means);
}

double mean_over_pictures(const std::vector<ClipScore>& scores) {
  double sum = 0;
  int64_t count = 0;
  for (const ClipScore& clip : scores) {
    sum += clip.score * static_cast<double>(clip.weight);
    count += clip.weight;
  }
  SGF_CHECK(count > 0, "the mean needs at least one score, got none");
  return sum / static_cast<double>(count);
}

bool StaticClipChoice::wants(const std::string& prompt) const {
  if (!prompts_.empty() && !prompts_.contains(prompt)) return false;
  const auto taken = taken_.find(prompt);
  return taken == taken_.end() || taken->second < most_;
}

}  // namespace sgf

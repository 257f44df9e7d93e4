// Many scores become one: over the pictures of videos, over clips, over videos.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sgf {

// A clip of a long video, or a short video, which is its own clip.
struct ClipScore {
  std::string video;
  std::string prompt;
  double score = 0;
  int64_t weight = 1;  // how many picture-to-picture scores it is the mean of
};

// Each clip counts once. It is what VBench-Long computes where it means to take the mean over videos: the key it groups
// by names the clip. Equal to mean_over_videos where all videos have as many clips.
double mean_over_clips(const std::vector<ClipScore>& scores);

// The mean of each video's clips, then the mean of those. What VBench-Long does for clips that passed the static
// filter.
double mean_over_videos(const std::vector<ClipScore>& scores);

// Each picture-to-picture score counts once: VBench's subject and background consistency, in one process.
double mean_over_pictures(const std::vector<ClipScore>& scores);

// Which clips temporal flickering is measured on: those that stand still, of prompts that the benchmark has for it (all
// prompts where the set is empty), and the first few of each.
class StaticClipChoice {
 public:
  explicit StaticClipChoice(std::set<std::string> prompts = {}, int64_t most = 5)
      : prompts_(std::move(prompts)), most_(most) {}

  bool wants(const std::string& prompt) const;  // before RAFT is asked
  void take(const std::string& prompt) { ++taken_[prompt]; }

 private:
  std::set<std::string> prompts_;
  int64_t most_;
  std::map<std::string, int64_t> taken_;
};

}  // namespace sgf

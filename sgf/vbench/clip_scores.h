// Combines many scores into one: over the frames of videos, over clips, over videos.
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
  int64_t weight = 1;  // number of frame-to-frame scores in its mean
};

// Each clip counts once. VBench-Long computes this where it intends the mean over videos, because its grouping key
// names the clip. Equal to mean_over_videos if all videos have the same number of clips.
double mean_over_clips(const std::vector<ClipScore>& scores);

// The mean of each video's clips, then the mean of those. VBench-Long does this for clips that passed the static
// filter.
double mean_over_videos(const std::vector<ClipScore>& scores);

// Each frame-to-frame score counts once: VBench's subject and background consistency, in one process.
double mean_over_pictures(const std::vector<ClipScore>& scores);

// Which clips temporal flickering is measured on: static clips of the prompts that the benchmark uses for it (all
// prompts if the set is empty), and only the first few of each prompt.
class StaticClipChoice {
 public:
  explicit StaticClipChoice(std::set<std::string> prompts = {}, int64_t most = 5)
      : prompts_(std::move(prompts)), most_(most) {}

  bool wants(const std::string& prompt) const;  // checked before RAFT runs
  void take(const std::string& prompt) { ++taken_[prompt]; }

 private:
  std::set<std::string> prompts_;
  int64_t most_;
  std::map<std::string, int64_t> taken_;
};

}  // namespace sgf

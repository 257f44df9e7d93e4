// The clips of a video of any length as sources of frames, one at a time.
#pragma once

#include "sgf/media/frame_source.h"
#include "sgf/vbench/clip_split.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace sgf {

// Size, rate and length of a video, found by decoding it once; for a folder of PNG files, by counting them.
struct VideoFacts {
  int64_t width = 0;
  int64_t height = 0;
  int64_t pictures = 0;
  double fps = 0;
};

// `fps` is used if the source has no rate, as a folder of PNG files.
VideoFacts look_at_video(const std::filesystem::path& file, double fps);

// The clips of a plan, in any order; ascending order is fastest: one source reads through the video and restarts only
// for an earlier clip. With re-encoding, each clip is written as H.264 as in VBench-Long and read back, so that scores
// are of compressed frames; otherwise frames are unchanged.
class VideoClips {
 public:
  VideoClips(std::filesystem::path file, ClipPlan plan, bool reencodes);
  ~VideoClips();
  VideoClips(const VideoClips&) = delete;
  VideoClips& operator=(const VideoClips&) = delete;

  const ClipPlan& plan() const { return plan_; }

  // Only one source may be read at a time.
  std::unique_ptr<FrameSource> open(size_t clip);
  // The first frame of every clip, in order; with re-encoding, these are written and read back again.
  std::unique_ptr<FrameSource> open_first_pictures();

 private:
  class Part;

  std::optional<RgbImage> picture(int64_t index);
  std::filesystem::path written_clip(size_t clip);
  void write(FrameSource& pictures, const std::filesystem::path& path) const;

  std::filesystem::path file_;
  ClipPlan plan_;
  bool reencodes_;
  std::unique_ptr<FrameSource> running_;  // reads through the whole video
  int64_t position_ = 0;                  // of its next frame
  std::filesystem::path folder_;          // of re-encoded clips; empty: none yet
};

}  // namespace sgf

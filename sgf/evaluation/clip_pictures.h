// The clips of a video as sources of pictures, one at a time, however long the video is.
#pragma once

#include "sgf/media/frame_source.h"
#include "sgf/vbench/clip_split.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace sgf {

// What a video is, found by decoding all of it once; of a folder of PNG files, by counting them.
struct VideoFacts {
  int64_t width = 0;
  int64_t height = 0;
  int64_t pictures = 0;
  double fps = 0;
};

// `fps` stands in where the file names none, as a folder of PNG files does not.
VideoFacts look_at_video(const std::filesystem::path& file, double fps);

// The clips of a plan, opened in any order, best in their own: one source runs through the video, and begins anew only
// where a clip lies before it. Re-encoded, each clip is written as H.264 the way VBench-Long does it and read back, so
// that scores are of compressed pictures; otherwise pictures are passed on as they are.
class VideoClips {
 public:
  VideoClips(std::filesystem::path file, ClipPlan plan, bool reencodes);
  ~VideoClips();
  VideoClips(const VideoClips&) = delete;
  VideoClips& operator=(const VideoClips&) = delete;

  const ClipPlan& plan() const { return plan_; }

  // One source at a time may be read from.
  std::unique_ptr<FrameSource> open(size_t clip);
  // The first picture of every clip, in order; re-encoded, these are written and read back once more.
  std::unique_ptr<FrameSource> open_first_pictures();

 private:
  class Part;

  std::optional<RgbImage> picture(int64_t index);
  std::filesystem::path written_clip(size_t clip);
  void write(FrameSource& pictures, const std::filesystem::path& path) const;

  std::filesystem::path file_;
  ClipPlan plan_;
  bool reencodes_;
  std::unique_ptr<FrameSource> running_;  // through the whole video
  int64_t position_ = 0;                  // of its next picture
  std::filesystem::path folder_;          // of clips written; empty: none yet
};

}  // namespace sgf

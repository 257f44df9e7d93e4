// Reads video files as frames, through FFmpeg. A build without FFmpeg has this class too; it says what to install.
#pragma once

#include "sgf/media/frame_source.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace sgf {

// Reads mp4, mov, mkv, webm, avi, mpegts, y4m and gif files: only the file itself, never files that it refers to.
// Colour matrix and range are those that the file specifies. A file that specifies none is read in limited range, with
// the matrix that `reading` selects.
//
// A file that grew in place and was cut off by a kill ends with its last complete fragment (video_fragments.h counts
// its frames). Any other damage is an Error.
class VideoReader : public FrameSource {
 public:
  explicit VideoReader(const std::filesystem::path& path, ColourReading reading = ColourReading::kFine);
  ~VideoReader() override;

  int64_t width() const override;
  int64_t height() const override;
  std::optional<double> fps() const override;
  std::optional<int64_t> frame_count() const override;
  std::optional<RgbImage> next() override;
  std::optional<double> time() const override;

  // Skips the next frame; returns false after the last. It is decoded but not converted to RGB, which takes longer.
  bool skip();

 private:
  class Decoder;
  std::unique_ptr<Decoder> decoder_;
};

// Whether this build has FFmpeg.
bool can_read_videos();

// The VideoFileSettings::note with which the file was written, or the comment of another program.
std::optional<std::string> read_video_note(const std::filesystem::path& path);

}  // namespace sgf

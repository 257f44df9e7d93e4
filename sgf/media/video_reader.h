// Video files as pictures, through FFmpeg. A build without FFmpeg has this too, and says what to install.
#pragma once

#include "sgf/media/frame_source.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace sgf {

// Reads mp4, mov, mkv, webm, avi, mpegts, y4m and gif files: from the file alone, never from what it may point to. The
// colour matrix and range are those the file names; a file that names none is in limited range, and of the matrix that
// `reading` says.
//
// A file that grew in place and was cut off by a kill ends where its last whole fragment does (video_fragments.h says
// how many pictures that makes); other damage is an Error.
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

  // Passes over the next picture; false after the last. It is decoded, but not brought to RGB, which takes longer.
  bool skip();

 private:
  class Decoder;
  std::unique_ptr<Decoder> decoder_;
};

// Whether this build has FFmpeg.
bool can_read_videos();

// What VideoFileSettings::note was when the file was written, or the comment that another program left in it.
std::optional<std::string> read_video_note(const std::filesystem::path& path);

}  // namespace sgf

// Pictures as raw video, YUV4MPEG2: what ffmpeg, mpv and x264 read from a pipe. Needs no FFmpeg.
//
// 4:2:0 of BT.709 in limited range, each colour the mean of its four pixels. The format has no word for the matrix:
// readers that would guess another are to be told (ffmpeg: -colorspace bt709).
#pragma once

#include "sgf/media/png.h"
#include "sgf/media/video_output.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct Y4mSettings {
  int64_t width = 0;  // any size: an odd edge keeps its colour to itself
  int64_t height = 0;
  double fps = 16;
  std::string mark;  // what made it, in letters and digits; readers pass over it. Empty: none
};

// Y, then Cb, then Cr, row by row.
std::vector<std::byte> to_yuv420(const RgbImage& image);

// Whole pictures in a file that has that head; nothing in any other.
std::optional<int64_t> count_y4m_pictures(const std::filesystem::path& path, const Y4mSettings& settings);

// Of a file whose head is whole: "" where it has none. Nothing where the head is cut off or is no y4m's.
std::optional<std::string> read_y4m_mark(const std::filesystem::path& path);

class Y4mWriter {
 public:
  Y4mWriter(std::unique_ptr<VideoOutput> output, const Y4mSettings& settings);
  // Goes on with a file after so many pictures. Another kind of file, or one that is shorter, is refused.
  Y4mWriter(const std::filesystem::path& path, const Y4mSettings& settings, int64_t pictures);

  void add(const RgbImage& frame);
  int64_t sync();  // all that came is on the disk, or in the pipe; the bytes so far
  void finish();

  int64_t pictures() const { return pictures_; }

 private:
  Y4mSettings settings_;
  std::unique_ptr<VideoOutput> output_;
  int64_t pictures_ = 0;
};

}  // namespace sgf

// Writes frames as raw video, YUV4MPEG2, which ffmpeg, mpv and x264 read from a pipe. Needs no FFmpeg.
//
// 4:2:0 of BT.709 in limited range; each chroma sample is the mean of its four pixels. The format cannot specify the
// matrix: tell readers that would assume another (ffmpeg: -colorspace bt709).
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
  int64_t width = 0;  // any size: pixels at an odd edge share chroma with no neighbour
  int64_t height = 0;
  double fps = 16;
  std::string mark;  // what made the video, in letters and digits; readers skip it. Empty: none
};

// Y, then Cb, then Cr, row by row.
std::vector<std::byte> to_yuv420(const RgbImage& image);

// Complete frames in a file that has this header; nullopt for any other file.
std::optional<int64_t> count_y4m_pictures(const std::filesystem::path& path, const Y4mSettings& settings);

// The mark of a file with a complete header; "" if it has none. nullopt if the header is cut off or not y4m.
std::optional<std::string> read_y4m_mark(const std::filesystem::path& path);

class Y4mWriter {
 public:
  Y4mWriter(std::unique_ptr<VideoOutput> output, const Y4mSettings& settings);
  // Continues a file after this many frames. Another kind of file, or a shorter one, is refused.
  Y4mWriter(const std::filesystem::path& path, const Y4mSettings& settings, int64_t pictures);

  void add(const RgbImage& frame);
  int64_t sync();  // everything added is on disk, or in the pipe; returns the bytes so far
  void finish();

  int64_t pictures() const { return pictures_; }

 private:
  Y4mSettings settings_;
  std::unique_ptr<VideoOutput> output_;
  int64_t pictures_ = 0;
};

}  // namespace sgf

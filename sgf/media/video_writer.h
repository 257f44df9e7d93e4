// Pictures as a video file, through FFmpeg: H.264 in mp4. A build without FFmpeg has this too, and says what to
// install.
//
// Unless plain coding is asked for, colours are written as BT.709 in limited range, 4:2:0, and the file says so:
// players and VideoReader read back the same matrix. Brightness survives to about a step of 255; colour is kept once
// for four pixels.
#pragma once

#include "sgf/media/png.h"
#include "sgf/media/sink_place.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace sgf {

// When the file can be seen under its name.
enum class VideoGrowth {
  kWhole,    // once it is finished, and never half of it: an ordinary mp4
  kInPlace,  // from the first picture on, a fragment a second: can be played while it grows, and after a kill
};

// How pictures are coded, beside quality.
enum class VideoCoding {
  kOwn,    // BT.709, and the file says so; a key frame a second; the same bytes for the same pictures everywhere
  kPlain,  // what libx264 does for a program that sets nothing: BT.601 and no word of it, rate factor 23, key frames as
           // it likes. Near to torchvision's write_video, which VBench-Long cuts clips with.
};

struct VideoFileSettings {
  int64_t width = 0;  // even, as is the height: 4:2:0 halves both
  int64_t height = 0;
  double fps = 16;
  int64_t crf = 12;  // libx264's constant rate factor: 0 is largest and best, 51 smallest and worst
  VideoCoding coding = VideoCoding::kOwn;  // plain: `crf` is not looked at
  VideoGrowth growth = VideoGrowth::kWhole;
  std::string encoder;  // FFmpeg's name; empty: libx264, or another for H.264, or mpeg4
  std::string note;     // what made it, as UTF-8; lies in the file as its comment, and read_video_note() gives it back
};

class VideoWriter {
 public:
  VideoWriter(const std::filesystem::path& path, const VideoFileSettings& settings);
  // Goes on with a file that grew in place, from what a sync() had returned; what came after it is cut off. The file
  // ends byte for byte as if it had never been left, if the syncs come at the same pictures. A file of another size,
  // rate, encoder or note, or that has not come so far, is refused and left as it is.
  VideoWriter(const std::filesystem::path& path, const VideoFileSettings& settings, const SinkPlace& from);
  // Without finish() a kWhole file never appears.
  ~VideoWriter();

  void add(const RgbImage& frame);
  void finish();  // at least one picture must have come

  // All that came is on the disk, in whole fragments. The next picture is a key frame of an encoder that knows nothing
  // of those before it. Only for files that grow in place.
  SinkPlace sync();

  const std::string& encoder() const;  // "libx264", or what stood in for it
  bool is_h264() const;                // false: not every browser plays it

 private:
  class Encoder;
  std::unique_ptr<Encoder> encoder_;
};

bool can_write_videos();

// What this build can do with video files, for `sgf --version`: "FFmpeg (libavcodec 59.37, libx264)".
std::string video_component();

}  // namespace sgf

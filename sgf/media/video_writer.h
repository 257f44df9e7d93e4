// Writes frames as a video file, through FFmpeg: H.264 in mp4. A build without FFmpeg has this class too; it says what
// to install.
//
// Unless plain coding is selected, colours are written as BT.709 in limited range, 4:2:0, and tagged in the file:
// players and VideoReader read back the same matrix. Brightness is preserved to about one step of 255; chroma is stored
// once per four pixels.
#pragma once

#include "sgf/media/png.h"
#include "sgf/media/sink_place.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace sgf {

// When the file appears under its name.
enum class VideoGrowth {
  kWhole,    // once it is finished and complete: an ordinary mp4
  kInPlace,  // from the first frame on, one fragment per second: playable while it grows and after a kill
};

// How frames are coded, apart from quality.
enum class VideoCoding {
  kOwn,    // BT.709, tagged in the file; one key frame per second; same frames, same bytes on any machine
  kPlain,  // libx264's defaults: untagged BT.601, rate factor 23, free key frames.
           // Close to torchvision's write_video, with which VBench-Long cuts clips.
};

inline constexpr int64_t kLongestVideoSide = 8192;  // pixels

struct VideoFileSettings {
  int64_t width = 0;  // width and height must be even: 4:2:0 halves both
  int64_t height = 0;
  double fps = 16;
  int64_t crf = 12;  // libx264's constant rate factor: 0 is largest and best, 51 smallest and worst
  VideoCoding coding = VideoCoding::kOwn;  // plain ignores `crf`
  VideoGrowth growth = VideoGrowth::kWhole;
  std::string encoder;  // FFmpeg's name; empty: libx264, else another H.264 encoder, else mpeg4
  std::string note;     // what made the video, as UTF-8; stored as the file's comment, read by read_video_note()
};

class VideoWriter {
 public:
  VideoWriter(const std::filesystem::path& path, const VideoFileSettings& settings);
  // Continues a file that grew in place, from the result of a sync(); everything after it is cut off. The file ends
  // byte for byte as if never interrupted, if the syncs come at the same frames. A file of another size, rate, encoder
  // or note, or that is too short, is refused and left unchanged.
  VideoWriter(const std::filesystem::path& path, const VideoFileSettings& settings, const SinkPlace& from);
  // Without finish() a kWhole file never appears.
  ~VideoWriter();

  void add(const RgbImage& frame);
  void finish();  // at least one frame must have been added

  // Everything added is on disk, in complete fragments. The next frame is a key frame of a new encoder. Only for files
  // that grow in place.
  SinkPlace sync();

  const std::string& encoder() const;  // "libx264", or the encoder used instead
  bool is_h264() const;                // if false, not every browser plays it

 private:
  class Encoder;
  std::unique_ptr<Encoder> encoder_;
};

bool can_write_videos();

// The video support of this build, for `sgf --version`: "FFmpeg (libavcodec 59.37, libx264)".
std::string video_component();

}  // namespace sgf

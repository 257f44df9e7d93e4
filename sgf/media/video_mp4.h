// One video stream in an mp4 file, whose bytes go through a file of our own. Only VideoWriter uses it.
#pragma once

#include "sgf/media/ffmpeg_handles.h"
#include "sgf/media/video_output.h"
#include "sgf/media/video_writer.h"

#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace sgf {

class Mp4File {
 public:
  // In place: fragments, each begun by a key frame, in order. Otherwise an ordinary file with its index at the end.
  // From a place: a file that grew so far, under the same settings, goes on.
  Mp4File(const std::filesystem::path& path, const AVCodecContext& encoder, const VideoFileSettings& settings,
          const std::optional<SinkPlace>& from);

  void add(AVPacket& packet, AVRational time_base);  // timed in this time base
  int64_t end_fragment();                            // all that came is on the disk; the bytes of the file
  void finish();

 private:
  // Frees the muxer and its buffer. What it still held is lost, as in a kill.
  struct FreeMuxer {
    void operator()(AVFormatContext* context) const;
  };

  void open_muxer();
  int write_header(int64_t first_fragment);
  void require(int code);
  void pass_on();  // what the muxer wrote since, to the file

  std::unique_ptr<VideoOutput> output_;
  std::unique_ptr<AVFormatContext, FreeMuxer> context_;
  AVStream* stream_ = nullptr;
  bool in_place_;
  std::vector<std::byte> written_;  // in place: by the muxer, and not yet passed on
  std::exception_ptr failure_;      // of `output_`, while FFmpeg is on the stack

  friend struct Mp4Callbacks;
};

}  // namespace sgf

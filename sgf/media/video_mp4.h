// One video stream in an mp4 file, whose bytes are written through a VideoOutput. Only VideoWriter uses it.
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
  // In place: fragments in order, each starting with a key frame. Otherwise an ordinary file with its index at the end.
  // With a place: continues a file that grew up to there under the same settings.
  Mp4File(const std::filesystem::path& path, const AVCodecContext& encoder, const VideoFileSettings& settings,
          const std::optional<SinkPlace>& from);

  void add(AVPacket& packet, AVRational time_base);  // timestamps are in this time base
  int64_t end_fragment();                            // everything added is on disk; returns the bytes of the file
  void finish();

 private:
  // Frees the muxer and its buffer. Data still in it is lost, as after a kill.
  struct FreeMuxer {
    void operator()(AVFormatContext* context) const;
  };

  void open_muxer();
  int write_header(int64_t first_fragment);
  void require(int code);
  void pass_on();  // writes the muxer's new bytes to the file

  std::unique_ptr<VideoOutput> output_;
  std::unique_ptr<AVFormatContext, FreeMuxer> context_;
  AVStream* stream_ = nullptr;
  bool in_place_;
  std::vector<std::byte> written_;  // in place: from the muxer, not yet passed on
  std::exception_ptr failure_;      // from `output_`, kept while FFmpeg is on the stack

  friend struct Mp4Callbacks;
};

}  // namespace sgf

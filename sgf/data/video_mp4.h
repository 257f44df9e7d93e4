// One video stream in an mp4 file, whose bytes go through a file of our own. Only VideoWriter uses it.
#pragma once

#include "sgf/data/ffmpeg_handles.h"
#include "sgf/data/video_output.h"

#include <exception>
#include <filesystem>
#include <memory>

namespace sgf {

class Mp4File {
 public:
  // In place: fragments, each begun by a key frame, in order. Otherwise an ordinary file with its index at the end.
  Mp4File(const std::filesystem::path& path, const AVCodecContext& encoder, bool in_place);
  ~Mp4File();
  Mp4File(const Mp4File&) = delete;
  Mp4File& operator=(const Mp4File&) = delete;

  void add(AVPacket& packet, AVRational time_base);  // timed in this time base
  void finish();

 private:
  int write_header(bool in_place);
  void require(int code);
  void close();

  std::unique_ptr<VideoOutput> output_;
  AVFormatContext* context_ = nullptr;
  AVStream* stream_ = nullptr;
  std::exception_ptr failure_;  // of `output_`, while FFmpeg is on the stack

  friend struct Mp4Callbacks;
};

}  // namespace sgf

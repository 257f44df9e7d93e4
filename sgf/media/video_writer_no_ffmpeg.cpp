#include "sgf/media/video_writer.h"

#include "sgf/core/error.h"

namespace sgf {

class VideoWriter::Encoder {};

VideoWriter::VideoWriter(const std::filesystem::path& path, const VideoFileSettings&) {
  fail(
      "{}: this build cannot write video files; install libavcodec-dev libavformat-dev libswscale-dev libavutil-dev "
      "pkg-config and build again, or write PNG files",
      path.string());
}
VideoWriter::VideoWriter(const std::filesystem::path& path, const VideoFileSettings& settings, const SinkPlace&)
    : VideoWriter(path, settings) {}
VideoWriter::~VideoWriter() = default;

// Never called: the constructor throws.
void VideoWriter::add(const RgbImage&) {}
void VideoWriter::finish() {}
SinkPlace VideoWriter::sync() { return {}; }
const std::string& VideoWriter::encoder() const {
  static const std::string none;
  return none;
}
bool VideoWriter::is_h264() const { return false; }

bool can_write_videos() { return false; }
std::string video_component() { return "no FFmpeg"; }

}  // namespace sgf

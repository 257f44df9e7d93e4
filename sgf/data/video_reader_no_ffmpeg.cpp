#include "sgf/data/video_reader.h"

#include "sgf/core/error.h"

namespace sgf {

class VideoReader::Decoder {};

VideoReader::VideoReader(const std::filesystem::path& path) {
  fail("data",
       "{}: this build reads no video files: install libavcodec-dev libavformat-dev libswscale-dev libavutil-dev "
       "pkg-config and build again, or give a folder of PNG files",
       path.string());
}
VideoReader::~VideoReader() = default;

// There is never a reader to call these on.
int64_t VideoReader::width() const { return 0; }
int64_t VideoReader::height() const { return 0; }
std::optional<double> VideoReader::fps() const { return std::nullopt; }
std::optional<int64_t> VideoReader::frame_count() const { return std::nullopt; }
std::optional<RgbImage> VideoReader::next() { return std::nullopt; }

}  // namespace sgf

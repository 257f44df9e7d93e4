#include "sgf/media/video_reader.h"

#include "sgf/core/error.h"

namespace sgf {

class VideoReader::Decoder {};

namespace {

[[noreturn]] void refuse_to_read(const std::filesystem::path& path) {
  fail(
      "{}: this build cannot read video files; install libavcodec-dev libavformat-dev libswscale-dev libavutil-dev "
      "pkg-config and build again, or pass a folder of PNG files",
      path.string());
}

}  // namespace

VideoReader::VideoReader(const std::filesystem::path& path, ColourReading) { refuse_to_read(path); }
VideoReader::~VideoReader() = default;

// Never called: the constructor throws.
int64_t VideoReader::width() const { return 0; }
int64_t VideoReader::height() const { return 0; }
std::optional<double> VideoReader::fps() const { return std::nullopt; }
std::optional<int64_t> VideoReader::frame_count() const { return std::nullopt; }
std::optional<RgbImage> VideoReader::next() { return std::nullopt; }
std::optional<double> VideoReader::time() const { return std::nullopt; }
bool VideoReader::skip() { return false; }

bool can_read_videos() { return false; }

std::optional<std::string> read_video_note(const std::filesystem::path& path) { refuse_to_read(path); }

}  // namespace sgf

// Frames in order, from a video file or a folder of PNG files; both have the same interface.
#pragma once

#include "sgf/media/png.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace sgf {

// Holds one frame at a time, however long the video is.
class FrameSource {
 public:
  virtual ~FrameSource() = default;

  virtual int64_t width() const = 0;
  virtual int64_t height() const = 0;
  virtual std::optional<double> fps() const = 0;
  virtual std::optional<int64_t> frame_count() const = 0;  // if the file says so before it is read

  // The next frame, or nullopt after the last.
  virtual std::optional<RgbImage> next() = 0;

  // When that frame is shown, in seconds after the first, if the file says so.
  virtual std::optional<double> time() const = 0;
};

// By extension: .png or .PNG.
bool is_png(const std::filesystem::path& file);

// The PNG files directly in a folder, sorted by name.
std::vector<std::filesystem::path> png_files_in(const std::filesystem::path& folder);

// How YUV is converted to RGB if a file does not specify it. The results differ by a few steps of 255.
enum class ColourReading {
  kFine,   // a file without a matrix is read as BT.709; chroma is interpolated
  kUsual,  // like OpenCV and decord: such a file is read as BT.601; four pixels share a chroma sample
};

// Opens a video file, or a folder of PNG files in the order of their names. Throws an Error that names the file if it
// is not a video or has no frames.
std::unique_ptr<FrameSource> open_frames(const std::filesystem::path& path,
                                         ColourReading reading = ColourReading::kFine);

}  // namespace sgf

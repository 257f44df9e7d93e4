// Pictures that come one after another, from a video file or a folder of PNG files: whoever reads them cannot tell.
#pragma once

#include "sgf/media/png.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace sgf {

// Holds one picture at a time, however long the video is.
class FrameSource {
 public:
  virtual ~FrameSource() = default;

  virtual int64_t width() const = 0;
  virtual int64_t height() const = 0;
  virtual std::optional<double> fps() const = 0;
  virtual std::optional<int64_t> frame_count() const = 0;  // where the file says so before it is read

  // The next picture, or nothing after the last.
  virtual std::optional<RgbImage> next() = 0;

  // When that picture is shown, in seconds after the first, where the file says so.
  virtual std::optional<double> time() const = 0;
};

// By its name: .png or .PNG.
bool is_png(const std::filesystem::path& file);

// The PNG files right in a folder, by name.
std::vector<std::filesystem::path> png_files_in(const std::filesystem::path& folder);

// How YUV becomes RGB where a file leaves it open. Pictures differ by a few steps of 255.
enum class ColourReading {
  kFine,   // a file that names no matrix is BT.709; colour is interpolated between its samples
  kUsual,  // as OpenCV and decord have it: such a file is BT.601; the four pixels of a colour sample share it
};

// Opens a video file, or a folder of PNG files in the order of their names. A file without a single picture, or that is
// no video, is an Error that names it.
std::unique_ptr<FrameSource> open_frames(const std::filesystem::path& path,
                                         ColourReading reading = ColourReading::kFine);

}  // namespace sgf

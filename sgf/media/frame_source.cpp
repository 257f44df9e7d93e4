#include "sgf/media/frame_source.h"

#include "sgf/core/error.h"
#include "sgf/media/video_reader.h"

#include <algorithm>

namespace sgf {
namespace {

class PngFolder : public FrameSource {
 public:
  explicit PngFolder(const std::filesystem::path& folder) : files_(png_files_in(folder)) {
    SGF_CHECK(!files_.empty(), "{} contains no .png files; expected a folder with frame_00000.png and so on",
              folder.string());
    const RgbImage first = read_png(files_.front());
    width_ = first.width;
    height_ = first.height;
  }

  int64_t width() const override { return width_; }
  int64_t height() const override { return height_; }
  std::optional<double> fps() const override { return std::nullopt; }
  std::optional<int64_t> frame_count() const override { return static_cast<int64_t>(files_.size()); }
  std::optional<double> time() const override { return std::nullopt; }

  std::optional<RgbImage> next() override {
    if (next_ == files_.size()) return std::nullopt;
    const std::filesystem::path& file = files_[next_++];
    RgbImage image = read_png(file);
    SGF_CHECK(image.width == width_ && image.height == height_, "{} is {} x {}, but the frames before it are {} x {}",
              file.string(), image.width, image.height, width_, height_);
    return image;
  }

 private:
  std::vector<std::filesystem::path> files_;
  size_t next_ = 0;
  int64_t width_ = 0;
  int64_t height_ = 0;
};

}  // namespace

bool is_png(const std::filesystem::path& file) { return file.extension() == ".png" || file.extension() == ".PNG"; }

std::vector<std::filesystem::path> png_files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (is_png(entry.path()) && !name.starts_with(".")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::unique_ptr<FrameSource> open_frames(const std::filesystem::path& path, ColourReading reading) {
  SGF_CHECK(std::filesystem::exists(path), "{}: no such file or folder", path.string());
  if (std::filesystem::is_directory(path)) return std::make_unique<PngFolder>(path);
  return std::make_unique<VideoReader>(path, reading);
}

}  // namespace sgf

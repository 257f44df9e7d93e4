#include "sgf/evaluation/clip_pictures.h"

#include "sgf/core/error.h"
#include "sgf/media/video_reader.h"
#include "sgf/media/video_writer.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include <stdlib.h>

namespace sgf {
namespace {

std::filesystem::path new_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "sgf-clips-XXXXXX").string();
  SGF_CHECK(::mkdtemp(name.data()) != nullptr, "cannot create a folder for clips at {}", name);
  return name;
}

}  // namespace

VideoFacts look_at_video(const std::filesystem::path& file, double fps) {
  if (std::filesystem::is_directory(file)) {
    const auto source = open_frames(file);
    return {.width = source->width(), .height = source->height(), .pictures = *source->frame_count(), .fps = fps};
  }
  VideoReader reader(file, ColourReading::kUsual);
  VideoFacts facts{
      .width = reader.width(), .height = reader.height(), .pictures = 0, .fps = reader.fps().value_or(fps)};
  while (reader.skip()) ++facts.pictures;
  return facts;
}

// Frames by number; the first one determines the size.
class VideoClips::Part : public FrameSource {
 public:
  using ByNumber = std::function<std::optional<RgbImage>(int64_t)>;

  Part(ByNumber pictures, FrameSpan numbers, double fps)
      : pictures_(std::move(pictures)), numbers_(numbers), fps_(fps), waiting_(pictures_(numbers.begin)) {
    SGF_CHECK(waiting_.has_value(), "frame {} is no longer available", numbers.begin);
    width_ = waiting_->width;
    height_ = waiting_->height;
  }

  int64_t width() const override { return width_; }
  int64_t height() const override { return height_; }
  std::optional<double> fps() const override { return fps_; }
  std::optional<double> time() const override { return std::nullopt; }
  std::optional<int64_t> frame_count() const override { return numbers_.frames(); }
  std::optional<RgbImage> next() override {
    const int64_t number = numbers_.begin + given_;
    if (number >= numbers_.end) return std::nullopt;
    return given_++ == 0 ? std::exchange(waiting_, std::nullopt) : pictures_(number);
  }

 private:
  ByNumber pictures_;
  FrameSpan numbers_;
  double fps_;
  std::optional<RgbImage> waiting_;
  int64_t given_ = 0;
  int64_t width_ = 0;
  int64_t height_ = 0;
};

VideoClips::VideoClips(std::filesystem::path file, ClipPlan plan, bool reencodes)
    : file_(std::move(file)), plan_(std::move(plan)), reencodes_(reencodes) {}

VideoClips::~VideoClips() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

std::optional<RgbImage> VideoClips::picture(int64_t index) {
  if (running_ == nullptr || index < position_) {
    running_ = open_frames(file_, ColourReading::kUsual);
    position_ = 0;
  }
  for (; position_ < index; ++position_)
    if (!running_->next()) return std::nullopt;
  ++position_;
  return running_->next();
}

void VideoClips::write(FrameSource& pictures, const std::filesystem::path& path) const {
  SGF_CHECK(pictures.width() % 2 == 0 && pictures.height() % 2 == 0,
            "clips of {} x {} cannot be re-encoded, since H.264 in 4:2:0 needs even sides; the original has the same "
            "limit; use "
            "--no-reencode",
            pictures.width(), pictures.height());
  VideoFileSettings settings;
  settings.width = pictures.width();
  settings.height = pictures.height();
  settings.fps = plan_.fps;
  settings.coding = VideoCoding::kPlain;
  VideoWriter writer(path, settings);
  while (const std::optional<RgbImage> next = pictures.next()) writer.add(*next);
  writer.finish();
}

std::filesystem::path VideoClips::written_clip(size_t clip) {
  if (folder_.empty()) folder_ = new_folder();
  const std::filesystem::path path = folder_ / fmt::format("{:05}.mp4", clip);
  if (std::filesystem::exists(path)) return path;
  Part pictures([this](int64_t number) { return picture(number); }, plan_.clips.at(clip), plan_.fps);
  write(pictures, path);
  return path;
}

std::unique_ptr<FrameSource> VideoClips::open(size_t clip) {
  if (reencodes_) return open_frames(written_clip(clip), ColourReading::kUsual);
  return std::make_unique<Part>([this](int64_t number) { return picture(number); }, plan_.clips.at(clip), plan_.fps);
}

std::unique_ptr<FrameSource> VideoClips::open_first_pictures() {
  const FrameSpan all{0, static_cast<int64_t>(plan_.clips.size())};
  const auto first_of = [this](int64_t clip) {
    const auto index = static_cast<size_t>(clip);
    return reencodes_ ? open(index)->next() : picture(plan_.clips.at(index).begin);
  };
  auto firsts = std::make_unique<Part>(first_of, all, plan_.fps);
  if (!reencodes_) return firsts;
  const std::filesystem::path path = folder_ / "firsts.mp4";
  write(*firsts, path);
  return open_frames(path, ColourReading::kUsual);
}

}  // namespace sgf

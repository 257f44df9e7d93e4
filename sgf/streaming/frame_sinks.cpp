#include "sgf/streaming/frame_sinks.h"

#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/mapped_file.h"
#include "sgf/media/png.h"
#include "sgf/media/video_writer.h"
#include "sgf/media/video_y4m.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <charconv>
#include <utility>
#include <vector>

namespace sgf {
namespace {

namespace fs = std::filesystem;

void check_pictures(const at::Tensor& pictures, const SinkSettings& settings) {
  SGF_CHECK(pictures.dim() == 4 && pictures.size(1) == 3 && pictures.size(2) == settings.height &&
                pictures.size(3) == settings.width && pictures.scalar_type() == at::kByte && pictures.device().is_cpu(),
            "a sink needs frames [F, 3, {}, {}] of bytes on the CPU, got [{}] of {} on {}", settings.height,
            settings.width, fmt::join(pictures.sizes().begin(), pictures.sizes().end(), ", "),
            toString(pictures.scalar_type()), pictures.device().str());
}

// Calls `take` with one frame after another.
template <class Take>
void each_picture(const at::Tensor& pictures, const SinkSettings& settings, const Take& take) {
  check_pictures(pictures, settings);
  const at::Tensor rows = pictures.permute({0, 2, 3, 1}).contiguous();
  for (int64_t f = 0; f < rows.size(0); ++f) {
    const uint8_t* first = rows.const_data_ptr<uint8_t>() + f * rows.stride(0);
    take(RgbImage{settings.height, settings.width, {first, first + rows.stride(0)}});
  }
}

class Mp4Sink : public FrameSink {
 public:
  Mp4Sink(const SinkSettings& settings, std::unique_ptr<VideoWriter> writer)
      : settings_(settings), writer_(std::move(writer)) {}

  void add(const at::Tensor& pictures) override {
    each_picture(pictures, settings_, [&](const RgbImage& image) { writer_->add(image); });
  }
  SinkPlace sync() override { return writer_->sync(); }
  void finish() override { writer_->finish(); }

 private:
  SinkSettings settings_;
  std::unique_ptr<VideoWriter> writer_;
};

constexpr const char* kPngNoteFile = "sgf-order.json";

std::string png_frame_name(int64_t number) { return fmt::format("frame_{:08}.png", number); }

// The number in `frame_00000012.png`; empty for another file.
std::optional<int64_t> png_frame_number(const std::string& name) {
  int64_t number = 0;
  if (!name.starts_with("frame_")) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + 6, name.data() + name.size(), number);
  return error == std::errc() && name == png_frame_name(number) ? std::optional(number) : std::nullopt;
}

std::vector<int64_t> png_frames_in(const fs::path& folder) {
  std::vector<int64_t> numbers;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (const auto number = png_frame_number(entry.path().filename().string())) numbers.push_back(*number);
  }
  return numbers;
}

void begin_png_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  SGF_CHECK(fs::is_directory(folder), "cannot create the folder {}: {}", folder.string(),
            error ? error.message() : "a file has that name");
  SGF_CHECK(png_frames_in(folder).empty(),
            "{} holds frames of an earlier video; choose another folder, or continue that video", folder.string());
}

// A frame, or what a power cut can leave of one: an empty file, or zeros.
bool may_be_frame(const fs::path& file) {
  if (!fs::is_regular_file(fs::symlink_status(file))) return false;
  const auto mapped = MappedFile::open(file);
  const std::string_view head = mapped->text().substr(0, 8);
  return head == std::string_view("\x89PNG\r\n\x1a\n", 8) || head.find_first_not_of('\0') == std::string_view::npos;
}

// Checks that all frames before the place exist, and that what would be removed after it are frames.
void check_png_folder(const fs::path& folder, int64_t pictures) {
  SGF_CHECK(fs::is_directory(folder), "{} cannot be continued: the folder does not exist", folder.string());
  int64_t found = 0;
  for (const int64_t number : png_frames_in(folder)) {
    const fs::path file = folder / png_frame_name(number);
    SGF_CHECK(number < pictures || may_be_frame(file),
              "{}: is no frame of this video, but has the name of one; move it", file.string());
    if (number < pictures) ++found;
  }
  SGF_CHECK(found == pictures, "{} cannot be continued after {} frames: only {} of them are there", folder.string(),
            pictures, found);
  if (pictures > 0) read_png(folder / png_frame_name(pictures - 1));
}

// Removes all frames after the place.
void cut_png_folder(const fs::path& folder, int64_t pictures) {
  for (const int64_t number : png_frames_in(folder)) {
    if (number >= pictures) fs::remove(folder / png_frame_name(number));
  }
}

void write_png_note(const fs::path& folder, const std::string& note) {
  AtomicFile file(folder / kPngNoteFile);
  file.write(note + "\n");
  file.commit();
}

// Each frame is written, synced and renamed, so sync() has nothing to do. A continued folder changes only when the
// first frame comes.
class PngSink : public FrameSink {
 public:
  PngSink(fs::path folder, const SinkSettings& settings, const MaybePlace& from)
      : folder_(std::move(folder)), settings_(settings), count_(from ? from->pictures : 0) {
    from ? check_png_folder(folder_, count_) : begin_png_folder(folder_);
  }

  void add(const at::Tensor& pictures) override {
    begin();
    each_picture(pictures, settings_,
                 [&](const RgbImage& image) { write_png(folder_ / png_frame_name(count_++), image); });
  }
  SinkPlace sync() override {
    begin();
    return {.pictures = count_};
  }
  void finish() override {
    begin();
    const int64_t found = count_png_frames(folder_);
    SGF_CHECK(found == count_, "{} holds only {} of {} frames: some were removed while the video was being written",
              folder_.string(), found, count_);
  }

 private:
  void begin() {
    if (std::exchange(is_begun_, true)) return;
    sweep_half_written(folder_);
    cut_png_folder(folder_, count_);
    if (!settings_.note.empty()) write_png_note(folder_, settings_.note);
  }

  fs::path folder_;
  SinkSettings settings_;
  int64_t count_;
  bool is_begun_ = false;
};

class Y4mSink : public FrameSink {
 public:
  Y4mSink(const SinkSettings& settings, std::unique_ptr<Y4mWriter> writer)
      : settings_(settings), writer_(std::move(writer)) {}

  void add(const at::Tensor& pictures) override {
    each_picture(pictures, settings_, [&](const RgbImage& image) { writer_->add(image); });
  }
  SinkPlace sync() override {
    const int64_t bytes = writer_->sync();
    return {writer_->pictures(), bytes};
  }
  void finish() override { writer_->finish(); }

 private:
  SinkSettings settings_;
  std::unique_ptr<Y4mWriter> writer_;
};

class CountingSink : public FrameSink {
 public:
  CountingSink(const SinkSettings& settings, const SinkPlace& place) : settings_(settings), place_(place) {}

  void add(const at::Tensor& pictures) override {
    check_pictures(pictures, settings_);
    place_.pictures += pictures.size(0);
    place_.bytes += pictures.numel();
  }
  SinkPlace sync() override { return place_; }
  void finish() override {}

 private:
  SinkSettings settings_;
  SinkPlace place_;
};

}  // namespace

std::unique_ptr<FrameSink> open_mp4_sink(const fs::path& path, const SinkSettings& settings, const MaybePlace& from) {
  const VideoFileSettings file{.width = settings.width,
                               .height = settings.height,
                               .fps = settings.fps,
                               .crf = settings.crf,
                               .growth = VideoGrowth::kInPlace,
                               .note = settings.note};
  auto writer = from ? std::make_unique<VideoWriter>(path, file, *from) : std::make_unique<VideoWriter>(path, file);
  return std::make_unique<Mp4Sink>(settings, std::move(writer));
}

std::optional<std::string> read_png_note(const fs::path& folder) {
  if (!fs::is_regular_file(folder / kPngNoteFile)) return std::nullopt;
  return std::string(MappedFile::open(folder / kPngNoteFile)->text());
}

int64_t count_png_frames(const fs::path& folder) { return static_cast<int64_t>(png_frames_in(folder).size()); }

std::unique_ptr<FrameSink> open_png_sink(const fs::path& folder, const SinkSettings& settings, const MaybePlace& from) {
  return std::make_unique<PngSink>(folder, settings, from);
}

std::unique_ptr<FrameSink> open_y4m_sink(const std::string& target, const SinkSettings& settings,
                                         const MaybePlace& from) {
  const bool is_pipe = target == "-";
  Y4mSettings file{.width = settings.width, .height = settings.height, .fps = settings.fps, .mark = settings.mark};
  if (is_pipe || (from && read_y4m_mark(target) == "")) file.mark.clear();  // files of earlier versions have no mark
  SGF_CHECK(!is_pipe || !from, "the standard output cannot be continued; write to a file instead");
  auto writer =
      from ? std::make_unique<Y4mWriter>(target, file, from->pictures)
           : std::make_unique<Y4mWriter>(is_pipe ? open_standard_output() : open_video_output(target, true), file);
  return std::make_unique<Y4mSink>(settings, std::move(writer));
}

std::unique_ptr<FrameSink> open_counting_sink(const SinkSettings& settings, const MaybePlace& from) {
  return std::make_unique<CountingSink>(settings, from.value_or(SinkPlace{}));
}

}  // namespace sgf

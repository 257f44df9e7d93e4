#include "sgf/vae/vae_files.h"

#include "sgf/core/error.h"
#include "sgf/files/writable_folder.h"
#include "sgf/media/video_tensor.h"
#include "sgf/vae/latents_file.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// Frames and latent frames passed to a stream together.
constexpr int64_t kPicturesAtOnce = 16, kLatentsAtOnce = 4;

// The next frames of a source, cropped, [1, F, 3, H, W]; undefined after the last.
at::Tensor next_pictures(FrameSource& source, const CropWindow& crop) {
  std::vector<at::Tensor> pictures;
  while (static_cast<int64_t>(pictures.size()) < kPicturesAtOnce) {
    const std::optional<RgbImage> image = source.next();
    if (!image) break;
    pictures.push_back(tensor_of(*image).narrow(1, crop.top, crop.height).narrow(2, crop.left, crop.width));
  }
  return pictures.empty() ? at::Tensor() : at::stack(pictures).unsqueeze(0);
}

// The destination of decoded frames: a video file or a folder.
class PictureOutput {
 public:
  virtual ~PictureOutput() = default;
  virtual void add(const at::Tensor& pictures) = 0;  // [F, 3, H, W]
  virtual void finish() {}
};

class FolderOutput final : public PictureOutput {
 public:
  explicit FolderOutput(fs::path folder) : folder_(std::move(folder)) {
    SGF_CHECK(!fs::exists(folder_) || (fs::is_directory(folder_) && fs::is_empty(folder_)),
              "{} is not an empty folder; choose a new or an empty folder for the frames", folder_.string());
    create_folder(folder_);
  }
  void add(const at::Tensor& pictures) override {
    write_png_frames(folder_, pictures, written_);
    written_ += pictures.size(0);
  }

 private:
  fs::path folder_;
  int64_t written_ = 0;
};

class FileOutput final : public PictureOutput {
 public:
  FileOutput(const fs::path& path, const VideoFileSettings& settings) : writer_(path, settings) {}
  void add(const at::Tensor& pictures) override { add_frames(writer_, pictures); }
  void finish() override { writer_.finish(); }

 private:
  VideoWriter writer_;
};

std::unique_ptr<PictureOutput> open_output(const fs::path& path, const VideoFileSettings& settings) {
  if (!path.has_extension()) return std::make_unique<FolderOutput>(path);
  SGF_CHECK(path.extension() == ".mp4", "{}: expected an .mp4 file, or a folder for PNG files", path.string());
  return std::make_unique<FileOutput>(path, settings);
}

}  // namespace

CropWindow crop_window(int64_t height, int64_t width, int64_t factor, bool may_cut) {
  const CropWindow window{.top = height % factor / 2,
                          .left = width % factor / 2,
                          .height = height - height % factor,
                          .width = width - width % factor};
  SGF_CHECK(window.height > 0 && window.width > 0, "frames of {} x {} are smaller than one latent pixel, {} x {}",
            width, height, factor, factor);
  SGF_CHECK(may_cut || (window.height == height && window.width == width),
            "frames are {} x {}, expected multiples of {}; pass --crop to use the central {} x {}", width, height,
            factor, window.width, window.height);
  return window;
}

EncodedVideo encode_video(const WanVaeCodec& codec, const EncodeOrder& order, const FramesDone& done) {
  const auto source = open_frames(order.video);
  const CropWindow crop = crop_window(source->height(), source->width(), codec.spatial_factor(), order.crop);
  LatentsWriter writer(order.latents, {.fps = source->fps(), .vae = order.vae_name});
  const auto stream = codec.stream_encoder();
  EncodedVideo result{.height = crop.height, .width = crop.width};
  while (true) {
    const at::Tensor pictures = next_pictures(*source, crop);
    if (!pictures.defined()) break;
    result.pictures += pictures.size(1);
    if (const at::Tensor latents = stream->next(pictures); latents.size(1) > 0) writer.add(latents[0]);
    done(result.pictures, source->frame_count().value_or(0));
  }
  writer.finish();
  result.latents = writer.frames();
  result.warning = codec.drop_warning(result.pictures);
  return result;
}

DecodedVideo decode_video(const WanVaeCodec& codec, const DecodeOrder& order, const FramesDone& done) {
  const LatentsReader file(order.latents);
  const at::Tensor& latents = file.latents();
  SGF_CHECK(latents.size(1) == codec.latent_channels(), "{}: has latents of {} channels, but the VAE has {}",
            order.latents.string(), latents.size(1), codec.latent_channels());
  const int64_t factor = codec.spatial_factor(), total = codec.picture_frames(latents.size(0));
  DecodedVideo result{.height = factor * latents.size(2), .width = factor * latents.size(3)};
  const auto output = open_output(
      order.video,
      {.width = result.width, .height = result.height, .fps = order.fps.value_or(file.note().fps.value_or(16.0))});
  const auto stream = codec.stream_decoder();
  for (int64_t begin = 0; begin < latents.size(0); begin += kLatentsAtOnce) {
    const int64_t count = std::min(kLatentsAtOnce, latents.size(0) - begin);
    const at::Tensor pictures = stream->next(latents.narrow(0, begin, count).unsqueeze(0))[0];
    output->add(pictures);
    result.pictures += pictures.size(0);
    done(result.pictures, total);
  }
  output->finish();
  return result;
}

}  // namespace sgf

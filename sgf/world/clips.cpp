#include "sgf/world/clips.h"

#include "sgf/core/checked_size.h"
#include "sgf/core/error.h"
#include "sgf/core/in_parallel.h"
#include "sgf/files/atomic_file.h"
#include "sgf/media/one_thread.h"
#include "sgf/media/picture_strip.h"
#include "sgf/media/video_tensor.h"
#include "sgf/world/caption.h"
#include "sgf/world/render.h"

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <mutex>
#include <optional>

namespace sgf {
namespace {

constexpr int64_t kFramesAtATime = 256;  // keeps memory constant for clips of any length
constexpr int64_t kStripRows = 8, kStripColumns = 8;
constexpr int64_t kMostPixels = int64_t{1} << 44;  // terabytes of video; sums of frames stay within 64 bits
constexpr int64_t kStripSide = 96;                 // pixels: frames are enlarged to about this size

using TakePictures = std::function<void(const at::Tensor& pictures, int64_t first)>;

void render_in_parts(const WorldPreset& preset, const WorldScene& scene, int64_t frames, const TakePictures& take) {
  for (int64_t begin = 0; begin < frames; begin += kFramesAtATime) {
    take(render(preset, scene, {begin, std::min(frames, begin + kFramesAtATime)}), begin);
  }
}

ClipEncoder write_mp4_clip(const std::filesystem::path& path, const ClipOrder& order, const ClipFiles& files,
                           int64_t clip) {
  const int64_t side = order.preset.size * files.enlarge;
  VideoWriter writer(path, {.width = side, .height = side, .fps = files.fps, .crf = files.crf});
  render_in_parts(order.preset, order.scene(clip), order.frames,
                  [&](const at::Tensor& pictures, int64_t) { add_frames(writer, enlarge(pictures, files.enlarge)); });
  writer.finish();
  return {writer.encoder(), writer.is_h264()};
}

void write_png_clip(const std::filesystem::path& folder, const ClipOrder& order, int64_t clip) {
  std::filesystem::create_directory(folder);
  render_in_parts(order.preset, order.scene(clip), order.frames,
                  [&](const at::Tensor& pictures, int64_t first) { write_png_frames(folder, pictures, first); });
}

void make_empty_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  SGF_CHECK(std::filesystem::is_directory(folder), "{}: the folder cannot be created: {}", folder.string(),
            error ? error.message() : "a file has that name");
  SGF_CHECK(std::filesystem::is_empty(folder), "{} is not empty; choose an empty folder for the clips",
            folder.string());
}

void check_order(const ClipOrder& order) {
  SGF_CHECK(order.clips > 0 && order.frames > 0, "clips and frames must be at least 1, got {} and {}", order.clips,
            order.frames);
  const std::optional<int64_t> pixels =
      checked_product({order.clips, order.frames, order.preset.size, order.preset.size});
  SGF_CHECK(pixels && *pixels <= kMostPixels, "{} clips of {} frames of {} x {} pixels are more than {} pixels in all",
            order.clips, order.frames, order.preset.size, order.preset.size, kMostPixels);
  order.scene(0);  // refuses a caption that does not fit the world
}

void write_lists(const ClipOrder& order, const ClipFiles& files, const std::vector<ListedClip>& clips) {
  AtomicFile captions(files.folder / "captions.txt");
  for (const ListedClip& clip : clips) captions.write(clip.caption + "\n");
  captions.commit();
  nlohmann::json json = to_json(ClipList{order.preset.name, clips});
  json.update({{"seed", order.seed}, {"frames", order.frames}, {"fps", files.fps}});
  AtomicFile manifest(files.folder / "manifest.json");
  manifest.write(json.dump(1) + "\n");
  manifest.commit();
}

}  // namespace

WorldScene ClipOrder::scene(int64_t clip) const {
  return caption ? draw_scene(preset, seed, clip, *caption) : draw_scene(preset, seed, clip);
}

ClipEncoder render_clips(const ClipOrder& order, const ClipFiles& files, const std::function<void(int64_t)>& done,
                         int64_t threads) {
  check_order(order);
  SGF_CHECK(files.enlarge > 0 && (files.enlarge & (files.enlarge - 1)) == 0,
            "the upscale factor of clips must be a power of 2, got {}", files.enlarge);
  make_empty_folder(files.folder);
  const OneThread one_thread;
  std::vector<ListedClip> clips(static_cast<size_t>(order.clips));
  ClipEncoder encoder;
  std::mutex mutex;
  int64_t finished = 0;
  in_parallel(order.clips, threads, [&](int64_t i) {
    const bool is_mp4 = files.format == ClipFormat::kMp4;
    const std::string name = fmt::format("clip_{:05}{}", i, is_mp4 ? ".mp4" : "");
    ClipEncoder used;
    if (is_mp4) used = write_mp4_clip(files.folder / name, order, files, i);
    if (!is_mp4) write_png_clip(files.folder / name, order, i);
    const std::lock_guard lock(mutex);
    clips[static_cast<size_t>(i)] = {name, caption_text(order.scene(i).caption())};
    encoder = used;
    done(++finished);
  });
  write_lists(order, files, clips);
  return encoder;
}

RgbImage strip_of_clips(const ClipOrder& order) {
  check_order(order);
  const std::vector<int64_t> moments = strip_moments(order.frames, kStripColumns);
  std::vector<at::Tensor> rows;
  for (int64_t i = 0; i < std::min(order.clips, kStripRows); ++i) {
    std::vector<at::Tensor> pictures;
    for (const int64_t f : moments) pictures.push_back(render(order.preset, order.scene(i), {f, f + 1}));
    rows.push_back(at::cat(pictures));
  }
  return picture_strip(rows, std::max<int64_t>(1, kStripSide / order.preset.size));
}

}  // namespace sgf

#include "sgf/serving/stream_media.h"

#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/mapped_file.h"
#include "sgf/media/video_fragments.h"
#include "sgf/media/video_writer.h"
#include "sgf/streaming/stream_parts.h"

#include <ATen/ATen.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace sgf {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<FrameSink> open_media(const fs::path& path, const SinkSettings& settings, const MaybePlace& from) {
  return serves_mp4() ? open_mp4_sink(path, settings, from) : open_png_sink(path, settings, from);
}

MaybePlace place_after(const GenerateOrder& order, const MediaIndex& index) {
  if (index.blocks == 0) return {};
  return SinkPlace{.pictures = pictures_for(index.blocks, order.config),
                   .bytes = serves_mp4() ? index.begin_of(index.blocks) : 0};
}

SinkSettings media_settings(const GenerateOrder& order, const std::string& note) {
  const PictureSize size = picture_size(order.config);
  return {.width = size.width * order.enlarge,
          .height = size.height * order.enlarge,
          .fps = order.config.video.fps,
          .crf = order.crf,
          .note = note};
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

bool serves_mp4() { return can_write_videos(); }

// The avcC box, in the head, begins with version, profile, compatibility and level.
std::string media_type_of(const fs::path& file) {
  const auto mapped = MappedFile::open(file);
  const std::string_view head = text_of(mapped->bytes().first(std::min<size_t>(mapped->bytes().size(), 1 << 20)));
  const size_t box = head.find("avcC");
  if (box == std::string_view::npos || box + 8 > head.size()) return "video/mp4";
  const auto byte = [&](size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(head[box + 4 + i])); };
  return fmt::format("video/mp4; codecs=\"avc1.{:02x}{:02x}{:02x}\"", byte(1), byte(2), byte(3));
}

StreamMedia::StreamMedia(fs::path path, const GenerateOrder& order, const MediaIndex& from)
    : path_(std::move(path)),
      sink_(open_media(path_, media_settings(order, {}), place_after(order, from))),
      enlarge_(order.enlarge),
      index_(from) {
  if (serves_mp4() && index_.head_bytes == 0) index_.head_bytes = scan_grown_video(path_).head_bytes;
  if (const MaybePlace place = place_after(order, from)) place_ = *place;
}

void StreamMedia::add(const at::Tensor& pictures) {
  sink_->add(enlarge_ == 1 ? pictures : pictures.repeat_interleave(enlarge_, 2).repeat_interleave(enlarge_, 3));
  place_ = sink_->sync();
  if (serves_mp4()) index_.ends.push_back(place_.bytes);
  ++index_.blocks;
}

void StreamMedia::add_last_to(MediaIndex& copy) const {
  copy.head_bytes = index_.head_bytes;
  if (!index_.ends.empty()) copy.ends.push_back(index_.ends.back());
  copy.blocks = index_.blocks;
}

MediaIndex index_media(const fs::path& path, const GenerateOrder& order, int64_t most) {
  MediaIndex index;
  if (!serves_mp4()) {
    const int64_t pictures = count_png_frames(path);
    while (index.blocks < most && pictures_for(index.blocks + 1, order.config) <= pictures) ++index.blocks;
    return index;
  }
  const GrownVideo video = scan_grown_video(path);
  index.head_bytes = video.head_bytes;
  for (const SinkPlace& end : video.fragments) {
    if (index.blocks == most) break;
    if (end.pictures != pictures_for(index.blocks + 1, order.config)) continue;
    index.ends.push_back(end.bytes);
    ++index.blocks;
  }
  return index;
}

std::string media_head(const fs::path& folder, const GenerateOrder& order) {
  static std::atomic<int64_t> count = 0;
  const fs::path file = folder / fmt::format("head-{}-{}.mp4", ::getpid(), ++count);
  open_mp4_sink(file, media_settings(order, order_text(order)));
  const std::string head(text_of(MappedFile::open(file)->bytes()));
  fs::remove(file);
  return head;
}

MediaIndex copy_media(const fs::path& from, const MediaIndex& index, int64_t blocks, const fs::path& to,
                      const Config& config) {
  SGF_CHECK(blocks >= 1 && blocks <= index.blocks, "{} has {} blocks, not {}", from.string(), index.blocks, blocks);
  MediaIndex copied = index;
  copied.blocks = blocks;
  if (!serves_mp4()) {
    fs::create_directory(to);
    for (int64_t i = 0; i < pictures_for(blocks, config); ++i) {
      const std::string name = fmt::format("frame_{:08}.png", i);
      fs::copy_file(from / name, to / name);
    }
    return copied;
  }
  copied.ends.resize(static_cast<size_t>(blocks));
  const auto mapped = MappedFile::open(from);
  AtomicFile file(to);
  file.write(mapped->bytes().first(static_cast<size_t>(index.begin_of(blocks))));
  file.commit();
  return copied;
}

}  // namespace sgf

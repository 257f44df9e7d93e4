#include "sgf/media/video_fragments.h"

#include "sgf/core/error.h"
#include "sgf/files/big_endian.h"
#include "sgf/files/mapped_file.h"
#include "sgf/media/mp4_boxes.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace sgf {
namespace {

// The file may still grow, so a box without a size is not complete.
template <class Take>
uint64_t walk_whole_boxes(Mp4Bytes bytes, const Take& take) {
  return walk_mp4_boxes(bytes, OpenMp4Box::kIncomplete, take);
}

// The number after version and flags, in a box that begins with them.
int64_t number_in(const Mp4Box& box) {
  return box.content.size() < 8 ? 0 : int64_t{from_big_endian<uint32_t>(box.content.subspan<4, 4>())};
}

int64_t pictures_of_track(const Mp4Box& track) {
  int64_t pictures = 0;
  walk_whole_boxes(track.content, [&](const Mp4Box& box, uint64_t) {
    if (box.type == "trun") pictures += number_in(box);
    return true;
  });
  return pictures;
}

// What a fragment's header says; its frames follow in an mdat box.
GrownVideo fragment_of(const Mp4Box& moof) {
  GrownVideo fragment;
  walk_whole_boxes(moof.content, [&](const Mp4Box& box, uint64_t) {
    if (box.type == "mfhd") fragment.last_fragment = number_in(box);
    if (box.type == "traf") fragment.pictures += pictures_of_track(box);
    return true;
  });
  return fragment;
}

}  // namespace

std::optional<GrownVideo> find_grown_video(const std::filesystem::path& path, int64_t limit) {
  const auto file = MappedFile::open(path);
  const auto length = static_cast<size_t>(std::min<int64_t>(limit, static_cast<int64_t>(file->bytes().size())));
  GrownVideo video;
  std::optional<GrownVideo> begun;
  const uint64_t walked = walk_whole_boxes(file->bytes().first(length), [&](const Mp4Box& box, uint64_t begin) {
    const auto end = static_cast<int64_t>(begin + box.size);
    if (begin == 0 && box.type != "ftyp") return false;
    if (box.type == "moov") video.head_bytes = video.bytes = end;
    if (box.type == "moof") begun = fragment_of(box);
    if (box.type == "mdat" && !begun) video.has_other_frames = true;
    // A frame takes at least one byte: a header that claims more frames is damaged.
    if (box.type == "mdat" && begun && static_cast<uint64_t>(begun->pictures) > box.size) return false;
    if (box.type == "mdat" && begun && video.head_bytes > 0) {
      video.bytes = end;
      video.pictures += begun->pictures;
      video.last_fragment = begun->last_fragment;
      video.fragments.push_back({.pictures = video.pictures, .bytes = end});
      begun.reset();
    }
    return true;
  });
  if (!begun && mp4_type_at(file->bytes().first(length).subspan(walked)) == "mdat") video.has_other_frames = true;
  return video.head_bytes > 0 ? std::optional(video) : std::nullopt;
}

GrownVideo scan_grown_video(const std::filesystem::path& path, int64_t limit) {
  const std::optional<GrownVideo> video = find_grown_video(path, limit);
  SGF_CHECK(video.has_value(), "{} is not an mp4 file, or is cut off before its first frame", path.string());
  return *video;
}

}  // namespace sgf

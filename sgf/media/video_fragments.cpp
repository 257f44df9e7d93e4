#include "sgf/media/video_fragments.h"

#include "sgf/core/error.h"
#include "sgf/files/mapped_file.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace sgf {
namespace {

using BoxBytes = std::span<const std::byte>;

uint64_t big_endian(BoxBytes bytes) {
  uint64_t value = 0;
  for (const std::byte byte : bytes) value = value << 8 | std::to_integer<uint64_t>(byte);
  return value;
}

// A size, four letters, and the content.
struct Mp4Box {
  std::string_view type;
  uint64_t size = 0;  // of the whole box
  BoxBytes content;
};

// The box that begins here, if it is complete.
std::optional<Mp4Box> whole_box(BoxBytes bytes) {
  if (bytes.size() < 8) return std::nullopt;
  Mp4Box box{.type = {reinterpret_cast<const char*>(bytes.data()) + 4, 4}, .size = big_endian(bytes.first(4))};
  const bool is_long = box.size == 1;
  if (is_long && bytes.size() < 16) return std::nullopt;
  if (is_long) box.size = big_endian(bytes.subspan(8, 8));
  const size_t head = is_long ? 16 : 8;
  if (box.size < head || box.size > bytes.size()) return std::nullopt;
  box.content = bytes.subspan(head, box.size - head);
  return box;
}

// Calls `take` for each complete box, in order, until it returns false. Returns the bytes of the boxes taken.
template <class Take>
uint64_t walk_boxes(BoxBytes bytes, const Take& take) {
  uint64_t position = 0;
  while (const std::optional<Mp4Box> box = whole_box(bytes.subspan(position))) {
    if (!take(*box, position)) break;
    position += box->size;
  }
  return position;
}

// The number after version and flags, in a box that begins with them.
int64_t number_in(const Mp4Box& box) {
  return box.content.size() < 8 ? 0 : static_cast<int64_t>(big_endian(box.content.subspan(4, 4)));
}

int64_t pictures_of_track(const Mp4Box& track) {
  int64_t pictures = 0;
  walk_boxes(track.content, [&](const Mp4Box& box, uint64_t) {
    if (box.type == "trun") pictures += number_in(box);
    return true;
  });
  return pictures;
}

// What a fragment's header says; its frames follow in an mdat box.
GrownVideo fragment_of(const Mp4Box& moof) {
  GrownVideo fragment;
  walk_boxes(moof.content, [&](const Mp4Box& box, uint64_t) {
    if (box.type == "mfhd") fragment.last_fragment = number_in(box);
    if (box.type == "traf") fragment.pictures += pictures_of_track(box);
    return true;
  });
  return fragment;
}

// The type of a box whose end is missing.
std::string_view begun_type(BoxBytes bytes) {
  return bytes.size() < 8 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(bytes.data()) + 4, 4);
}

}  // namespace

std::optional<GrownVideo> find_grown_video(const std::filesystem::path& path, int64_t limit) {
  const auto file = MappedFile::open(path);
  const auto length = static_cast<size_t>(std::min<int64_t>(limit, static_cast<int64_t>(file->bytes().size())));
  GrownVideo video;
  std::optional<GrownVideo> begun;
  const uint64_t walked = walk_boxes(file->bytes().first(length), [&](const Mp4Box& box, uint64_t begin) {
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
  if (!begun && begun_type(file->bytes().first(length).subspan(walked)) == "mdat") video.has_other_frames = true;
  return video.head_bytes > 0 ? std::optional(video) : std::nullopt;
}

GrownVideo scan_grown_video(const std::filesystem::path& path, int64_t limit) {
  const std::optional<GrownVideo> video = find_grown_video(path, limit);
  SGF_CHECK(video.has_value(), "{} is not an mp4 file, or is cut off before its first frame", path.string());
  return *video;
}

}  // namespace sgf

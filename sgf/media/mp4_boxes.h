// The boxes of an mp4 file, one after another. The content of some is boxes again. Torch-free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sgf {

using Mp4Bytes = std::span<const std::byte>;

// A size, four letters, and the content. It points into the bytes that it was read from.
struct Mp4Box {
  std::string_view type;
  uint64_t size = 0;  // of the whole box
  Mp4Bytes content;
};

// What a box of size 0 is. The standard lets the last box of a file leave its size open.
enum class OpenMp4Box {
  kIncomplete,  // not there: more bytes may follow later
  kToTheEnd,    // all bytes that are left
};

// The box that begins here, if it is complete.
std::optional<Mp4Box> whole_mp4_box(Mp4Bytes bytes, OpenMp4Box open);

// The four letters of a box that may be incomplete; "" if they are not there.
std::string_view mp4_type_at(Mp4Bytes bytes);

// Calls `take(box, position)` for each complete box, in order, until it returns false. Returns the bytes of the boxes
// taken.
template <class Take>
uint64_t walk_mp4_boxes(Mp4Bytes bytes, OpenMp4Box open, const Take& take) {
  uint64_t position = 0;
  while (const std::optional<Mp4Box> box = whole_mp4_box(bytes.subspan(position), open)) {
    if (!take(*box, position)) break;
    position += box->size;
  }
  return position;
}

}  // namespace sgf

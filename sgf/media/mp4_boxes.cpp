#include "sgf/media/mp4_boxes.h"

#include "sgf/files/big_endian.h"

namespace sgf {

std::optional<Mp4Box> whole_mp4_box(Mp4Bytes bytes, OpenMp4Box open) {
  if (bytes.size() < 8) return std::nullopt;
  Mp4Box box{.type = mp4_type_at(bytes), .size = from_big_endian<uint32_t>(bytes.first<4>())};
  const bool is_long = box.size == 1;
  if (is_long && bytes.size() < 16) return std::nullopt;
  if (is_long) box.size = from_big_endian<uint64_t>(bytes.subspan<8, 8>());
  if (box.size == 0 && open == OpenMp4Box::kToTheEnd) box.size = bytes.size();
  const size_t head = is_long ? 16 : 8;
  if (box.size < head || box.size > bytes.size()) return std::nullopt;
  box.content = bytes.subspan(head, box.size - head);
  return box;
}

std::string_view mp4_type_at(Mp4Bytes bytes) {
  return bytes.size() < 8 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(bytes.data()) + 4, 4);
}

}  // namespace sgf

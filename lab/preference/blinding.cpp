#include "lab/preference/blinding.h"

#include "sgf/media/mp4_boxes.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace sgf {
namespace {

void forget_words_in(std::span<char> boxes) {
  walk_mp4_boxes(std::as_bytes(boxes), OpenMp4Box::kToTheEnd, [&](const Mp4Box& box, uint64_t position) {
    const std::span<char> bytes = boxes.subspan(position, box.size);
    const std::span<char> content = bytes.last(box.content.size());
    if (box.type == "moov" || box.type == "trak") {
      forget_words_in(content);
    } else if (box.type == "udta" || box.type == "meta" || box.type == "uuid") {
      std::ranges::copy(std::string_view("free"), bytes.begin() + 4);
      std::ranges::fill(content, '\0');
    }
    return true;
  });
}

}  // namespace

void forget_words(std::string& file) {
  if (mp4_type_at(std::as_bytes(std::span(file))) == "ftyp") forget_words_in(file);
}

}  // namespace sgf

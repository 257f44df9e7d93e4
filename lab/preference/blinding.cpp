#include "lab/preference/blinding.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace sgf {
namespace {

struct Mp4Box {
  size_t begin = 0, body = 0, end = 0;
  std::string_view type;
};

uint64_t big_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

// The box at `begin`; an empty one if there is none before `end`.
Mp4Box box_at(std::string_view file, size_t begin, size_t end) {
  if (end - begin < 8) return {};
  uint64_t size = big_endian(file.substr(begin, 4));
  size_t head = 8;
  if (size == 1 && end - begin >= 16) {
    size = big_endian(file.substr(begin + 8, 8));
    head = 16;
  }
  if (size == 0) size = end - begin;  // to the end of the file
  if (size < head || size > end - begin) return {};
  return {begin, begin + head, begin + static_cast<size_t>(size), file.substr(begin + 4, 4)};
}

void forget_words_between(std::string& file, size_t begin, size_t end) {
  while (begin < end) {
    const Mp4Box box = box_at(file, begin, end);
    if (box.end == 0) return;
    if (box.type == "moov" || box.type == "trak") {
      forget_words_between(file, box.body, box.end);
    } else if (box.type == "udta" || box.type == "meta" || box.type == "uuid") {
      file.replace(box.begin + 4, 4, "free");
      std::fill(file.begin() + static_cast<int64_t>(box.body), file.begin() + static_cast<int64_t>(box.end), '\0');
    }
    begin = box.end;
  }
}

}  // namespace

void forget_words(std::string& file) {
  if (file.size() >= 8 && std::string_view(file).substr(4, 4) == "ftyp") forget_words_between(file, 0, file.size());
}

}  // namespace sgf

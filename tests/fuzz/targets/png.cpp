// PNG files of others; what is read is written and read again.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/media/png.h"

#include <zlib.h>

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.png";

constexpr size_t kSignatureBytes = 8;

uint32_t big_endian(std::string_view bytes) {
  uint32_t value = 0;
  for (const char byte : bytes.substr(0, 4)) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

// The same chunks, whose checksums hold: no mutation would get past them.
std::string with_checksums(std::string_view input) {
  std::string file(input);
  for (size_t at = kSignatureBytes; file.size() - std::min(at, file.size()) >= 12;) {
    const size_t length = big_endian(std::string_view(file).substr(at));
    if (length > file.size() - at - 12) break;
    const auto* body = reinterpret_cast<const Bytef*>(file.data() + at + 4);
    const uint32_t sum = static_cast<uint32_t>(::crc32(0, body, static_cast<uInt>(length + 4)));
    for (size_t i = 0; i < 4; ++i) file[at + 8 + length + i] = static_cast<char>(sum >> (24 - 8 * i));
    at += length + 12;
  }
  return file;
}

void read_one(std::string_view input) {
  const auto image = read_or_refuse(kName, [&] { return read_png(scratch_file(kName, input)); });
  if (!image) return;
  must(image->width > 0 && image->height > 0, "a picture has pixels");
  must(image->pixels.size() == static_cast<size_t>(image->width * image->height * 3), "each with three colours");
  const RgbImage again = read_png(scratch_file("again.png", encode_png(*image)));
  must(again.width == image->width && again.height == image->height && again.pixels == image->pixels,
       "written and read again, a picture is equal");
}

void read(std::string_view input) {
  read_one(input);
  if (const std::string mended = with_checksums(input); mended != input) read_one(mended);
}

const Registered target("png", read);

}  // namespace
}  // namespace sgf::fuzz

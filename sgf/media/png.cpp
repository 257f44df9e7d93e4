#include "sgf/media/png.h"

#include "sgf/core/error.h"
#include "sgf/core/out_of_memory.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/mapped_file.h"
#include "sgf/media/png_decoder.h"

#include <zlib.h>

#include <span>
#include <string>
#include <string_view>

namespace sgf {
namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);

std::string to_big_endian(uint32_t value) {
  std::string bytes(4, '\0');
  for (int i = 0; i < 4; ++i) bytes[static_cast<size_t>(i)] = static_cast<char>(value >> (24 - 8 * i));
  return bytes;
}

uint32_t png_checksum(std::string_view bytes) {
  return static_cast<uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string png_chunk(std::string_view type, std::string_view data) {
  std::string body(type);
  body += data;
  return to_big_endian(static_cast<uint32_t>(data.size())) + body + to_big_endian(png_checksum(body));
}

// Bit depth 8, colour type RGB, the default methods, not interlaced.
std::string png_header(const RgbImage& image) {
  return to_big_endian(static_cast<uint32_t>(image.width)) + to_big_endian(static_cast<uint32_t>(image.height)) +
         std::string("\x08\x02\x00\x00\x00", 5);
}

std::string compressed_rows(const RgbImage& image) {
  const auto row_bytes = static_cast<size_t>(3 * image.width);
  std::string rows;
  for (size_t begin = 0; begin < image.pixels.size(); begin += row_bytes) {
    rows += '\0';  // filter: none
    rows.append(reinterpret_cast<const char*>(image.pixels.data() + begin), row_bytes);
  }
  uLongf size = compressBound(rows.size());
  std::string packed(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                             reinterpret_cast<const Bytef*>(rows.data()), rows.size(), Z_DEFAULT_COMPRESSION);
  SGF_CHECK(code == Z_OK, "zlib could not compress an image: code {}", code);
  packed.resize(size);
  return packed;
}

}  // namespace

std::string encode_png(const RgbImage& image) {
  SGF_CHECK(0 < image.width && image.width <= kLargestPngSide && 0 < image.height && image.height <= kLargestPngSide,
            "the sides of an image must be 1 to {2} pixels, got {0} x {1}", image.height, image.width, kLargestPngSide);
  SGF_CHECK(static_cast<int64_t>(image.pixels.size()) == 3 * image.height * image.width,
            "an image of {} x {} must have 3 bytes per pixel, got {} bytes", image.height, image.width,
            image.pixels.size());
  return std::string(kSignature) + png_chunk("IHDR", png_header(image)) + png_chunk("IDAT", compressed_rows(image)) +
         png_chunk("IEND", "");
}

void write_png(const std::filesystem::path& path, const RgbImage& image) {
  const std::string bytes = encode_png(image);
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

RgbImage read_png(const std::filesystem::path& path) try {
  return decode_png(MappedFile::open(path)->bytes(), path.string());
} catch (const std::bad_alloc& error) {
  rethrow_out_of_memory(error, "reading " + path.string());
}

}  // namespace sgf

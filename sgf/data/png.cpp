#include "sgf/data/png.h"

#include "sgf/core/atomic_file.h"
#include "sgf/core/crc32.h"
#include "sgf/core/error.h"
#include "sgf/core/mapped_file.h"
#include "sgf/data/png_pixels.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sgf {
namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
constexpr int64_t kLargestSide = 1 << 15;  // what a damaged header may ask memory for

std::string to_big_endian(uint32_t value) {
  std::string bytes(4, '\0');
  for (int i = 0; i < 4; ++i) bytes[static_cast<size_t>(i)] = static_cast<char>(value >> (24 - 8 * i));
  return bytes;
}

uint32_t from_big_endian(std::string_view bytes) {
  uint32_t value = 0;
  for (const char byte : bytes.substr(0, 4)) value = (value << 8) | static_cast<uint8_t>(byte);
  return value;
}

uint32_t png_checksum(std::string_view bytes) { return crc32(std::as_bytes(std::span(bytes))); }

std::string png_chunk(std::string_view type, std::string_view data) {
  std::string body(type);
  body += data;
  return to_big_endian(static_cast<uint32_t>(data.size())) + body + to_big_endian(png_checksum(body));
}

// Bit depth 8, colour type RGB, and the only methods there are; not interlaced.
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
  check(code == Z_OK, "data", "zlib could not compress a picture: code {}", code);
  packed.resize(size);
  return packed;
}

// A file as its chunks: the header's fields, and the compressed rows put
// together.
class PngReader {
 public:
  PngReader(std::string_view bytes, std::string name) : rest_(bytes), name_(std::move(name)) {
    require(take(kSignature.size()) == kSignature, "is not a PNG file");
    read_chunks();
  }

  RgbImage image() const {
    const std::string rows = inflate_rows();
    RgbImage image{height_, width_, std::vector<uint8_t>(static_cast<size_t>(3 * height_ * width_))};
    std::vector<uint8_t> above(row_bytes(), 0), row(row_bytes());
    const auto row_pixels = static_cast<size_t>(3 * width_);
    for (int64_t y = 0; y < height_; ++y) {
      const char* line = rows.data() + static_cast<size_t>(y) * (row_bytes() + 1);
      std::memcpy(row.data(), line + 1, row_bytes());
      undo_filter(static_cast<uint8_t>(line[0]), row, above);
      pixels_->to_rgb(row, std::span(image.pixels).subspan(static_cast<size_t>(3 * y * width_), row_pixels));
      std::swap(row, above);
    }
    return image;
  }

 private:
  void require(bool holds, std::string_view what) const { check(holds, "data", "{} {}", name_, what); }

  size_t row_bytes() const { return pixels_->row_bytes(width_); }

  std::string_view take(size_t count) {
    require(count <= rest_.size(), "ends early: the PNG file is cut off");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  void read_chunks() {
    for (std::string_view type; type != "IEND";) {
      const size_t length = from_big_endian(take(4));
      require(length <= rest_.size(), "ends early: the PNG file is cut off");
      const std::string_view body = take(length + 4);
      require(from_big_endian(take(4)) == png_checksum(body), "is damaged: a checksum does not hold");
      type = body.substr(0, 4);
      if (type == "IHDR") read_header(body.substr(4));
      if (type == "PLTE" && pixels_) pixels_->set_palette(body.substr(4));
      if (type == "IDAT") packed_ += body.substr(4);
    }
    require(pixels_.has_value(), "is a PNG file without a header");
    require(!pixels_->lacks_palette(), "is a PNG file of palette colours without a palette");
  }

  void read_header(std::string_view header) {
    require(header.size() == 13, "has a PNG header of the wrong length");
    width_ = from_big_endian(header);
    height_ = from_big_endian(header.substr(4));
    require(0 < width_ && width_ <= kLargestSide && 0 < height_ && height_ <= kLargestSide, "has no sane size");
    const char depth = header[8], colour = header[9], interlace = header[12];
    require(interlace == 0, "is an interlaced PNG file, which is not read here: save it without");
    pixels_ = PngPixels::of_kind(depth, colour);
    require(pixels_.has_value(), "has a bit depth or a colour type that PNG does not know");
  }

  std::string inflate_rows() const {
    std::string rows((row_bytes() + 1) * static_cast<size_t>(height_), '\0');
    uLongf size = rows.size();
    const int code = uncompress(reinterpret_cast<Bytef*>(rows.data()), &size,
                                reinterpret_cast<const Bytef*>(packed_.data()), packed_.size());
    require(code == Z_OK && size == rows.size(), "is damaged: its pixels do not unpack");
    return rows;
  }

  static int paeth(int left, int up, int corner) {
    const int estimate = left + up - corner;
    const int to_left = std::abs(estimate - left), to_up = std::abs(estimate - up);
    const int to_corner = std::abs(estimate - corner);
    if (to_left <= to_up && to_left <= to_corner) return left;
    return to_up <= to_corner ? up : corner;
  }

  void undo_filter(uint8_t filter, std::vector<uint8_t>& row, const std::vector<uint8_t>& above) const {
    require(filter <= 4, "is damaged: there is no such filter");
    const size_t step = pixels_->filter_step();
    for (size_t i = 0; i < row.size(); ++i) {
      const int left = i >= step ? row[i - step] : 0, up = above[i], corner = i >= step ? above[i - step] : 0;
      const int guesses[] = {0, left, up, (left + up) / 2, paeth(left, up, corner)};
      row[i] = static_cast<uint8_t>(row[i] + guesses[filter]);
    }
  }

  std::string_view rest_;
  std::string name_;
  int64_t width_ = 0;
  int64_t height_ = 0;
  std::optional<PngPixels> pixels_;
  std::string packed_;
};

}  // namespace

std::string encode_png(const RgbImage& image) {
  check(0 < image.width && image.width <= kLargestSide && 0 < image.height && image.height <= kLargestSide, "data",
        "a picture of {} x {} is none: its sides are 1 to {} pixels", image.height, image.width, kLargestSide);
  check(static_cast<int64_t>(image.pixels.size()) == 3 * image.height * image.width, "data",
        "a picture of {} x {} does not have {} bytes", image.height, image.width, image.pixels.size());
  return std::string(kSignature) + png_chunk("IHDR", png_header(image)) + png_chunk("IDAT", compressed_rows(image)) +
         png_chunk("IEND", "");
}

void write_png(const std::filesystem::path& path, const RgbImage& image) {
  const std::string bytes = encode_png(image);
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

RgbImage read_png(const std::filesystem::path& path) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  const std::span<const std::byte> bytes = file->bytes();
  return PngReader({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string()).image();
}

}  // namespace sgf

#include "sgf/media/png.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/out_of_memory.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/big_endian.h"
#include "sgf/files/crc32.h"
#include "sgf/files/mapped_file.h"

#include <png.h>
#include <zlib.h>

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace sgf {
namespace {

// libpng reports errors by longjmp, which skips destructors. So functions that call it hold nothing with a destructor:
// everything that owns memory is in decode_png, outside of them.

// The remaining input, and libpng's message if it failed.
struct PngInput {
  std::span<const std::byte> rest;
  std::array<char, 128> problem{};
};

struct PngHead {
  uint32_t width = 0, height = 0;
  size_t packed_row_bytes = 0;  // in the file's own pixel format
};

[[noreturn]] void note_problem(png_structp png, png_const_charp problem) {
  auto* input = static_cast<PngInput*>(png_get_error_ptr(png));
  std::strncpy(input->problem.data(), problem, input->problem.size() - 1);
  png_longjmp(png, 1);
}

// Warnings, such as a slightly wrong colour profile, do not change the pixels.
void ignore_warning(png_structp, png_const_charp) {}

void take_bytes(png_structp png, png_bytep to, size_t count) {
  auto* input = static_cast<PngInput*>(png_get_io_ptr(png));
  if (count > input->rest.size()) png_error(png, "the file is cut short");
  std::memcpy(to, input->rest.data(), count);
  input->rest = input->rest.subspan(count);
}

// Reads only what the pixels need: texts and profiles can be compressed to a thousandth of their size.
bool read_png_head(png_structp png, png_infop info, PngHead* head) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_user_limits(png, kLargestPngSide, kLargestPngSide);
  png_read_info(png, info);
  head->width = png_get_image_width(png, info);
  head->height = png_get_image_height(png, info);
  head->packed_row_bytes = png_get_rowbytes(png, info);
  return true;
}

// `rows` has one pointer per row of the image, each to three bytes per pixel.
bool read_png_rows(png_structp png, png_infop info, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_expand(png);  // palettes, and fewer than 8 bits
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  png_set_gray_to_rgb(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != 3 * static_cast<size_t>(png_get_image_width(png, info)))
    png_error(png, "its pixels cannot be converted to RGB");
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

class PngHandle {
 public:
  explicit PngHandle(PngInput& input)
      : png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &input, note_problem, ignore_warning)),
        info_(png_ != nullptr ? png_create_info_struct(png_) : nullptr) {
    if (png_ != nullptr) png_set_read_fn(png_, &input, take_bytes);
  }
  ~PngHandle() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngHandle(const PngHandle&) = delete;
  PngHandle& operator=(const PngHandle&) = delete;

  bool is_open() const { return info_ != nullptr; }
  png_structp png() const { return png_; }
  png_infop info() const { return info_; }

 private:
  png_structp png_;
  png_infop info_;
};

void check_png_size(const PngHead& head, size_t file_bytes, const std::string& name) {
  const uint64_t pixels = uint64_t{head.width} * head.height;
  SGF_CHECK(pixels <= kMostPngPixels, "{}: an image of {} x {} is too large, expected at most {} megapixels", name,
            head.width, head.height, kMostPngPixels >> 20);
  constexpr uint64_t kMostUnpacked = 1032;  // deflate's largest expansion of one byte
  const uint64_t rows = (uint64_t{head.packed_row_bytes} + 1) * head.height;
  SGF_CHECK(rows <= kMostUnpacked * file_bytes, "{}: the file is cut short: {} bytes cannot hold {} x {} pixels", name,
            file_bytes, head.width, head.height);
}

// Throws an Error that starts with `name` if the file is damaged, cut short, or larger than kMostPngPixels, before
// memory for its pixels is allocated.
RgbImage decode_png(std::span<const std::byte> file, const std::string& name) {
  const bool is_png = file.size() >= 8 && png_sig_cmp(reinterpret_cast<png_const_bytep>(file.data()), 0, 8) == 0;
  SGF_CHECK(is_png, "{} is not a PNG file", name);
  PngInput input{.rest = file};
  const PngHandle handle(input);
  SGF_CHECK(handle.is_open(), "{}: libpng could not be initialised", name);
  const auto require = [&](bool is_good) {
    SGF_CHECK(is_good, "{}: damaged PNG file: {}", name, in_quotes(input.problem.data()));
  };
  PngHead head;
  require(read_png_head(handle.png(), handle.info(), &head));
  check_png_size(head, file.size(), name);
  RgbImage image{head.height, head.width, std::vector<uint8_t>(size_t{3} * head.height * head.width)};
  std::vector<png_bytep> rows;
  for (size_t y = 0; y < head.height; ++y) rows.push_back(image.pixels.data() + 3 * y * head.width);
  require(read_png_rows(handle.png(), handle.info(), rows.data()));
  return image;
}

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);

std::string png_chunk(std::string_view type, std::string_view data) {
  std::string body(type);
  body += data;
  return to_big_endian(static_cast<uint32_t>(data.size())) + body +
         to_big_endian(crc32_of(std::as_bytes(std::span(body))));
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

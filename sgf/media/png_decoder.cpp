// libpng reports errors by longjmp, which skips destructors. So functions that call it hold nothing with a destructor:
// everything that owns memory is in decode_png, outside of them.
#include "sgf/media/png_decoder.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <png.h>

#include <array>
#include <csetjmp>
#include <cstring>
#include <vector>

namespace sgf {
namespace {

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

}  // namespace

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

}  // namespace sgf

// PNG files come back as they were written, as others write them, and not at all when damaged.
#include "sgf/media/png.h"

#include "../core/refusal.h"
#include "../core/temporary_folder.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <span>
#include <string>

namespace sgf {
namespace {

using sgf::testing::TemporaryFolder;
using ::testing::HasSubstr;

// 3 x 5 pixels written by another program, a row for each of the five filters.
constexpr const char* kFiveFilters =
    "89504e470d0a1a0a0000000d49484452000000030000000508020000000f13c1f50000003d49444154789c013200cdff004420823cfde6f1c2"
    "6b0130f90e97e4f31dab740204a901443003dfe66303f420d9f1383e96fe2704869af53654e70a4bed4341173340b9a8b20000000049454e44"
    "ae426082";
const std::vector<uint8_t> kFiveFiltersPixels = {
    68, 32,  130, 60,  253, 230, 241, 194, 107, 48,  249, 14,  199, 221, 1,  228, 136, 117, 52,  162, 15,  11, 13,
    4,  195, 110, 216, 14,  113, 224, 253, 119, 176, 118, 112, 235, 148, 11, 213, 51,  95,  151, 61,  170, 216};

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

void put(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

RgbImage gradient_image() {
  RgbImage image{.height = 7, .width = 5};
  for (int64_t i = 0; i < 3 * 7 * 5; ++i) image.pixels.push_back(static_cast<uint8_t>(i * 7));
  return image;
}

TEST(Png, ComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  write_png(folder / "a.png", gradient_image());
  const RgbImage back = read_png(folder / "a.png");
  EXPECT_EQ(back.height, 7);
  EXPECT_EQ(back.width, 5);
  EXPECT_EQ(back.pixels, gradient_image().pixels);
}

TEST(Png, OfAnotherProgramIsReadWithAllItsFilters) {
  const TemporaryFolder folder;
  put(folder / "a.png", from_hex(kFiveFilters));
  EXPECT_EQ(read_png(folder / "a.png").pixels, kFiveFiltersPixels);
}

TEST(Png, IsRefusedWhereverItWasCutOrChanged) {
  const TemporaryFolder folder;
  const std::string good = from_hex(kFiveFilters);
  for (size_t i = 0; i < good.size(); ++i) {
    put(folder / "a.png", good.substr(0, i));
    EXPECT_THROW(read_png(folder / "a.png"), Error) << "cut at " << i;
    std::string changed = good;
    changed[i] = static_cast<char>(changed[i] ^ 0x41);
    put(folder / "a.png", changed);
    EXPECT_THROW(read_png(folder / "a.png"), Error) << "changed at " << i;
  }
}

TEST(Png, RefusesPixelsThatDoNotFillThePicture) {
  const TemporaryFolder folder;
  RgbImage image = gradient_image();
  image.pixels.pop_back();
  EXPECT_THAT(refusal_of([&] { write_png(folder / "a.png", image); }), HasSubstr("7 x 5"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.png"));
}

// --- kinds of pixels that other programs write ---

std::string big_endian(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  return big_endian(static_cast<uint32_t>(data.size())) + body +
         big_endian(static_cast<uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size())));
}

// zlib's format without compression: one stored block.
std::string stored(const std::string& data) {
  uint32_t low = 1, high = 0;
  for (const char byte : data) {
    low = (low + static_cast<uint8_t>(byte)) % 65521;
    high = (high + low) % 65521;
  }
  const auto size = static_cast<uint16_t>(data.size());
  std::string block("\x78\x01\x01", 3);
  for (const int half : {size & 0xff, size >> 8, ~size & 0xff, (~size >> 8) & 0xff}) block += static_cast<char>(half);
  return block + data + big_endian(high << 16 | low);
}

std::string text_of(const std::vector<int>& bytes) { return {bytes.begin(), bytes.end()}; }

struct Kind {
  int depth = 8;
  int colour = 0;
  std::vector<int> palette = {};
  bool is_interlaced = false;
};

// Rows begin with their filter.
std::string png_of(const Kind& kind, uint32_t width, uint32_t height, const std::vector<int>& rows) {
  const std::string header =
      big_endian(width) + big_endian(height) + text_of({kind.depth, kind.colour, 0, 0, kind.is_interlaced ? 1 : 0});
  const std::string palette = kind.palette.empty() ? "" : chunk("PLTE", text_of(kind.palette));
  return from_hex("89504e470d0a1a0a") + chunk("IHDR", header) + palette + chunk("IDAT", stored(text_of(rows))) +
         chunk("IEND", "");
}

std::vector<uint8_t> pixels_of(const std::string& png) {
  const TemporaryFolder folder;
  put(folder / "a.png", png);
  return read_png(folder / "a.png").pixels;
}

using Bytes = std::vector<uint8_t>;

TEST(PngPixels, GreyIsThreeEqualChannels) {
  // The second row is filtered by its left neighbours.
  const std::string grey = png_of({.depth = 8}, 3, 2, {0, 0, 100, 255, 1, 10, 10, 10});
  EXPECT_EQ(pixels_of(grey), (Bytes{0, 0, 0, 100, 100, 100, 255, 255, 255, 10, 10, 10, 20, 20, 20, 30, 30, 30}));
}

TEST(PngPixels, AlphaIsDropped) {
  const std::string grey = png_of({.depth = 8, .colour = 4}, 2, 1, {1, 10, 0, 10, 128});  // a step of two bytes
  EXPECT_EQ(pixels_of(grey), (Bytes{10, 10, 10, 20, 20, 20}));
  const std::string colour = png_of({.depth = 8, .colour = 6}, 2, 1, {0, 1, 2, 3, 0, 250, 251, 252, 128});
  EXPECT_EQ(pixels_of(colour), (Bytes{1, 2, 3, 250, 251, 252}));
}

TEST(PngPixels, OfSixteenBitsTheUpperEightCount) {
  const std::string grey = png_of({.depth = 16}, 2, 1, {0, 7, 255, 200, 0});
  EXPECT_EQ(pixels_of(grey), (Bytes{7, 7, 7, 200, 200, 200}));
  const std::string colour = png_of({.depth = 16, .colour = 2}, 1, 1, {0, 1, 255, 2, 255, 3, 255});
  EXPECT_EQ(pixels_of(colour), (Bytes{1, 2, 3}));
}

TEST(PngPixels, FewBitsReachFromBlackToWhite) {
  const std::string two = png_of({.depth = 2}, 4, 1, {0, 0b00011011});
  EXPECT_EQ(pixels_of(two), (Bytes{0, 0, 0, 85, 85, 85, 170, 170, 170, 255, 255, 255}));
  const std::string one =
      png_of({.depth = 1}, 9, 1, {0, 0b10000000, 0b10000000});  // the ninth lies in a byte of its own
  const Bytes pixels = pixels_of(one);
  EXPECT_EQ(Bytes(pixels.begin(), pixels.begin() + 6), (Bytes{255, 255, 255, 0, 0, 0}));
  EXPECT_EQ(pixels.at(24), 255);
}

TEST(PngPixels, PalettesGiveTheirColours) {
  const Kind kind{.depth = 4, .colour = 3, .palette = {1, 2, 3, 40, 50, 60}};
  EXPECT_EQ(pixels_of(png_of(kind, 3, 1, {0, 0x10, 0x20})), (Bytes{40, 50, 60, 1, 2, 3, 0, 0, 0}));  // 2 is not there
}

// Passes over a grid of eight by eight: of 3 x 2 pixels the first holds (0, 0), the fourth (0, 2), the sixth (0, 1) and
// the seventh the row below.
TEST(PngPixels, InterlacedFilesAreRead) {
  const Kind kind{.depth = 8, .is_interlaced = true};
  EXPECT_EQ(pixels_of(png_of(kind, 3, 2, {0, 10, 0, 30, 0, 20, 0, 40, 50, 60})),
            (Bytes{10, 10, 10, 20, 20, 20, 30, 30, 30, 40, 40, 40, 50, 50, 50, 60, 60, 60}));
}

// --- what a header may ask for ---

TEST(PngSize, IsLimitedBeforeMemoryIsTaken) {
  EXPECT_THAT(refusal_of([] { pixels_of(png_of({.depth = 1}, 8193, 8192, {0})); }),
              HasSubstr("an image of 8193 x 8192 is too large, expected at most 64 megapixels"));
  EXPECT_THAT(refusal_of([] { pixels_of(png_of({.depth = 1}, 1 << 20, 1, {0})); }), HasSubstr("damaged PNG file"));
}

// Deflate makes at most 1032 bytes of one, so that a small file cannot ask for much.
TEST(PngSize, IsHeldAgainstTheBytesOfTheFile) {
  EXPECT_THAT(refusal_of([] { pixels_of(png_of({.depth = 8, .colour = 2}, 8192, 8192, {0})); }),
              HasSubstr("is cut short"));
  RgbImage image{.height = 2048, .width = 2048, .pixels = std::vector<uint8_t>(3 * 2048 * 2048)};
  const TemporaryFolder folder;
  write_png(folder / "black.png", image);  // as small as such a picture gets
  EXPECT_EQ(read_png(folder / "black.png").pixels, image.pixels);
}

TEST(PngPixels, WhatPngDoesNotKnowIsRefused) {
  EXPECT_THAT(refusal_of([] {
                pixels_of(png_of({.depth = 4, .colour = 2}, 1, 1, {0, 0, 0}));
              }),
              HasSubstr("damaged PNG file: 'Invalid IHDR data'"));
  EXPECT_THAT(refusal_of([] {
                pixels_of(png_of({.depth = 8, .colour = 3}, 1, 1, {0, 0}));
              }),
              HasSubstr("Missing PLTE before IDAT"));
  EXPECT_THAT(refusal_of([] { pixels_of(png_of({.depth = 8}, 2, 1, {0, 0})); }), HasSubstr("Not enough image data"));
}

}  // namespace
}  // namespace sgf

// PNG files come back as they were written, as others write them, and not at all when damaged.
#include "sgf/data/png.h"

#include "../core/refusal.h"
#include "../core/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>
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

}  // namespace
}  // namespace sgf

// Text in images: letters of 5 x 7 pixels (9 with descenders), enlarged by integer factors. Torch-free.
#pragma once

#include "sgf/media/png.h"

#include <cstdint>
#include <string_view>

namespace sgf {

constexpr int64_t kLetterHeight = 9;  // pixels at scale 1

// Whether all characters of `text` can be drawn: printable ASCII.
bool is_drawable(std::string_view text);

// Letters are ASCII; any other character is drawn as a box.
int64_t text_width(std::string_view text, int64_t scale);

// Draws text with its upper left corner at (x, y); anything outside the image is clipped.
void draw_text(RgbImage& image, std::string_view text, int64_t x, int64_t y, int64_t scale, uint8_t grey);

}  // namespace sgf

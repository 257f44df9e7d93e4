// Words in pictures: letters of 5 x 7 pixels (9 with what hangs below the line), enlarged by whole numbers. Torch-free.
#pragma once

#include "sgf/media/png.h"

#include <cstdint>
#include <string_view>

namespace sgf {

constexpr int64_t kLetterHeight = 9;  // pixels at scale 1

// Whether all its characters have letters here: the printable ones of ASCII.
bool is_drawable(std::string_view text);

// Letters are ASCII; any other character is a box.
int64_t text_width(std::string_view text, int64_t scale);

// Its upper left corner at (x, y); what lies outside the picture is not drawn.
void draw_text(RgbImage& image, std::string_view text, int64_t x, int64_t y, int64_t scale, uint8_t grey);

}  // namespace sgf

// The method as a picture: two passes, the cache between blocks, and where gradients flow. Torch-free.
#pragma once

#include <string>

namespace sgf {

// An inline SVG that takes its colours from the page; `sf` and `sgf` are those of the two methods.
std::string draw_two_passes(const std::string& sf, const std::string& sgf);

}  // namespace sgf

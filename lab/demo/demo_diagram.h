// A figure of the method: two passes, the cache between blocks, and the gradients. Torch-free.
#pragma once

#include <string>

namespace sgf {

// Inline SVG in the colours of the page; `sf` and `sgf` are the colours of the two methods.
std::string draw_two_passes(const std::string& sf, const std::string& sgf);

}  // namespace sgf

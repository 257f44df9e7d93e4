// Height and width of a frame, in pixels.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sgf {

struct PictureSize {
  int64_t height = 0;
  int64_t width = 0;

  bool operator==(const PictureSize&) const = default;
};

inline constexpr int64_t kLongestPictureSide = 1 << 20;  // far beyond any video; keeps sizes within 64 bits

// "832x480": width and height, each at least 1. nullopt for anything else.
inline std::optional<PictureSize> parse_picture_size(std::string_view text) {
  PictureSize size;
  const auto read = [](std::string_view part, int64_t& side) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), side);
    return error == std::errc() && end == part.data() + part.size() && side > 0 && side <= kLongestPictureSide;
  };
  const size_t cross = text.find('x');
  if (cross == std::string_view::npos || !read(text.substr(0, cross), size.width) ||
      !read(text.substr(cross + 1), size.height))
    return {};
  return size;
}

}  // namespace sgf

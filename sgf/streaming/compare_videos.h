// Two videos, picture by picture. Torch-free.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace sgf {

struct VideoDifference {
  int64_t pictures = 0;                     // compared: as many as both have
  int64_t only_first = 0, only_second = 0;  // pictures that only one has; 0 or 1 where the rest was not counted
  int64_t largest = 0;                      // over all pixels and colours, of 255
  std::optional<int64_t> first_picture;     // that differs
  double mean = 0;                          // absolute, of 255

  bool is_identical() const { return largest == 0 && only_first == 0 && only_second == 0; }
};

// Files or folders of PNG files; sizes must agree.
VideoDifference compare_videos(const std::filesystem::path& first, const std::filesystem::path& second);

}  // namespace sgf

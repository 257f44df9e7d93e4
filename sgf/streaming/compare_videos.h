// Compares two videos frame by frame. Torch-free.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace sgf {

struct VideoDifference {
  int64_t pictures = 0;                     // compared frames: those that both videos have
  int64_t only_first = 0, only_second = 0;  // frames that only one has; 0 or 1 if the rest was not counted
  int64_t largest = 0;                      // largest difference over all pixels and colours, of 255
  std::optional<int64_t> first_picture;     // first frame that differs
  double mean = 0;                          // mean absolute difference, of 255

  bool is_identical() const { return largest == 0 && only_first == 0 && only_second == 0; }
};

// Files or folders of PNG files; throws if sizes differ.
VideoDifference compare_videos(const std::filesystem::path& first, const std::filesystem::path& second);

}  // namespace sgf

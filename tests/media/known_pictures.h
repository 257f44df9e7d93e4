// Pictures that tests of video files know, and what they ask of a file.
#pragma once

#include "sgf/media/png.h"
#include "sgf/media/video_reader.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <stdio.h>

namespace sgf::testing {

constexpr int64_t kWidth = 48, kHeight = 32;

// Soft slopes that move: what most of a picture is made of.
inline RgbImage slopes(int64_t frame, int64_t height = kHeight, int64_t width = kWidth) {
  RgbImage image{.height = height, .width = width};
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      const double a = 0.1 * static_cast<double>(x + frame), b = 0.15 * static_cast<double>(y);
      for (const double phase : {0.0, 2.0, 4.0}) {
        image.pixels.push_back(static_cast<uint8_t>(127.5 + 100 * std::sin(a + b + phase)));
      }
    }
  }
  return image;
}

inline double mean_error(const RgbImage& a, const RgbImage& b) {
  double sum = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) sum += std::abs(a.pixels[i] - b.pixels[i]);
  return sum / static_cast<double>(a.pixels.size());
}

// How many pictures come before the end; damage is an Error, as it is for users.
inline int64_t count_frames(const std::filesystem::path& path) {
  VideoReader reader(path);
  int64_t count = 0;
  while (reader.next()) ++count;
  return count;
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// What a program of FFmpeg prints, where it is installed; beside our own reader, what others make of our files.
inline bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}
inline std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  for (int c = 0; pipe != nullptr && (c = ::fgetc(pipe)) != EOF;) text.push_back(static_cast<char>(c));
  if (pipe != nullptr) ::pclose(pipe);
  return text;
}

}  // namespace sgf::testing

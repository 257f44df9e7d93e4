// The places where a stream's pictures can go. Each can be left at a sync() and taken up again there.
#pragma once

#include "sgf/media/sink_place.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace sgf {

class FrameSink {
 public:
  virtual ~FrameSink() = default;

  virtual void add(const at::Tensor& pictures) = 0;  // [F, 3, H, W] uint8 on the CPU
  virtual SinkPlace sync() = 0;                      // all that came is on the disk, and can be played
  virtual void finish() = 0;
};

struct SinkSettings {
  int64_t width = 0;
  int64_t height = 0;
  double fps = 16;
  int64_t crf = 12;  // of mp4: 0 is largest and best, 51 smallest and worst
  std::string note;  // what made it, as JSON: of mp4, where read_video_note() finds it, and of PNG folders
  std::string mark;  // the same as 16 hexadecimal digits, for the head of y4m files, which has little room
};

// H.264 in fragments: can be played while it grows and after a kill. Continued, it ends byte for byte as the unbroken
// file does.
std::unique_ptr<FrameSink> open_mp4_sink(const std::filesystem::path& path, const SinkSettings& settings,
                                         const MaybePlace& from = {});

// `DIR/frame_00000000.png` and so on, exact, and the note as `DIR/sgf-order.json`. A new one wants a folder without
// such frames; continued, those after the place are removed when the first picture comes. Bytes of its places are 0.
std::unique_ptr<FrameSink> open_png_sink(const std::filesystem::path& folder, const SinkSettings& settings,
                                         const MaybePlace& from = {});
std::optional<std::string> read_png_note(const std::filesystem::path& folder);
// How many frames are there.
int64_t count_png_frames(const std::filesystem::path& folder);

// Raw video as players and ffmpeg read it from a pipe; "-" is the standard output, which cannot be continued.
std::unique_ptr<FrameSink> open_y4m_sink(const std::string& target, const SinkSettings& settings,
                                         const MaybePlace& from = {});

// Takes pictures and keeps only their number, and that of their bytes: for machines without FFmpeg, and to time all
// that comes before a sink.
std::unique_ptr<FrameSink> open_counting_sink(const SinkSettings& settings, const MaybePlace& from = {});

}  // namespace sgf

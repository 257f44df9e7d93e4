// Destinations of a stream's frames. Each can stop at a sync() and continue from there.
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
  virtual SinkPlace sync() = 0;                      // all frames so far are on disk and playable
  virtual void finish() = 0;
};

struct SinkSettings {
  int64_t width = 0;
  int64_t height = 0;
  double fps = 16;
  int64_t crf = 12;  // for mp4: 0 is largest and best, 51 smallest and worst
  std::string note;  // the order as JSON: stored in mp4 (see read_video_note()) and in PNG folders
  std::string mark;  // its hash as 16 hexadecimal digits, for the small header of y4m files
};

// H.264 in fragments: playable while it grows and after a kill. A continued file is byte for byte equal to an
// uninterrupted one.
std::unique_ptr<FrameSink> open_mp4_sink(const std::filesystem::path& path, const SinkSettings& settings,
                                         const MaybePlace& from = {});

// `DIR/frame_00000000.png` and so on, lossless, and the note as `DIR/sgf-order.json`. A new one needs a folder without
// such frames. If continued, frames after the place are removed when the first frame comes. Bytes of its places are 0.
std::unique_ptr<FrameSink> open_png_sink(const std::filesystem::path& folder, const SinkSettings& settings,
                                         const MaybePlace& from = {});
std::optional<std::string> read_png_note(const std::filesystem::path& folder);
// The number of frames in the folder.
int64_t count_png_frames(const std::filesystem::path& folder);

// Raw video (y4m) that players and ffmpeg read from a pipe; "-" is the standard output, which cannot be continued.
std::unique_ptr<FrameSink> open_y4m_sink(const std::string& target, const SinkSettings& settings,
                                         const MaybePlace& from = {});

// Only counts frames and bytes: for machines without FFmpeg, and to time everything before a sink.
std::unique_ptr<FrameSink> open_counting_sink(const SinkSettings& settings, const MaybePlace& from = {});

}  // namespace sgf

// Selects the sink for a target of --out.
#pragma once

#include "sgf/core/enum_names.h"
#include "sgf/streaming/frame_sinks.h"

#include <array>
#include <memory>
#include <optional>
#include <string>

namespace sgf {

enum class SinkKind {
  kMp4,   // a video file
  kPng,   // a folder of PNG files
  kY4m,   // raw video, in a file or through a pipe
  kNone,  // no output: frames are only counted
};

constexpr auto enum_names(SinkKind) {
  return std::array{EnumName{SinkKind::kMp4, "mp4"}, EnumName{SinkKind::kPng, "png"}, EnumName{SinkKind::kY4m, "y4m"},
                    EnumName{SinkKind::kNone, "none"}};
}

// `x.mp4`, `x.y4m`, `-` (y4m to the standard output), `x/` or a folder that exists (png). A given format decides for
// names without a format of their own, and must not contradict other names. Throws with a list of the known formats.
SinkKind sink_kind_of(const std::string& target, const std::optional<SinkKind>& format = {});

// Checks before any work that the frames can be written there. Throws if the folder is missing or not writable.
void check_sink(const std::string& target, SinkKind kind);

// Opened after the same checks.
std::unique_ptr<FrameSink> open_sink(const std::string& target, SinkKind kind, const SinkSettings& settings,
                                     const MaybePlace& from = {});

}  // namespace sgf

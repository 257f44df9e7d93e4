// Which sink a target names, as users give it to --out.
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
  kPng,   // a folder of pictures
  kY4m,   // raw video, in a file or through a pipe
  kNone,  // nowhere: pictures are counted
};

constexpr auto enum_names(SinkKind) {
  return std::array{EnumName{SinkKind::kMp4, "mp4"}, EnumName{SinkKind::kPng, "png"}, EnumName{SinkKind::kY4m, "y4m"},
                    EnumName{SinkKind::kNone, "none"}};
}

// `x.mp4`, `x.y4m`, `-` (y4m to the standard output), `x/` or a folder that exists (png). A format given decides for
// targets that say nothing themselves, and must not contradict those that do. Anything else is an Error that lists what
// is known.
SinkKind sink_kind_of(const std::string& target, const std::optional<SinkKind>& format = {});

// Whether files can appear in a folder, before any work: a missing or unwritable one is an Error that names it.
void check_writable(const std::filesystem::path& folder, const std::string& target);
// For pictures.
void check_sink(const std::string& target, SinkKind kind);

// Opened after the same checks.
std::unique_ptr<FrameSink> open_sink(const std::string& target, SinkKind kind, const SinkSettings& settings,
                                     const MaybePlace& from = {});

}  // namespace sgf

#include "sgf/streaming/open_sink.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/writable_folder.h"

namespace sgf {
namespace {

namespace fs = std::filesystem;

// The format that the name of the target implies.
std::optional<SinkKind> kind_by_name(const std::string& target) {
  const fs::path path(target);
  if (target == "-") return SinkKind::kY4m;
  if (!path.has_filename() || fs::is_directory(path)) return SinkKind::kPng;
  if (path.extension() == ".mp4") return SinkKind::kMp4;
  if (path.extension() == ".y4m") return SinkKind::kY4m;
  return std::nullopt;
}

// The parent folder of the target.
fs::path folder_around(const std::string& target) {
  fs::path path = fs::path(target).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path.has_parent_path() ? path.parent_path() : ".";
}

}  // namespace

SinkKind sink_kind_of(const std::string& target, const std::optional<SinkKind>& format) {
  SGF_CHECK(!target.empty(), "the output name must not be empty; use a name such as out.mp4");
  if (format == SinkKind::kNone) return SinkKind::kNone;
  const std::optional<SinkKind> named = kind_by_name(target);
  SGF_CHECK(!named || !format || named == format, "the name {} means {}, but the format is {}", in_quotes(target),
            enum_name(named.value_or(SinkKind::kNone)), enum_name(format.value_or(SinkKind::kNone)));
  if (named) return *named;
  // A folder may have any name that is not a video's; the format of a file follows from its extension.
  const bool may_be_folder = fs::path(target).extension() != ".png";
  SGF_CHECK(
      format == SinkKind::kPng && may_be_folder,
      "{} has no known video format: use NAME.mp4, NAME.y4m, FOLDER/ for PNG files, or - for raw video (y4m) to a pipe",
      in_quotes(target));
  return SinkKind::kPng;
}

void check_sink(const std::string& target, SinkKind kind) {
  if (kind == SinkKind::kNone || target == "-") return;
  check_writable(folder_around(target), target);
  if (kind == SinkKind::kPng && fs::is_directory(target)) check_writable(target, target);
}

std::unique_ptr<FrameSink> open_sink(const std::string& target, SinkKind kind, const SinkSettings& settings,
                                     const MaybePlace& from) {
  if (kind == SinkKind::kNone) return open_counting_sink(settings, from);
  check_sink(target, kind);
  if (kind == SinkKind::kMp4) return open_mp4_sink(target, settings, from);
  if (kind == SinkKind::kY4m) return open_y4m_sink(target, settings, from);
  return open_png_sink(target, settings, from);
}

}  // namespace sgf

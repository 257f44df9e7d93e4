// Video files through FFmpeg: opened, some pictures decoded, the note read. FFmpeg itself is the system's, without
// sanitizers: this is about what we make of its answers.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/media/video_reader.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.mp4";
constexpr int kMostPictures = 4;

void decode(const std::filesystem::path& path) {
  VideoReader reader(path);
  must(reader.width() > 0 && reader.height() > 0, "a video has a size");
  for (int i = 0; i < kMostPictures; ++i) {
    const auto picture = reader.next();
    if (!picture) return;
    must(picture->pixels.size() == static_cast<size_t>(picture->width * picture->height * 3), "a picture is whole");
  }
}

void read(std::string_view input) {
  const auto path = scratch_file(kName, input);
  do_or_refuse(kName, [&] { read_video_note(path); });
  do_or_refuse(kName, [&] { decode(path); });
}

const Registered target("video_file", read);

}  // namespace
}  // namespace sgf::fuzz

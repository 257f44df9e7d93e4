// Streams a video from a bundled model and writes its frames as PNG files.
// usage: stream_video [FOLDER [FRAMES [MODEL]]]
#include <sgf/sgf.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

namespace {

std::string file_name(int64_t frame) {
  const std::string digits = std::to_string(frame);
  return "frame_" + std::string(5 - std::min<size_t>(5, digits.size()), '0') + digits + ".png";
}

void stream_video(const std::filesystem::path& folder, int64_t frames, const std::filesystem::path& model) {
  // The prompt changes after one second. `wan` would name a Wan folder; this model has a text encoder and a codec of
  // its own.
  sgf::VideoStream stream({.model = model,
                           .prompts = {{0, "a fast red disc and a slow green square on a grey field"},
                                       {1, "a slow blue disc and a fast yellow square on a grey field"}},
                           .seed = 7});

  std::filesystem::create_directories(folder);
  int64_t written = 0;
  while (written < frames) {
    // A block is denoised at once, so frames arrive a few at a time.
    for (const sgf::RgbImage& frame : stream.next())
      if (written < frames) sgf::write_png(folder / file_name(written++), frame);
  }
  std::printf("%ld frames, %.2f seconds of video, in %s\n", static_cast<long>(written),
              static_cast<double>(written) / stream.fps(), folder.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    stream_video(argc > 1 ? argv[1] : "frames", argc > 2 ? std::stoll(argv[2]) : 24,
                 argc > 3 ? argv[3] : SGF_DATA_DIR "/models/world-small/sgf");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stream_video: %s\n", error.what());
    return 1;
  }
}

// Videos to files of latents and back, a few frames at a time, however long they are.
#pragma once

#include "sgf/vae/wan_vae_codec.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace sgf {

// Hears how many frames are done, and how many there are where that is known, else 0.
using FramesDone = std::function<void(int64_t done, int64_t total)>;

struct EncodeOrder {
  std::filesystem::path video;  // a video file, or a folder of PNG files
  std::filesystem::path latents;
  bool crop = false;     // take the middle where a side is no multiple of the codec's factor; otherwise refuse
  std::string vae_name;  // for the note in the file
};

struct EncodedVideo {
  int64_t pictures = 0;
  int64_t latents = 0;
  int64_t height = 0, width = 0;  // that were encoded
  std::string warning;            // pictures left out at the end; "" where none were
};

EncodedVideo encode_video(const WanVaeCodec& codec, const EncodeOrder& order, const FramesDone& done);

struct DecodeOrder {
  std::filesystem::path latents;
  std::filesystem::path video;  // a video file by its extension, else a folder for PNG files, new or empty
  std::optional<double> fps;    // by default the file's, or 16
};

struct DecodedVideo {
  int64_t pictures = 0;
  int64_t height = 0, width = 0;
};

DecodedVideo decode_video(const WanVaeCodec& codec, const DecodeOrder& order, const FramesDone& done);

// The largest picture within height x width, in the middle, whose sides are multiples of `factor`: throws where it is
// smaller and may not be cut.
struct CropWindow {
  int64_t top = 0, left = 0, height = 0, width = 0;
};
CropWindow crop_window(int64_t height, int64_t width, int64_t factor, bool may_cut);

}  // namespace sgf

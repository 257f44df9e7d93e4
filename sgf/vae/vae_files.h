// Converts videos to latent files and back, a few frames at a time, however long they are.
#pragma once

#include "sgf/vae/wan_vae_codec.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace sgf {

// Receives the number of finished frames and the total, which is 0 if unknown.
using FramesDone = std::function<void(int64_t done, int64_t total)>;

struct EncodeOrder {
  std::filesystem::path video;  // a video file, or a folder of PNG files
  std::filesystem::path latents;
  bool crop = false;     // crop to the centre if a side is not a multiple of the codec's factor; otherwise throw
  std::string vae_name;  // for the file's metadata
};

struct EncodedVideo {
  int64_t pictures = 0;
  int64_t latents = 0;
  int64_t height = 0, width = 0;  // size of the encoded frames
  std::string warning;            // frames left out at the end; "" if there are none
};

EncodedVideo encode_video(const WanVaeCodec& codec, const EncodeOrder& order, const FramesDone& done);

struct DecodeOrder {
  std::filesystem::path latents;
  std::filesystem::path video;  // a video file by its extension, else a folder for PNG files, new or empty
  std::optional<double> fps;    // default: from the file, or 16
};

struct DecodedVideo {
  int64_t pictures = 0;
  int64_t height = 0, width = 0;
};

DecodedVideo decode_video(const WanVaeCodec& codec, const DecodeOrder& order, const FramesDone& done);

// The largest centred window within height x width whose sides are multiples of `factor`. Throws if
// cropping is needed but not allowed.
struct CropWindow {
  int64_t top = 0, left = 0, height = 0, width = 0;
};
CropWindow crop_window(int64_t height, int64_t width, int64_t factor, bool may_cut);

}  // namespace sgf

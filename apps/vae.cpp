// `sgf vae encode|decode`: videos to latents and back through the Wan VAE.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/vae_options.h"
#include "sgf/core/error.h"
#include "sgf/files/writable_folder.h"
#include "sgf/vae/vae_files.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace sgf {
namespace {

struct VaeEncodeArgs {
  VaeArgs vae;
  EncodeOrder order;
};

struct VaeDecodeArgs {
  VaeArgs vae;
  DecodeOrder order;
  double fps = 0;
  bool overwrite = false;
};

// A progress line once the total is known.
FramesDone progress_of_frames() {
  auto line = std::make_shared<std::function<void(int64_t)>>();
  return [line](int64_t done, int64_t total) {
    if (total <= 0) return;
    if (!*line) *line = show_progress(total, "frame");
    (*line)(std::min(done, total));
  };
}

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

void run_encode(VaeEncodeArgs args) {
  check_can_be_put(args.order.latents);
  const WanVaeCodec codec = open_vae(args.vae);
  args.order.vae_name = vae_file(args.vae).filename().string();
  const auto began = std::chrono::steady_clock::now();
  const EncodedVideo encoded = encode_video(codec, args.order, progress_of_frames());
  const double seconds = seconds_since(began);
  if (!encoded.warning.empty()) warn("{}", encoded.warning);
  say("{} latent frames from {} frames of {} x {} in {} ({:.1f} frames/s)", encoded.latents, encoded.pictures,
      encoded.width, encoded.height, args.order.latents.string(), static_cast<double>(encoded.pictures) / seconds);
}

void run_decode(VaeDecodeArgs args) {
  const bool is_there = std::filesystem::is_regular_file(args.order.video);
  SGF_CHECK(!is_there || args.overwrite, "{} already exists; pass --overwrite, or another name with --out",
            args.order.video.string());
  const WanVaeCodec codec = open_vae(args.vae);
  if (args.fps > 0) args.order.fps = args.fps;
  const auto began = std::chrono::steady_clock::now();
  const DecodedVideo decoded = decode_video(codec, args.order, progress_of_frames());
  say("{} frames of {} x {} in {} ({:.1f} frames/s)", decoded.pictures, decoded.width, decoded.height,
      args.order.video.string(), static_cast<double>(decoded.pictures) / seconds_since(began));
}

void add_encode(CLI::App& vae) {
  auto args = std::make_shared<VaeEncodeArgs>();
  CLI::App* command = vae.add_subcommand("encode", "Encode a video to latents, a few frames at a time");
  command->footer("Example:\n  sgf vae encode clip.mp4 --wan Wan2.1-T2V-1.3B --out clip.safetensors");
  command->add_option("video", args->order.video, "video file or folder of PNG files")->type_name("PATH")->required();
  command
      ->add_option("--out", args->order.latents,
                   ".safetensors file to write `latents` [F, C, h, w] to, float32; an existing one is replaced")
      ->type_name("FILE")
      ->required()
      ->check(has_extension(".safetensors"));
  command->add_flag("--crop", args->order.crop, "centre crop to sides that are multiples of 8 pixels");
  add_vae_args(*command, args->vae);
  command->callback([args] { run_encode(*args); });
}

void add_decode(CLI::App& vae) {
  auto args = std::make_shared<VaeDecodeArgs>();
  CLI::App* command = vae.add_subcommand("decode", "Decode latents to a video, a few frames at a time");
  command->footer("Example:\n  sgf vae decode clip.safetensors --wan Wan2.1-T2V-1.3B --out clip.mp4");
  command->add_option("latents", args->order.latents, ".safetensors file with `latents` [F, C, h, w]")
      ->type_name("FILE")
      ->required();
  command->add_option("--out", args->order.video, ".mp4 file, or folder for PNG files, to write")
      ->type_name("PATH")
      ->required();
  command->add_flag("--overwrite", args->overwrite, "overwrite an existing .mp4 file");
  command->add_option("--fps", args->fps, "frames per second (default: from the latents, else 16)")
      ->check(positive_number());
  add_vae_args(*command, args->vae);
  command->callback([args] { run_decode(*args); });
}

}  // namespace

void add_vae(CLI::App& app) {
  CLI::App* vae = app.add_subcommand("vae", "Run the Wan VAE on files: encode a video, decode latents");
  vae->footer("Example:\n  sgf vae encode clip.mp4 --wan Wan2.1-T2V-1.3B --out clip.safetensors");
  vae->require_subcommand(1);
  add_encode(*vae);
  add_decode(*vae);
}

}  // namespace sgf

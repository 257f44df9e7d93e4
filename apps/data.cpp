// `sgf data encode FOLDER`: videos on disk as clips for training.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/threads.h"
#include "apps/vae_options.h"
#include "sgf/assembly/preset_folders.h"
#include "sgf/config/config.h"
#include "sgf/core/counted.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/dataset/encode_clips.h"
#include "sgf/files/tensors.h"
#include "sgf/files/weight_identity.h"
#include "sgf/text/embedding_cache.h"
#include "sgf/text/wan_text_encoder.h"
#include "sgf/weights/wan_folder.h"

#include <ATen/core/Tensor.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <optional>
#include <tuple>

namespace sgf {
namespace {

constexpr int kEncodeStopped = 3, kVideosLeftOut = 4;

struct DataEncodeArgs {
  EncodeRequest request;
  VaeArgs vae;  // its --wan is the text encoder's too
  std::optional<std::string> negative_prompt;
  int64_t text_len = 512;
  std::string shard = "0/1";
  bool quiet = false;
};

void say_to_stderr(const std::string& line) { warn("{}", line); }

at::TensorOptions encode_options(const VaeArgs& args) {
  const c10::Device device = device_from_name(args.device);
  const at::ScalarType usual = device.is_cuda() ? at::kBFloat16 : at::kFloat;
  return at::TensorOptions(device).dtype(args.dtype == "auto" ? usual : scalar_type_from_name(args.dtype));
}

std::unique_ptr<PromptEncoder> open_captions_encoder(const DataEncodeArgs& args, const WanFolder& wan) {
  return open_prompt_encoder({.encoder = wan.text_encoder(),
                              .tokenizer = wan.tokenizer(),
                              .text_len = args.text_len,
                              .options = encode_options(args.vae),
                              .cache = default_embedding_folder(),
                              .warn = say_to_stderr});
}

// Of a folder that others still work on, and of one that is complete.
void print_result(const EncodeResult& result, const EncodeRequest& request) {
  for (const ClipVideo& video : result.left_out) warn("skipped: {}: {}", video.name, video.problem);
  const auto skipped = std::ssize(result.left_out);
  say("{}: {} from {} of {} videos ({} encoded now), {} skipped{}", request.out.string(), counted(result.clips, "clip"),
      result.done - skipped, result.videos, result.made, skipped,
      result.is_whole() ? "" : "; the other workers, or the same command run again, encode the rest");
}

void run_data_encode(const DataEncodeArgs& args) {
  const WanFolder wan(args.vae.wan);
  EncodeRequest request = args.request;
  std::tie(request.worker, request.workers) = worker_of(args.shard);
  request.negative_prompt =
      args.negative_prompt ? *args.negative_prompt : load_config("wan-1.3b", {}, preset_folders()).negative_prompt;
  request.vae = weight_identity(open_tensor_file(wan.vae()));
  if (args.vae.tile > 0) request.vae += fmt::format(", in tiles of {}", args.vae.tile);
  request.text_encoder = weight_identity(open_tensor_file(wan.text_encoder()));
  request.dtype = name_of(encode_options(args.vae).dtype().toScalarType());
  request.say = say_to_stderr;
  request.progress = progress_mode(args.quiet);
  request.output = standard_progress_output();
  const EncodeResult result = encode_clips(request, open_vae(args.vae), *open_captions_encoder(args, wan));
  print_result(result, request);
  exit_with(result.was_stopped ? kEncodeStopped : result.left_out.empty() ? 0 : kVideosLeftOut);
}

void add_cut(CLI::App& command, ClipCut& cut) {
  command.add_option("--frames", cut.frames, "frames per clip, a multiple of 4 plus 1: 1, 5, 9, ... 81")
      ->capture_default_str()
      ->check(positive_number());
  command
      .add_option("--height", cut.height, "height in pixels; videos are scaled to cover it and cropped to the centre")
      ->capture_default_str()
      ->check(positive_number());
  command.add_option("--width", cut.width, "width in pixels; videos are scaled to cover it and cropped to the centre")
      ->capture_default_str()
      ->check(positive_number());
  command.add_option("--fps", cut.fps, "frames per second of the clips; each takes the frame shown at its time")
      ->capture_default_str()
      ->check(positive_number());
  command
      .add_option("--stride", cut.stride,
                  "frames from the start of one clip to the next; 0 = one clip per video, from its start")
      ->capture_default_str()
      ->check(number_from_zero());
}

void add_encoders(CLI::App& command, DataEncodeArgs& args) {
  command.add_option("--wan", args.vae.wan, "Wan folder, for its VAE and text encoder")->type_name("DIR")->required();
  command.add_option("--text-len", args.text_len, "tokens per caption; longer ones are cut")
      ->capture_default_str()
      ->check(positive_number());
  command.add_option("--negative-prompt", args.negative_prompt,
                     "negative prompt to embed beside the captions (default: the negative prompt of Wan)");
  add_device(command, args.vae.device);
  command
      .add_option("--dtype", args.vae.dtype,
                  "element type of the computation; auto = bfloat16 on a GPU, float32 on a CPU")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "float64", "float32", "bfloat16"}));
  command
      .add_option("--tile", args.vae.tile, "tile size in pixels, to save memory; seams may show (default: no tiles)")
      ->check(positive_number());
  add_threads(command, args.vae.threads, kAllCores);
}

void add_data_encode(CLI::App& data) {
  auto args = std::make_shared<DataEncodeArgs>();
  CLI::App* command =
      data.add_subcommand("encode", "Encode a folder of videos to latents and caption embeddings for training");
  command->footer(
      "Examples:\n"
      "  sgf data encode videos/ --wan Wan2.1-T2V-1.3B --out data/clips\n"
      "  sgf data encode videos/ --wan Wan2.1-T2V-1.3B --out data/clips --shard 0/8\n\n"
      "Captions come from a .json, .jsonl or .csv file of files and captions, or from a .txt file beside each video. "
      "A clip is kept while its video and caption are unchanged: run the same command again to resume after an "
      "interruption, or to encode videos that were added or changed. Train on the folder with data.clips.\n\n"
      "Exit codes: 0 all videos are encoded; 1 failed; 3 stopped by SIGINT or SIGTERM; 4 done, but videos were skipped "
      "because they are broken, too short or without a caption (listed in manifest.json).");
  command
      ->add_option("folder", args->request.videos, "folder of videos at any depth; a folder of PNG files is one video")
      ->type_name("DIR")
      ->required();
  command
      ->add_option("--captions", args->request.captions,
                   "file that lists files, relative to the folder, and captions (default: .txt files beside videos)")
      ->type_name("FILE");
  command->add_option("--out", args->request.out, "folder to write the clips to")->type_name("DIR")->required();
  add_cut(*command, args->request.cut);
  add_encoders(*command, *args);
  add_worker(*command, args->shard);
  command->add_flag("--check", args->request.check_all,
                    "compare hashes of all videos and shards, not only sizes and times");
  command->add_flag("--retry", args->request.retry, "try skipped videos again");
  command->add_flag("--quiet", args->quiet, "no progress line");
  command->callback([args] { run_data_encode(*args); });
}

}  // namespace

void add_data(CLI::App& app) {
  CLI::App* data = app.add_subcommand("data", "Prepare training data from videos on disk");
  data->footer("Example:\n  sgf data encode videos/ --wan Wan2.1-T2V-1.3B --out data/clips");
  data->require_subcommand(1);
  add_data_encode(*data);
}

}  // namespace sgf

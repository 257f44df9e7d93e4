// `sgf data encode FOLDER`: videos on disk as clips that can be learnt.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/threads.h"
#include "apps/vae_options.h"
#include "sgf/assembly/preset_folders.h"
#include "sgf/config/config.h"
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

// Of a folder that others still work on, and of one that is whole.
void print_result(const EncodeResult& result, const EncodeRequest& request) {
  for (const ClipVideo& video : result.left_out) warn("left out: {}: {}", video.name, video.problem);
  say("{}: {} videos encoded now; {} of {} done, {} left out, {} clips{}", request.out.string(), result.made,
      result.done, result.videos, result.left_out.size(), result.clips,
      result.is_whole() ? "" : "; the same command, or the other workers, make the rest");
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
  command.add_option("--frames", cut.frames, "Pictures of a clip: 1, 5, 9, ... 81, a multiple of 4 and one")
      ->capture_default_str()
      ->check(positive_number());
  command.add_option("--height", cut.height, "Of the pictures, which are made to cover it; the middle is kept")
      ->capture_default_str()
      ->check(positive_number());
  command.add_option("--width", cut.width, "The same")->capture_default_str()->check(positive_number());
  command.add_option("--fps", cut.fps, "Pictures a second: of each moment the one that the video shows then")
      ->capture_default_str()
      ->check(positive_number());
  command
      .add_option("--stride", cut.stride,
                  "Pictures from one clip of a video to its next; 0: one clip a video, its beginning")
      ->capture_default_str()
      ->check(number_from_zero());
}

void add_encoders(CLI::App& command, DataEncodeArgs& args) {
  command.add_option("--wan", args.vae.wan, "A Wan folder: its VAE and its text encoder")->required();
  command.add_option("--text-len", args.text_len, "Tokens that a caption is cut at")
      ->capture_default_str()
      ->check(positive_number());
  command.add_option("--negative-prompt", args.negative_prompt, "Embedded beside the captions; Wan's by default");
  add_device(command, args.vae.device);
  command.add_option("--dtype", args.vae.dtype, "float64, float32 or bfloat16; auto: bfloat16 on a GPU, else float32")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "float64", "float32", "bfloat16"}));
  command.add_option("--tile", args.vae.tile, "Work in tiles of so many pixels, for small memories; seams may show")
      ->check(positive_number());
  add_threads(command, args.vae.threads, kAllCores);
}

void add_data_encode(CLI::App& data) {
  auto args = std::make_shared<DataEncodeArgs>();
  CLI::App* command =
      data.add_subcommand("encode", "Videos of a folder to latents and embedded captions, for data.clips");
  command->footer(
      "Captions: a .json, .jsonl or .csv file of file and caption, or a .txt file beside each video. What is encoded\n"
      "stays while video and caption are the same: the same command goes on after a kill, and takes up what was added\n"
      "or changed. Exit codes: 0 all videos are in; 1 failed; 3 stopped by SIGINT or SIGTERM; 4 all done, but videos\n"
      "were left out: broken, too short or without a caption, as said and as manifest.json has it.");
  command->add_option("folder", args->request.videos, "Videos at any depth; a folder of PNG files is one")->required();
  command->add_option("--captions", args->request.captions, "List of files, as they lie in the folder, and captions");
  command->add_option("--out", args->request.out, "Folder of the clips")->required();
  add_cut(*command, args->request.cut);
  add_encoders(*command, *args);
  add_worker(*command, args->shard);
  command->add_flag("--check", args->request.check_all, "Hash all videos and shards again; by default sizes and times");
  command->add_flag("--retry", args->request.retry, "Try again what was left out");
  command->add_flag("--quiet", args->quiet, "No progress");
  command->callback([args] { run_data_encode(*args); });
}

}  // namespace

void add_data(CLI::App& app) {
  CLI::App* data = app.add_subcommand("data", "Videos on disk as training data");
  data->require_subcommand(1);
  add_data_encode(*data);
}

}  // namespace sgf

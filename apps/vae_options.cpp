#include "apps/vae_options.h"

#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/threads.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/files/tensors.h"
#include "sgf/weights/wan_folder.h"

#include <CLI/CLI.hpp>

namespace sgf {

void add_vae_args(CLI::App& command, VaeArgs& args) {
  CLI::Option* vae =
      command.add_option("--vae", args.vae, "weight file of the VAE, for example Wan2.1_VAE.pth")->type_name("FILE");
  command.add_option("--wan", args.wan, "Wan folder with Wan2.1_VAE.pth")->type_name("DIR")->excludes(vae);
  add_device(command, args.device);
  command
      .add_option("--dtype", args.dtype, "element type of the computation; auto = bfloat16 on a GPU, float32 on a CPU")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "float64", "float32", "bfloat16"}));
  command.add_option("--tile", args.tile, "tile size in pixels, to save memory; seams may show (default: no tiles)")
      ->check(positive_number());
  add_threads(command, args.threads, kAllCores);
}

std::filesystem::path vae_file(const VaeArgs& args) {
  if (args.vae.empty() && args.wan.empty()) misused("no VAE given; pass --vae FILE or --wan DIR");
  if (!args.vae.empty()) return args.vae;
  return WanFolder(args.wan).vae();
}

WanVaeCodec open_vae(const VaeArgs& args) {
  const std::filesystem::path file = vae_file(args);
  use_threads(args.threads);
  const c10::Device device = device_from_name(args.device);
  const at::ScalarType usual = device.is_cuda() ? at::kBFloat16 : at::kFloat;
  const at::ScalarType dtype = args.dtype == "auto" ? usual : scalar_type_from_name(args.dtype);
  const VaeWeights weights = load_vae_weights(file, at::TensorOptions().dtype(dtype).device(device));
  WanCodecSettings settings;
  if (args.tile > 0) settings.tiles = tiles_of_pixels(args.tile, weights.config.spatial_factor());
  return WanVaeCodec(weights, settings);
}

}  // namespace sgf

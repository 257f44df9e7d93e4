// `sgf diagnose vae-boundary VIDEO…`: the error of a latent frame when less of the past was encoded before it.
#include "apps/commands.h"
#include "apps/diagnose.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/table.h"
#include "apps/vae_options.h"
#include "sgf/core/error.h"
#include "sgf/diagnosis/vae_boundary.h"
#include "sgf/media/video_tensor.h"
#include "sgf/vae/vae_files.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>

namespace sgf {
namespace {

using Json = nlohmann::json;

struct BoundaryArgs {
  VaeArgs vae;
  std::vector<std::string> videos;
  int64_t frames = 81;
  int64_t windows = 5;
  bool json = false;
};

// The first frames of a video, cropped to whole latents: [1, F, 3, H, W].
at::Tensor first_pictures(const std::string& path, int64_t frames, int64_t factor) {
  const auto source = open_frames(path);
  const CropWindow crop = crop_window(source->height(), source->width(), factor, /*may_cut=*/true);
  std::vector<at::Tensor> pictures;
  while (static_cast<int64_t>(pictures.size()) < frames) {
    const std::optional<RgbImage> image = source->next();
    SGF_CHECK(image.has_value(), "{} has {} frames, {} are needed; use fewer with --frames N", path, pictures.size(),
              frames);
    pictures.push_back(tensor_of(*image).narrow(1, crop.top, crop.height).narrow(2, crop.left, crop.width));
  }
  return at::stack(pictures).unsqueeze(0);
}

// The mean over the videos, row by row.
std::vector<BoundaryRow> mean_rows(const std::vector<std::vector<BoundaryRow>>& videos) {
  std::vector<BoundaryRow> mean = videos.front();
  for (size_t i = 0; i < mean.size(); ++i) {
    mean[i].relative_l2 = 0;
    for (const auto& rows : videos) mean[i].relative_l2 += rows[i].relative_l2 / static_cast<double>(videos.size());
  }
  return mean;
}

// What the paper reports for rows of these names, at 81 frames.
std::string paper_value(const std::string& name) {
  for (const auto& [row, value] : {std::pair{"fresh", ".607"},
                                   {"W=0", ".271"},
                                   {"W=1", ".124"},
                                   {"W=2", ".084"},
                                   {"W=3", ".067"},
                                   {"W=4", ".060"}})
    if (name == row) return value;
  return "";
}

Json to_json(const std::vector<BoundaryRow>& rows) {
  Json out = Json::array();
  for (const BoundaryRow& row : rows)
    out.push_back({{"window", row.name}, {"frames", {row.begin, row.end}}, {"relative_l2", row.relative_l2}});
  return out;
}

void print_boundary(const BoundaryArgs& args, const std::vector<std::vector<BoundaryRow>>& videos, int64_t latent) {
  const std::vector<BoundaryRow> mean = mean_rows(videos);
  if (args.json) {
    Json out{{"frames", args.frames}, {"latent", latent}, {"rows", to_json(mean)}, {"videos", Json::array()}};
    for (size_t i = 0; i < videos.size(); ++i)
      out["videos"].push_back({{"file", args.videos[i]}, {"rows", to_json(videos[i])}});
    say_json(out);
    return;
  }
  say("Latent frame {} of {} frames, encoded with less of the past; {} {}", latent, args.frames, videos.size(),
      videos.size() == 1 ? "video" : "videos, mean");
  Table table({"window", "frames", "rel-L2", "paper"});
  for (const BoundaryRow& row : mean)
    table.add({row.name, fmt::format("[{}, {})", row.begin, row.end), fmt::format("{:.3f}", row.relative_l2),
               args.frames == 81 ? paper_value(row.name) : ""});
  table.print();
}

void run_vae_boundary(const BoundaryArgs& args) {
  const WanVaeCodec codec = open_vae(args.vae);
  std::vector<std::vector<BoundaryRow>> videos;
  for (const std::string& video : args.videos)
    videos.push_back(
        measure_vae_boundary(codec, first_pictures(video, args.frames, codec.spatial_factor()), args.windows));
  print_boundary(args, videos, codec.latent_frames(args.frames) - 1);
}

}  // namespace

void add_diagnose_vae_boundary(CLI::App& diagnose) {
  auto args = std::make_shared<BoundaryArgs>();
  CLI::App* command = diagnose.add_subcommand(
      "vae-boundary", "Measure the error of a latent frame when less of the past is encoded before it");
  command->footer(
      "Examples:\n"
      "  sgf diagnose vae-boundary clip.mp4 --wan Wan2.1-T2V-1.3B\n"
      "  sgf diagnose vae-boundary a.mp4 b.mp4 --vae Wan2.1_VAE.pth --frames 41\n\n"
      "The target is the last latent frame of the first --frames frames. Row fresh encodes its four frames alone, as "
      "the start of a stream. Row W=n starts the encoding one frame and n groups of four frames earlier.");
  command->add_option("videos", args->videos, "video files or folders of PNG files")->type_name("PATH")->required();
  command->add_option("--frames", args->frames, "frames per video, a multiple of 4 plus 1")
      ->capture_default_str()
      ->check(positive_number());
  command->add_option("--windows", args->windows, "number of windows: W = 0 to N - 1")
      ->capture_default_str()
      ->check(positive_number());
  command->add_flag("--json", args->json, "result as one JSON object");
  add_vae_args(*command, args->vae);
  command->callback([args] { run_vae_boundary(*args); });
}

}  // namespace sgf

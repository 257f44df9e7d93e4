// Replay of MUSIQ on frames of the closed-form clips. The original pads the smaller sizes to squares of patches; here
// zero patches give its outputs for the padding.
#include "sgf/core/file_error.h"
#include "sgf/files/json_integer.h"
#include "sgf/vbench/musiq.h"
#include "sgf/verify/closed_form_clip.h"
#include "sgf/verify/closed_form_weights.h"
#include "sgf/verify/replay_inputs.h"
#include "sgf/verify/replay_kinds.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {
namespace {

MusiqConfig recorded_musiq_config(const Recording& recording) {
  const nlohmann::json& config = recording.setting("config");
  try {
    return {.patch_size = integer_of(config.at("patch_size")),
            .hidden_size = integer_of(config.at("hidden_size")),
            .mlp_dim = integer_of(config.at("mlp_dim")),
            .num_heads = integer_of(config.at("num_heads")),
            .num_layers = integer_of(config.at("num_layers")),
            .grid_size = integer_of(config.at("spatial_pos_grid_size")),
            .longer_sides = integers_of(config.at("longer_side_lengths"))};
  } catch (const nlohmann::json::exception& e) {
    fail_in_file(recording.path(), "cannot read the config of MUSIQ: {}", e.what());
  }
}

// [L, ...] with rows of zeros after every size except the last, up to the size of its square.
at::Tensor filled_up(const at::Tensor& rows, const MusiqPatches& patches, const MusiqConfig& config) {
  std::vector<at::Tensor> parts;
  int64_t begin = 0;
  for (size_t i = 0; i < patches.counts.size(); ++i) {
    parts.push_back(rows.narrow(0, begin, patches.counts[i]));
    begin += patches.counts[i];
    if (i == config.longer_sides.size()) continue;
    const int64_t side = (config.longer_sides[i] + config.patch_size - 1) / config.patch_size;
    std::vector<int64_t> shape = rows.sizes().vec();
    shape[0] = side * side - patches.counts[i];
    parts.push_back(at::zeros(shape, rows.options()));
  }
  return at::cat(parts);
}

// [n, n]: the grid position of patch i (column) in a row of that many patches (row); -1 if it does not exist.
at::Tensor table_of_places(int64_t n, const MusiqConfig& config) {
  const at::Tensor table = at::full({n, n}, -1.0, at::kDouble);
  for (int64_t count = 1; count < n; ++count)
    for (int64_t i = 0; i < count; ++i) table[count][i] = static_cast<double>(musiq_place(i, count, config.grid_size));
  return table;
}

void replay_musiq_frame(NamedTensors& out, const std::string& clip, const Musiq& musiq, const at::Tensor& picture) {
  const auto add = [&](const char* name, const at::Tensor& value) {
    out.emplace_back(fmt::format("out.{}.{}", name, clip), value);
  };
  const MusiqPatches patches = musiq.patches(picture);
  const at::Tensor rows = filled_up(patches.patches[0], patches, musiq.config());
  const at::Tensor root = musiq.stem().root(rows), block = musiq.stem().block(root);
  const at::Tensor ends = at::tensor({int64_t{0}, rows.size(0) - 1}, at::kLong).to(rows.device());
  const at::Tensor summary = musiq.summary(patches);
  add("score", musiq.score(summary));
  add("cls", summary[0]);
  add("pos", filled_up(patches.places, patches, musiq.config()));
  add("scale", filled_up(patches.scales, patches, musiq.config()));
  add("mask", filled_up(at::ones_like(patches.places), patches, musiq.config()));
  add("patch_sum", rows.flatten(1).sum(1));
  add("patch0", rows.index_select(0, at::tensor({0, 49}, at::kLong).to(rows.device())).slice(2, 0, std::nullopt, 5));
  add("embedding", musiq.stem().embedding(block).narrow(1, 0, 16));
  const auto thin = [&](const at::Tensor& x, int64_t channels) {
    return x.index_select(0, ends)
        .slice(1, 0, std::nullopt, channels)
        .slice(2, 0, std::nullopt, 3)
        .slice(3, 0, std::nullopt, 3);
  };
  add("root", thin(root, 16));
  add("block", thin(block, 64));
}

}  // namespace

NamedTensors replay_musiq(const Recording& recording, const ReplayOptions& options) {
  const at::NoGradGuard no_grad;
  const Recording clips = clips_beside(recording);
  const Musiq musiq(closed_form_weights(recorded_rule(recording), weight_options(options)),
                    recorded_musiq_config(recording));
  NamedTensors out{{"out.hash_index", table_of_places(41, musiq.config())}};
  for (const auto& [clip, frame] : recording.setting("frames").items()) {
    SGF_CHECK_FILE(frame.is_number_integer(), recording.path(), "frames must be numbers, got {}", frame.dump());
    replay_musiq_frame(out, clip, musiq, clip_formula(clips, clip).some_frames({integer_of(frame)}));
  }
  return out;
}

}  // namespace sgf

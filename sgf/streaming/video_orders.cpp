#include "sgf/streaming/video_orders.h"

#include "sgf/assembly/codec_and_text.h"
#include "sgf/assembly/start_file.h"
#include "sgf/core/notice.h"
#include "sgf/files/weight_identity.h"
#include "sgf/streaming/order_loras.h"
#include "sgf/streaming/stream_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr double kSavedSeconds = 60;  // of video, between two saved states
constexpr int64_t kShownSide = 128;   // smaller frames are enlarged: H.264 keeps colour once for four pixels

void set_size(Config& c, PictureSize size) {
  const int64_t factor = codec_shape(c).spatial;
  c.video.height = size.height / factor;
  c.video.width = size.width / factor;
}

std::vector<double> even_steps(int64_t count) {
  std::vector<double> steps;
  for (int64_t i = 0; i < count; ++i)
    steps.push_back(1000.0 * static_cast<double>(count - i) / static_cast<double>(count));
  return steps;
}

std::string from_anywhere(const std::string& path) {
  return path.empty() ? path : fs::absolute(path).lexically_normal().string();
}

}  // namespace

Config wished_config(const VideoWishes& wishes, Config c) {
  if (wishes.seed) c.run.seed = *wishes.seed;
  if (wishes.size) set_size(c, *wishes.size);
  if (wishes.steps) {
    if (!c.schedule.first_block_steps.empty())
      notice_once("steps of the first block",
                  fmt::format("--steps {} replaces schedule.first_block_steps of the config too: the first block has "
                              "the steps of the others",
                              *wishes.steps));
    c.schedule.denoising_steps = even_steps(*wishes.steps);
    c.schedule.first_block_steps.clear();
  }
  if (wishes.positions) c.context.positions = *wishes.positions;
  if (!wishes.negative.empty()) c.negative_prompt = wishes.negative;
  validate(c);
  return c;
}

PictureSize size_step(const Config& c) {
  const int64_t factor = codec_shape(c).spatial;
  return {.height = factor * c.model.patch_size[1], .width = factor * c.model.patch_size[2]};
}

std::string wan_folder_of(const std::string& wan, const std::string& model, const Config& c) {
  return wan.empty() && c.data.world.empty() && fs::is_directory(model) ? model : wan;
}

int64_t enlargement_of(const Config& c) {
  const int64_t side = std::min(c.video.height, c.video.width) * codec_shape(c).spatial;
  int64_t times = 1;
  while (!c.data.world.empty() && times * side < kShownSide) times *= 2;  // sgf world measure shrinks by 2, 4, 8
  return times;
}

int64_t stream_cache_bytes(const Config& c) {
  const int64_t frames = c.context.sink_frames + c.context.fifo_frames + c.context.block_frames;
  const int64_t tokens = c.video.height / c.model.patch_size[1] * (c.video.width / c.model.patch_size[2]);
  const int64_t element = c.run.dtype == ComputeDtype::kBFloat16 ? 2 : c.run.dtype == ComputeDtype::kFloat32 ? 4 : 8;
  const int64_t keys_and_values = 2 * c.model.num_layers * frames * tokens * c.model.dim * element;
  return 2 * keys_and_values;  // the cache, and what a block reads of it
}

VideoPlan plan_video(const VideoWishes& wishes, const ChosenModel& model) {
  VideoPlan plan;
  GenerateOrder& order = plan.order;
  order.config = wished_config(wishes, model.config);
  order.model = from_anywhere(model.weights);
  order.wan = wan_folder_of(from_anywhere(wishes.wan), order.model, order.config);
  order.negative = order.config.negative_prompt;
  order.guidance = wishes.guidance;
  order.on_switch = wishes.on_switch;
  order.image = from_anywhere(wishes.image);
  order.video = from_anywhere(wishes.video);
  order.enlarge = wishes.enlarge ? *wishes.enlarge : enlargement_of(order.config);
  order.crf = wishes.crf;
  plan.blocks = blocks_for(wishes.seconds, order.config);
  order.save_every = wishes.save_every ? *wishes.save_every : blocks_for(kSavedSeconds, order.config);
  const StartWeights start = open_start_weights(order.model);
  check_start_weights(start, order.config.model);
  order.model_identity = weight_identity(start.file);
  order.loras = choose_loras(wishes.loras, order.model, model.lora);
  order.build = wishes.build;
  return plan;
}

std::vector<SetVideo> videos_in_set(const PromptSet& set, int64_t seed) {
  std::map<std::string, int64_t> made;  // of each prompt: one that stands in several lines has further samples
  std::vector<SetVideo> videos;
  for (int64_t line = 0; line < std::ssize(set.prompts); ++line) {
    int64_t& sample = made[set.prompts[static_cast<size_t>(line)]];
    for (int64_t i = 0; i < set.samples; ++i, ++sample)
      videos.push_back(set.same_noise ? SetVideo{line, sample, seed, sample} : SetVideo{line, sample, seed + line, i});
  }
  return videos;
}

GenerateOrder order_in_set(GenerateOrder pattern, const PromptSet& set, const SetVideo& video) {
  pattern.prompts = {{0, set.prompts.at(static_cast<size_t>(video.line))}};
  pattern.config.run.seed = video.seed;
  pattern.number = video.number;
  return pattern;
}

}  // namespace sgf

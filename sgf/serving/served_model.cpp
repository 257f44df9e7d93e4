#include "sgf/serving/served_model.h"

#include "sgf/assembly/codec_and_text.h"
#include "sgf/core/in_quotes.h"
#include "sgf/serving/http/http_message.h"
#include "sgf/serving/live_order.h"
#include "sgf/streaming/video_orders.h"

#include <nlohmann/json.hpp>

#include <limits>
#include <random>
#include <utility>

namespace sgf {
namespace {

constexpr int64_t kMostSteps = 1000;
constexpr int64_t kMostPixels = 4096 * 4096;

int64_t random_seed() {
  std::random_device device;
  return std::uniform_int_distribution<int64_t>(0, std::numeric_limits<int32_t>::max())(device);
}

[[noreturn]] void refuse_wish(const std::string& message, const std::string& hint = {}) {
  throw HttpError(400, "bad_request", message, hint);
}

void check_size(PictureSize size, const Config& config) {
  const PictureSize step = size_step(config);
  if (size.width > kMostPixels / size.height || size.width % step.width != 0 || size.height % step.height != 0)
    refuse_wish(fmt::format("size must be in multiples of {}x{} pixels and have at most {} pixels, got {}x{}",
                            step.width, step.height, kMostPixels, size.width, size.height));
}

}  // namespace

std::vector<StreamScene> ServedModel::encode(const GenerateOrder& order) const {
  const std::lock_guard lock(*encoding);
  return encode_scenes(order, parts);
}

GenerateOrder order_for(const ServedModel& model, const StreamWishes& wishes) {
  GenerateOrder order = model.defaults;
  if (wishes.size) check_size(*wishes.size, order.config);
  if (wishes.steps && *wishes.steps > kMostSteps)
    refuse_wish(fmt::format("steps must be 1 to {}, got {}", kMostSteps, *wishes.steps));
  order.config = wished_config({.seed = wishes.seed ? *wishes.seed : random_seed(),
                                .size = wishes.size,
                                .steps = wishes.steps,
                                .negative = wishes.negative},
                               order.config);
  if (wishes.guidance) order.guidance = *wishes.guidance;
  if (!(order.guidance >= 0 && order.guidance <= 100))
    refuse_wish(fmt::format("guidance must be 0 to 100, got {}", order.guidance));
  if (wishes.on_switch) order.on_switch = *wishes.on_switch;
  if (!wishes.negative.empty()) order.negative = wishes.negative;
  order.image = wishes.image;
  order.prompts = wishes.prompts;
  check_timeline(order.prompts);
  order.save_every = 1;  // each block is encoded on its own
  return order;
}

nlohmann::json model_json(const ServedModel& model, const std::string& beside) {
  const GenerateOrder& order = model.defaults;
  const Config& c = order.config;
  const PictureSize size = picture_size(c);
  return {{"id", model.name},
          {"object", "model"},
          {"device", model.parts.device.str()},
          {"size", fmt::format("{}x{}", size.width, size.height)},
          {"shown_size", fmt::format("{}x{}", size.width * order.enlarge, size.height * order.enlarge)},
          {"fps", c.video.fps},
          {"block_frames", {pictures_for(1, c), pictures_for(2, c) - pictures_for(1, c)}},
          {"steps", c.schedule.timesteps().size()},
          {"window", fmt::format("{}+{}+{}", c.context.sink_frames, c.context.fifo_frames, c.context.block_frames)},
          {"guided", order.guidance != 1},
          {"world", !c.data.world.empty()},
          {"beside", beside.empty() ? nlohmann::json() : nlohmann::json(beside)},
          {"example_prompts", model.example_prompts},
          {"switches", {"keep", "recache", "new-sink"}}};
}

StreamMemory memory_of_stream(const ServedModel& model) {
  const GenerateOrder& order = model.defaults;
  const int64_t sides = order.guidance == 1 ? 1 : 2;
  const int64_t cache = sides * stream_cache_bytes(order.config);
  return {.device_bytes = cache, .state_bytes = cache / 2};  // a block's own reading is not part of the state
}

}  // namespace sgf

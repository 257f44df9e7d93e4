#include "sgf/serving/live_order.h"

#include "sgf/core/error.h"
#include "sgf/streaming/stream_parts.h"

#include <algorithm>
#include <utility>

namespace sgf {

double block_seconds(const Config& config, int64_t block) {
  return static_cast<double>(pictures_for(block, config)) / config.video.fps;
}

int64_t block_at_seconds(const Config& config, double seconds) {
  SGF_CHECK(seconds >= 0 && seconds < 1e9, "a time must be from 0 to 1e9 seconds, got {}", seconds);
  const double per_block = block_seconds(config, 2) - block_seconds(config, 1);
  int64_t block = static_cast<int64_t>(std::max(0.0, seconds - block_seconds(config, 1)) / per_block);
  while (block_seconds(config, block + 1) <= seconds) ++block;
  while (block > 0 && block_seconds(config, block) > seconds) --block;
  return block;
}

void direct(GenerateOrder& order, int64_t block, const std::string& prompt, std::optional<PromptSwitch> on_switch) {
  const double from = block_seconds(order.config, block);
  const double before = block == 0 ? -1 : block_seconds(order.config, block - 1);
  std::erase_if(order.prompts, [&](const TimedPrompt& p) { return before < p.seconds && p.seconds <= from; });
  TimedPrompt added{.seconds = from, .prompt = prompt};
  if (block > 0) added.on_switch = on_switch;
  const auto next = std::ranges::upper_bound(order.prompts, from, {}, &TimedPrompt::seconds);
  order.prompts.insert(next, std::move(added));
}

void reseed(GenerateOrder& order, int64_t block, int64_t seed) {
  SGF_CHECK(seed >= 0, "a seed must be 0 or more, got {}", seed);
  std::erase_if(order.seeds, [&](const SeedChange& change) { return change.block >= block; });
  if (block == 0)
    order.config.run.seed = seed;
  else
    order.seeds.push_back({.block = block, .seed = seed});
}

GenerateOrder order_of_blocks(GenerateOrder order, int64_t blocks) {
  const double last = block_seconds(order.config, std::max<int64_t>(blocks - 1, 0));
  std::erase_if(order.prompts, [&](const TimedPrompt& p) { return p.seconds > last; });
  std::erase_if(order.seeds, [&](const SeedChange& change) { return change.block >= blocks; });
  return order;
}

}  // namespace sgf

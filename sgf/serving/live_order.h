// The order of a stream that is still being made: what a new prompt, a new seed or a branch changes in it.
#pragma once

#include "sgf/streaming/generate_order.h"

#include <cstdint>
#include <optional>
#include <string>

namespace sgf {

// When a block begins, in seconds of video; exactly the time by which a stream selects its prompts.
double block_seconds(const Config& config, int64_t block);

// The block that is shown at this time. Throws unless it is 0 or more and below 1e9.
int64_t block_at_seconds(const Config& config, double seconds);

// From this block on, the prompt holds until the next one of the order. It replaces one that begins within the block
// before. The switch of a prompt from block 0 on is not used.
void direct(GenerateOrder& order, int64_t block, const std::string& prompt, std::optional<PromptSwitch> on_switch);

// From this block on, the noise is that of another seed.
void reseed(GenerateOrder& order, int64_t block, int64_t seed);

// The order without prompts and seeds that begin after the first `blocks` blocks: all that determines these blocks. The
// first prompt stays.
GenerateOrder order_of_blocks(GenerateOrder order, int64_t blocks);

}  // namespace sgf

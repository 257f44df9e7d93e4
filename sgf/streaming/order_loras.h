// The LoRAs of an order: opened, compared with the base and identified before anything is loaded. Torch-free.
#pragma once

#include "sgf/config/flat_adapter.h"
#include "sgf/streaming/generate_order.h"
#include "sgf/weights/lora_file.h"

#include <string>
#include <vector>

namespace sgf {

// The LoRA that the config of the weights describes.
struct LoraHint {
  FlatAdapter adapter;
  std::string config;  // its file, for messages
};

// `asked` holds FILE or FILE:SCALE, `model` the weights that they change. A LoRA without alpha and of the hint's rank
// is scaled by the hint's alpha / rank too, as LongLive's inference does; a notice says so. Throws an Error for a LoRA
// of another base.
std::vector<OrderLora> choose_loras(const std::vector<std::string>& asked, const std::string& model,
                                    const LoraHint& hint = {});

// For a video that is made again: the LoRAs are at their places, or at those `moved` to, and hold the same.
void find_loras(GenerateOrder& order, const std::vector<std::string>& moved);

std::vector<LoraUse> lora_uses(const GenerateOrder& order);

}  // namespace sgf

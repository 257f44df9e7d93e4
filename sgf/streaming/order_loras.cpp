#include "sgf/streaming/order_loras.h"

#include "sgf/assembly/start_file.h"
#include "sgf/core/error.h"
#include "sgf/core/notice.h"

#include <fmt/format.h>

#include <filesystem>

namespace sgf {
namespace {

// A video is made again from another folder too.
std::string absolute_text(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

// A LoRA with an alpha of its own, or of another rank, is not the one that the config describes.
double scale_of(const LoraUse& use, const LoraFile& lora, const LoraHint& hint) {
  const FlatAdapter& adapter = hint.adapter;
  if (!lora.is_alpha_assumed || lora.ranks() != std::vector<int64_t>{adapter.rank}) return use.scale;
  const double scale = use.scale * adapter.factor();
  notice_once(alpha_notice_key(absolute_text(use.file)),
              fmt::format("{}: has no alpha; alpha / rank is {} / {}, as in the adapter of {}: scale {}",
                          use.file.string(), adapter.alpha, adapter.rank, hint.config, scale));
  return scale;
}

}  // namespace

std::vector<OrderLora> choose_loras(const std::vector<std::string>& asked, const std::string& model,
                                    const LoraHint& hint) {
  std::vector<OrderLora> loras;
  if (asked.empty()) return loras;
  const StartWeights base = open_start_weights(model);
  for (const std::string& text : asked) {
    const LoraUse use = parse_lora_use(text);
    const LoraFile lora = open_lora(use.file);
    check_lora_fits(lora, base.index, base.path);
    loras.push_back({absolute_text(use.file), scale_of(use, lora, hint), lora_identity(lora)});
  }
  return loras;
}

void find_loras(GenerateOrder& order, const std::vector<std::string>& moved) {
  SGF_CHECK(moved.empty() || moved.size() == order.loras.size(),
            "the video was made with {} LoRAs, but --lora names {}; name all of them, in their order",
            order.loras.size(), moved.size());
  for (size_t i = 0; i < order.loras.size(); ++i) {
    OrderLora& lora = order.loras[i];
    if (!moved.empty()) lora.file = moved[i];
    SGF_CHECK(std::filesystem::exists(lora.file),
              "{}: a LoRA that made the video is not there; name where it is with --lora FILE", lora.file);
    const std::string found = lora_identity(open_lora(lora.file));
    SGF_CHECK(
        found == lora.identity,
        "{} holds another LoRA, or another alpha, than made the video (found {}..., expected {}...); name the right "
        "one with --lora FILE",
        lora.file, found.substr(0, 12), lora.identity.substr(0, 12));
  }
}

std::vector<LoraUse> lora_uses(const GenerateOrder& order) {
  std::vector<LoraUse> uses;
  for (const OrderLora& lora : order.loras) uses.push_back({lora.file, lora.scale});
  return uses;
}

}  // namespace sgf

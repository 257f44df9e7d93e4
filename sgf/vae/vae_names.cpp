#include "sgf/vae/vae_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace sgf {
namespace {

struct Spelling {
  std::string_view diffusers;
  std::string_view official;
};

// Beginnings of names that have one place in the network.
constexpr std::array kPlaces{
    Spelling{"encoder.conv_in.", "encoder.conv1."},
    Spelling{"decoder.conv_in.", "decoder.conv1."},
    Spelling{"encoder.norm_out.", "encoder.head.0."},
    Spelling{"decoder.norm_out.", "decoder.head.0."},
    Spelling{"encoder.conv_out.", "encoder.head.2."},
    Spelling{"decoder.conv_out.", "decoder.head.2."},
    Spelling{"quant_conv.", "conv1."},
    Spelling{"post_quant_conv.", "conv2."},
    Spelling{"encoder.mid_block.resnets.0.", "encoder.middle.0."},
    Spelling{"encoder.mid_block.attentions.0.", "encoder.middle.1."},
    Spelling{"encoder.mid_block.resnets.1.", "encoder.middle.2."},
    Spelling{"decoder.mid_block.resnets.0.", "decoder.middle.0."},
    Spelling{"decoder.mid_block.attentions.0.", "decoder.middle.1."},
    Spelling{"decoder.mid_block.resnets.1.", "decoder.middle.2."},
    Spelling{"encoder.down_blocks.", "encoder.downsamples."},
};

// Tensors of a residual block.
constexpr std::array kOfResidual{
    Spelling{"norm1.", "residual.0."}, Spelling{"conv1.", "residual.2."},       Spelling{"norm2.", "residual.3."},
    Spelling{"conv2.", "residual.6."}, Spelling{"conv_shortcut.", "shortcut."},
};

// A number from the front of `name` and the dot after it; nullopt if there is none.
std::optional<int64_t> take_number(std::string_view& name) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const auto length = static_cast<size_t>(end - name.data());
  if (error != std::errc() || number < 0 || number > 1000 || length >= name.size() || name[length] != '.')
    return std::nullopt;
  name.remove_prefix(length + 1);
  return number;
}

bool take(std::string_view& name, std::string_view beginning) {
  if (!name.starts_with(beginning)) return false;
  name.remove_prefix(beginning.size());
  return true;
}

std::string of_residual(std::string_view name) {
  for (const Spelling& known : kOfResidual)
    if (take(name, known.diffusers)) return fmt::format("{}{}", known.official, name);
  return std::string(name);
}

// "encoder.down_blocks.3.norm1.gamma" has a number before the tensor of the block; the others do not.
std::string in_place(const Spelling& place, std::string_view rest) {
  if (!place.diffusers.ends_with("down_blocks.")) {
    const bool is_residual = place.diffusers.find("resnets") != std::string_view::npos;
    return fmt::format("{}{}", place.official, is_residual ? of_residual(rest) : std::string(rest));
  }
  const std::optional<int64_t> layer = take_number(rest);
  return layer ? fmt::format("{}{}.{}", place.official, *layer, of_residual(rest)) : "";
}

constexpr std::string_view kUpBlocks = "decoder.up_blocks.", kResnets = "resnets.", kUpsampler = "upsamplers.0.";

}  // namespace

DiffusersVaeNames::DiffusersVaeNames(const std::vector<std::string>& names) {
  for (const std::string& full : names) {
    std::string_view name = full;
    if (!take(name, kUpBlocks) || !take_number(name) || !take(name, kResnets)) continue;
    if (const std::optional<int64_t> block = take_number(name))
      layers_per_stage_ = std::max(layers_per_stage_, *block + 2);
  }
}

std::string DiffusersVaeNames::official(const std::string& full) const {
  std::string_view name = full;
  if (take(name, kUpBlocks)) {
    const std::optional<int64_t> stage = take_number(name);
    if (!stage) return full;
    const int64_t first = *stage * layers_per_stage_;
    if (take(name, kUpsampler)) return fmt::format("decoder.upsamples.{}.{}", first + layers_per_stage_ - 1, name);
    const std::optional<int64_t> block = take(name, kResnets) ? take_number(name) : std::nullopt;
    return block ? fmt::format("decoder.upsamples.{}.{}", first + *block, of_residual(name)) : full;
  }
  for (const Spelling& place : kPlaces) {
    if (!take(name, place.diffusers)) continue;
    const std::string official = in_place(place, name);
    return official.empty() ? full : official;
  }
  return full;
}

}  // namespace sgf

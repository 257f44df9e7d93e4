// What the weight table says about a network: the names and shapes for a size, and the size for given shapes.
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/model/weight_table.h"
#include "sgf/weights/weight_names.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace sgf {
namespace {

// "blocks.12.ffn.0.weight" -> 12 and "ffn.0.weight".
struct BlockName {
  int64_t block = 0;
  std::string_view rest;
};

std::optional<BlockName> split_block_name(std::string_view name) {
  constexpr std::string_view kBlocks = "blocks.";
  if (!name.starts_with(kBlocks)) return std::nullopt;
  name.remove_prefix(kBlocks.size());
  const std::string_view digits = name.substr(0, name.find('.'));
  const bool is_number = !digits.empty() && digits.size() <= 4 && (digits == "0" || digits[0] != '0') &&
                         digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number || digits.size() == name.size()) return std::nullopt;
  BlockName split{.rest = name.substr(digits.size() + 1)};
  std::from_chars(digits.data(), digits.data() + digits.size(), split.block);
  return split;
}

const WeightRow* find_row(std::span<const WeightRow> rows, std::string_view name,
                          std::string_view WeightRow::*spelling) {
  const auto found = std::ranges::find(rows, name, spelling);
  return found == rows.end() ? nullptr : &*found;
}

// The row of a full name. The table of a block and that of the network may use one name for different weights.
const WeightRow* find_weight(std::string_view name, std::string_view WeightRow::*spelling) {
  if (const auto block = split_block_name(name)) return find_row(rows_of_block(), block->rest, spelling);
  const WeightRow* before = find_row(rows_before_blocks(), name, spelling);
  return before ? before : find_row(rows_after_blocks(), name, spelling);
}

std::string respell(std::string_view name, std::string_view spelling) {
  const auto block = split_block_name(name);
  return block ? fmt::format("blocks.{}.{}", block->block, spelling) : std::string(spelling);
}

const Shape& shape_of(const DitWeightIndex& index, const std::string& name, size_t rank) {
  const auto found = index.tensors.find(name);
  SGF_CHECK(found != index.tensors.end(), "{} is missing; the network's size is read from it", name);
  const Shape& shape = found->second->shape;
  const bool is_usable = shape.size() == rank && std::ranges::all_of(shape, [](int64_t size) { return size > 0; });
  SGF_CHECK(is_usable, "{} must have {} dimensions, got [{}]", name, rank, fmt::join(shape, ", "));
  return shape;
}

int64_t count_blocks(const DitWeightIndex& index) {
  int64_t count = 0;
  for (const auto& [name, entry] : index.tensors) {
    if (const auto block = split_block_name(name)) count = std::max(count, block->block + 1);
  }
  return count;
}

bool same_weights(DitConfig a, const DitConfig& b) {
  a.num_heads = b.num_heads;
  a.text_len = b.text_len;
  return a == b;
}

}  // namespace

std::optional<std::string> official_name(std::string_view name) {
  if (find_weight(name, &WeightRow::official)) return std::string(name);
  const WeightRow* row = find_weight(name, &WeightRow::diffusers);
  if (!row) return std::nullopt;
  return respell(name, row->official);
}

std::string diffusers_name(std::string_view official) {
  const WeightRow* row = find_weight(official, &WeightRow::official);
  SGF_CHECK(row != nullptr, "unknown DiT weight {}", in_quotes(official));
  return respell(official, row->diffusers);
}

DitConfig infer_dit_sizes(const DitWeightIndex& index) {
  const Shape& patch = shape_of(index, "patch_embedding.weight", 5);
  DitConfig config{.dim = patch[0], .num_heads = 0, .in_dim = patch[1], .patch_size = {patch[2], patch[3], patch[4]}};
  config.text_dim = shape_of(index, "text_embedding.0.weight", 2)[1];
  config.freq_dim = shape_of(index, "time_embedding.0.weight", 2)[1];
  config.num_layers = count_blocks(index);
  config.ffn_dim = shape_of(index, "blocks.0.ffn.0.weight", 2)[0];
  const int64_t rows = shape_of(index, "head.head.weight", 2)[0];
  for (const int64_t size : config.patch_size) SGF_CHECK(size <= 64, "the patch size must be at most 64, got {}", size);
  SGF_CHECK(rows % config.patch_volume() == 0,
            "head.head.weight has {} rows, expected a multiple of the patch volume {}", rows, config.patch_volume());
  config.out_dim = rows / config.patch_volume();
  return config;
}

DitConfig infer_dit_config(const DitWeightIndex& index) {
  constexpr int64_t kWanHeadWidth = 128;
  DitConfig config = infer_dit_sizes(index);
  for (const std::string& name : dit_preset_names()) {
    if (same_weights(config, dit_preset(name))) return dit_preset(name);
  }
  SGF_CHECK(config.dim % kWanHeadWidth == 0,
            "the number of heads cannot be derived from width {}; add the network's config.json", config.dim);
  config.num_heads = config.dim / kWanHeadWidth;
  config.validate();
  return config;
}

std::string preset_name_of(const DitConfig& config) {
  for (const std::string& name : dit_preset_names()) {
    if (dit_preset(name) == config) return name;
  }
  return "";
}

}  // namespace sgf

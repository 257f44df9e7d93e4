// The table itself. diffusers' norm2 is Wan's norm3, because Wan also counts its two norms without weights.
#include "sgf/model/weight_table.h"

#include <fmt/format.h>

#include <array>

namespace sgf {
namespace {

Shape width(const DitConfig& c) { return {c.dim}; }
Shape square(const DitConfig& c) { return {c.dim, c.dim}; }
Shape patch(const DitConfig& c) { return {c.dim, c.in_dim, c.patch_size[0], c.patch_size[1], c.patch_size[2]}; }
Shape text_in(const DitConfig& c) { return {c.dim, c.text_dim}; }
Shape time_in(const DitConfig& c) { return {c.dim, c.freq_dim}; }
Shape six_widths(const DitConfig& c) { return {6 * c.dim}; }
Shape time_rows(const DitConfig& c) { return {6 * c.dim, c.dim}; }
Shape block_modulation(const DitConfig& c) { return {1, 6, c.dim}; }
Shape ffn_width(const DitConfig& c) { return {c.ffn_dim}; }
Shape ffn_up(const DitConfig& c) { return {c.ffn_dim, c.dim}; }
Shape ffn_down(const DitConfig& c) { return {c.dim, c.ffn_dim}; }
Shape head_modulation(const DitConfig& c) { return {1, 2, c.dim}; }
Shape head_width_of(const DitConfig& c) { return {c.out_dim * c.patch_volume()}; }
Shape head_rows(const DitConfig& c) { return {c.out_dim * c.patch_volume(), c.dim}; }

constexpr std::array kBefore{
    WeightRow{"patch_embedding.weight", "patch_embedding.weight", patch},
    WeightRow{"patch_embedding.bias", "patch_embedding.bias", width},
    WeightRow{"text_embedding.0.weight", "condition_embedder.text_embedder.linear_1.weight", text_in},
    WeightRow{"text_embedding.0.bias", "condition_embedder.text_embedder.linear_1.bias", width},
    WeightRow{"text_embedding.2.weight", "condition_embedder.text_embedder.linear_2.weight", square},
    WeightRow{"text_embedding.2.bias", "condition_embedder.text_embedder.linear_2.bias", width},
    WeightRow{"time_embedding.0.weight", "condition_embedder.time_embedder.linear_1.weight", time_in},
    WeightRow{"time_embedding.0.bias", "condition_embedder.time_embedder.linear_1.bias", width},
    WeightRow{"time_embedding.2.weight", "condition_embedder.time_embedder.linear_2.weight", square},
    WeightRow{"time_embedding.2.bias", "condition_embedder.time_embedder.linear_2.bias", width},
    WeightRow{"time_projection.1.weight", "condition_embedder.time_proj.weight", time_rows},
    WeightRow{"time_projection.1.bias", "condition_embedder.time_proj.bias", six_widths},
};

constexpr std::array kBlock{
    WeightRow{"modulation", "scale_shift_table", block_modulation},
    WeightRow{"self_attn.q.weight", "attn1.to_q.weight", square},
    WeightRow{"self_attn.q.bias", "attn1.to_q.bias", width},
    WeightRow{"self_attn.k.weight", "attn1.to_k.weight", square},
    WeightRow{"self_attn.k.bias", "attn1.to_k.bias", width},
    WeightRow{"self_attn.v.weight", "attn1.to_v.weight", square},
    WeightRow{"self_attn.v.bias", "attn1.to_v.bias", width},
    WeightRow{"self_attn.o.weight", "attn1.to_out.0.weight", square},
    WeightRow{"self_attn.o.bias", "attn1.to_out.0.bias", width},
    WeightRow{"self_attn.norm_q.weight", "attn1.norm_q.weight", width},
    WeightRow{"self_attn.norm_k.weight", "attn1.norm_k.weight", width},
    WeightRow{"norm3.weight", "norm2.weight", width},
    WeightRow{"norm3.bias", "norm2.bias", width},
    WeightRow{"cross_attn.q.weight", "attn2.to_q.weight", square},
    WeightRow{"cross_attn.q.bias", "attn2.to_q.bias", width},
    WeightRow{"cross_attn.k.weight", "attn2.to_k.weight", square},
    WeightRow{"cross_attn.k.bias", "attn2.to_k.bias", width},
    WeightRow{"cross_attn.v.weight", "attn2.to_v.weight", square},
    WeightRow{"cross_attn.v.bias", "attn2.to_v.bias", width},
    WeightRow{"cross_attn.o.weight", "attn2.to_out.0.weight", square},
    WeightRow{"cross_attn.o.bias", "attn2.to_out.0.bias", width},
    WeightRow{"cross_attn.norm_q.weight", "attn2.norm_q.weight", width},
    WeightRow{"cross_attn.norm_k.weight", "attn2.norm_k.weight", width},
    WeightRow{"ffn.0.weight", "ffn.net.0.proj.weight", ffn_up},
    WeightRow{"ffn.0.bias", "ffn.net.0.proj.bias", ffn_width},
    WeightRow{"ffn.2.weight", "ffn.net.2.weight", ffn_down},
    WeightRow{"ffn.2.bias", "ffn.net.2.bias", width},
};

constexpr std::array kAfter{
    WeightRow{"head.modulation", "scale_shift_table", head_modulation},
    WeightRow{"head.head.weight", "proj_out.weight", head_rows},
    WeightRow{"head.head.bias", "proj_out.bias", head_width_of},
};

}  // namespace

std::span<const WeightRow> rows_before_blocks() { return kBefore; }
std::span<const WeightRow> rows_of_block() { return kBlock; }
std::span<const WeightRow> rows_after_blocks() { return kAfter; }

std::vector<WeightShape> expected_dit_weights(const DitConfig& config) {
  std::vector<WeightShape> weights;
  for (const WeightRow& row : rows_before_blocks()) weights.push_back({std::string(row.official), row.shape(config)});
  for (int64_t block = 0; block < config.num_layers; ++block) {
    for (const WeightRow& row : rows_of_block()) {
      weights.push_back({fmt::format("blocks.{}.{}", block, row.official), row.shape(config)});
    }
  }
  for (const WeightRow& row : rows_after_blocks()) weights.push_back({std::string(row.official), row.shape(config)});
  return weights;
}

}  // namespace sgf

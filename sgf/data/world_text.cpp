#include "sgf/data/world_text.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/data/world_caption.h"
#include "sgf/kernels/noise_fill.h"

#include <ATen/ATen.h>

#include <cmath>

namespace sgf {
namespace {

// Seed and keys of the tables. Models are trained on these very numbers: they
// never change.
constexpr uint64_t kTableSeed = 0x776f726c64;
constexpr int64_t kWordTable = 1, kPlaceTable = 2;

// Row i is a stream of its own, so that a longer vocabulary leaves the words
// before it as they are.
at::Tensor make_text_table(int64_t rows, int64_t width, int64_t table, const at::TensorOptions& options) {
  const NoiseKey first{.seed = kTableSeed, .purpose = NoisePurpose::kWorld, .sample = 0, .block = table};
  return normal_per_sample(first, {rows, width}, options) * std::sqrt(0.5);
}

}  // namespace

WorldTextEncoder::WorldTextEncoder(const WorldPreset& preset, const at::TensorOptions& options) {
  const at::TensorOptions typed = options.has_dtype() ? options : options.dtype(at::kFloat);
  words_ = make_text_table(static_cast<int64_t>(world_vocabulary().size()), preset.text_dim, kWordTable, typed);
  places_ = make_text_table(preset.text_len, preset.text_dim, kPlaceTable, typed);
}

at::Tensor WorldTextEncoder::encode(const std::vector<std::string>& prompts) const {
  check(!prompts.empty(), "data", "nothing to encode: no prompts");
  at::Tensor rows = at::zeros({static_cast<int64_t>(prompts.size()), text_len(), text_dim()}, words_.options());
  for (size_t b = 0; b < prompts.size(); ++b) {
    const std::vector<int64_t> tokens = world_tokens(prompts[b]);
    const auto length = static_cast<int64_t>(tokens.size());
    check(length <= text_len(), "data", "prompt {} has {} words, the encoder takes {}", in_quotes(prompts[b]), length,
          text_len());
    if (length == 0) continue;
    const at::Tensor index = at::tensor(tokens, at::kLong).to(words_.device());
    rows[static_cast<int64_t>(b)]
        .narrow(0, 0, length)
        .copy_(words_.index_select(0, index) + places_.narrow(0, 0, length));
  }
  return rows;
}

}  // namespace sgf

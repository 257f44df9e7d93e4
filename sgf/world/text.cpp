#include "sgf/world/text.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/world/caption.h"

#include <ATen/ATen.h>

#include <cmath>

namespace sgf {
namespace {

// Seed and keys of the tables. Models are trained on exactly these numbers, so they never change.
constexpr uint64_t kTableSeed = 0x776f726c64;
constexpr int64_t kWordTable = 1, kPlaceTable = 2;

// Every row is a separate stream, so that a longer vocabulary does not change the words before it.
at::Tensor make_text_table(int64_t rows, int64_t width, int64_t table, const at::TensorOptions& options) {
  const NoiseKey first{.seed = kTableSeed, .purpose = NoisePurpose::kWorld, .sample = 0, .block = table};
  return normal_per_sample(first, {rows, width}, options) * std::sqrt(0.5);
}

}  // namespace

WorldTextEncoder::WorldTextEncoder(const WorldPreset& preset, const at::TensorOptions& options)
    : words_(static_cast<int64_t>(world_vocabulary().size())), text_len_(preset.text_len) {
  const at::TensorOptions typed = options.has_dtype() ? options : options.dtype(at::kFloat);
  const at::Tensor words = make_text_table(words_, preset.text_dim, kWordTable, typed);
  const at::Tensor places = make_text_table(text_len_, preset.text_dim, kPlaceTable, typed);
  rows_ = at::cat({(words.unsqueeze(0) + places.unsqueeze(1)).flatten(0, 1), at::zeros({1, preset.text_dim}, typed)});
}

at::Tensor WorldTextEncoder::encode(const std::vector<std::string>& prompts) const {
  SGF_CHECK(!prompts.empty(), "no prompts to encode");
  // Positions without a word get the index of the zero row.
  at::Tensor index = at::full({static_cast<int64_t>(prompts.size()), text_len_}, words_ * text_len_, at::kLong);
  auto places = index.accessor<int64_t, 2>();
  for (size_t b = 0; b < prompts.size(); ++b) {
    const std::vector<int64_t> tokens = world_tokens(prompts[b]);
    const auto length = static_cast<int64_t>(tokens.size());
    SGF_CHECK(length <= text_len(), "prompt {} has {} words, but the encoder accepts at most {}", in_quotes(prompts[b]),
              length, text_len());
    for (int64_t i = 0; i < length; ++i)
      places[static_cast<int64_t>(b)][i] = i * words_ + tokens[static_cast<size_t>(i)];
  }
  return rows_.index_select(0, index.flatten().to(rows_.device())).view({index.size(0), text_len(), text_dim()});
}

}  // namespace sgf

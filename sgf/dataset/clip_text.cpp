#include "sgf/dataset/clip_text.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <ATen/ATen.h>

#include <utility>

namespace sgf {

ClipText::ClipText(std::shared_ptr<const ClipShards> shards, at::TensorOptions options,
                   std::shared_ptr<const TextEncoder> other)
    : shards_(std::move(shards)), options_(options), other_(std::move(other)) {}

at::Tensor ClipText::encode(const std::vector<std::string>& prompts) const {
  at::Tensor out = at::zeros({static_cast<int64_t>(prompts.size()), text_len(), text_dim()}, options_);
  for (size_t i = 0; i < prompts.size(); ++i) {
    const at::Tensor place = out[static_cast<int64_t>(i)];
    if (const std::optional<at::Tensor> rows = shards_->text_rows(prompts[i])) {
      SGF_CHECK(rows->dim() == 2 && rows->size(0) <= text_len() && rows->size(1) == text_dim(),
                "the embedding of {} in the clips does not have the shape [up to {}, {}]; encode the clips again",
                in_quotes(prompts[i]), text_len(), text_dim());
      place.narrow(0, 0, rows->size(0)).copy_(*rows);
      continue;
    }
    SGF_CHECK(other_ != nullptr,
              "the clips have no embedding of {}; set data.wan to the Wan folder that encoded them, or use one of "
              "their prompts",
              in_quotes(prompts[i]));
    place.copy_(other_->encode({prompts[i]})[0]);
  }
  return out;
}

}  // namespace sgf

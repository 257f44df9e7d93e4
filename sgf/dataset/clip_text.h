// The text encoder of a run on encoded videos. Captions are embedded already; other prompts go to a real encoder.
#pragma once

#include "sgf/dataset/clip_shards.h"
#include "sgf/text/text_encoder.h"

#include <ATen/core/Tensor.h>

#include <memory>

namespace sgf {

class ClipText final : public TextEncoder {
 public:
  // `other` encodes prompts that the shards do not have; without it they are an Error.
  ClipText(std::shared_ptr<const ClipShards> shards, at::TensorOptions options,
           std::shared_ptr<const TextEncoder> other = nullptr);

  int64_t text_len() const override { return shards_->order().text_len; }
  int64_t text_dim() const override { return shards_->order().text_dim; }
  at::Tensor encode(const std::vector<std::string>& prompts) const override;

 private:
  std::shared_ptr<const ClipShards> shards_;
  at::TensorOptions options_;
  std::shared_ptr<const TextEncoder> other_;
};

}  // namespace sgf

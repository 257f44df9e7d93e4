// ODE pairs by number: every pair once per epoch, in an order that depends only on the seed.
#pragma once

#include "sgf/dataset/pair_manifest.h"
#include "sgf/dataset/prompt_list.h"
#include "sgf/files/tensor_file.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct PairBatch {
  at::Tensor states;  // [B, K, F, C, H, W], float32, noisiest first
  at::Tensor end;     // [B, F, C, H, W]
  at::Tensor data;    // the same shape: the clip that guided the path; undefined if none did
  std::vector<std::string> captions;
};

class PairSource {
 public:
  // Opens a complete folder of pairs. Shards are mapped when first used, and checked against their hash.
  PairSource(std::filesystem::path folder, uint64_t seed);

  const PairOrder& order() const { return manifest_.order; }

  // Pairs `first` to `first + count - 1` of an endless sequence over all epochs.
  PairBatch pairs(int64_t first, int64_t count, c10::Device device) const;

 private:
  const TensorFile& shard(int64_t number) const;

  std::filesystem::path folder_;
  PairManifest manifest_;
  PromptOrder epochs_;
  mutable std::vector<std::optional<TensorFile>> files_;
};

}  // namespace sgf

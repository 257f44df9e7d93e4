// ODE pairs by number: every pair once an epoch, in an order of the seed's, whoever asks.
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
  at::Tensor data;    // the same: the clip that led the path; undefined where none did
  std::vector<std::string> captions;
};

class PairSource {
 public:
  // Of a whole folder of pairs. Shards are mapped when they are first asked for, and held against their hash.
  PairSource(std::filesystem::path folder, uint64_t seed);

  const PairOrder& order() const { return manifest_.order; }

  // Those at places `first` to `first + count - 1` of an endless run through all epochs.
  PairBatch pairs(int64_t first, int64_t count, c10::Device device) const;

 private:
  const TensorFile& shard(int64_t number) const;

  std::filesystem::path folder_;
  PairManifest manifest_;
  PromptOrder epochs_;
  mutable std::vector<std::optional<TensorFile>> files_;
};

}  // namespace sgf

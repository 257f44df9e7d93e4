// Adds LoRAs to the weights of a base.
#pragma once

#include "sgf/weights/lora_file.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// LoRAs that were opened and fit one base.
class LoraSum {
 public:
  LoraSum() = default;
  LoraSum(LoraSum&&) = default;
  LoraSum& operator=(LoraSum&&) = default;
  LoraSum(const LoraSum&) = delete;  // changes point into their files
  LoraSum& operator=(const LoraSum&) = delete;

  // Throws an Error for a LoRA that does not fit. A notice says if alpha had to be assumed.
  LoraSum(const std::vector<LoraUse>& uses, const DitWeightIndex& base, const std::filesystem::path& base_path);

  bool changes(const std::string& official) const;

  // `base` plus all changes, computed in float64 and rounded once to the dtype of `base`. A scale of 0 changes no bit.
  at::Tensor merged(const std::string& official, const at::Tensor& base) const {
    return merged(official, base, base.scalar_type());
  }
  at::Tensor merged(const std::string& official, const at::Tensor& base, at::ScalarType type) const;

 private:
  struct Part {
    LoraFile lora;
    double scale = 1;
  };
  std::vector<Part> parts_;
};

}  // namespace sgf

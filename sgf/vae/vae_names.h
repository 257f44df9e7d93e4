// Maps the names of diffusers' AutoencoderKLWan to the official ones. Torch-free.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// diffusers numbers the decoder's layers by stage, Wan through all stages. So the stages' length must be known.
class DiffusersVaeNames {
 public:
  explicit DiffusersVaeNames(const std::vector<std::string>& names);

  // Names that are not AutoencoderKLWan's are returned unchanged.
  std::string official(const std::string& name) const;

 private:
  int64_t layers_per_stage_ = 0;  // of the decoder: residual blocks and the step to the next stage
};

}  // namespace sgf

// What `sgf inspect` reports about the VAE in a weight file. Torch-free.
#pragma once

#include "sgf/vae/vae_config.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace sgf {

struct VaeReport {
  std::string prefix;
  std::string naming;  // "wan" or "diffusers"
  std::optional<VaeConfig> config;
  std::string problem;  // why there is no config
  VaeFaults faults;

  bool is_whole() const { return config && faults.empty(); }
};

// nullopt for a file without a Wan VAE.
std::optional<VaeReport> report_vae(const TensorFile& file);

std::string architecture_of(const VaeReport& report);  // "Wan VAE: dim 96, z_dim 16, ..."
nlohmann::json to_json(const VaeReport& report);

}  // namespace sgf

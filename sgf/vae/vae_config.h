// The sizes of a Wan VAE, and the names and shapes of its weights in the official file. Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct VaeConfig {
  int64_t dim = 96;  // channels at full resolution
  int64_t z_dim = 16;
  std::vector<int64_t> dim_mult{1, 2, 4, 4};  // widths of the stages, from frames to latents, in units of dim
  int64_t num_res_blocks = 2;
  std::vector<bool> temporal_downsample{false, true, true};  // whether the step after a stage also halves time

  int64_t spatial_factor() const;   // pixels per latent pixel, along one side
  int64_t temporal_factor() const;  // frames per latent frame, after the first
  // Frames that enter the encoder together, after the first: four as in the original, or more if four are too few for a
  // latent frame.
  int64_t group_pictures() const;
  int64_t stages() const { return static_cast<int64_t>(dim_mult.size()); }

  bool operator==(const VaeConfig&) const = default;
  void validate() const;
};

// One entry of `encoder.downsamples` or `decoder.upsamples`: a residual block, or a step between two stages.
struct VaeLayer {
  std::string name;  // official name
  bool is_residual = true;
  bool is_temporal = false;  // a step that halves or doubles time
  int64_t in = 0;
  int64_t out = 0;
};

std::vector<VaeLayer> encoder_layers(const VaeConfig& config);
std::vector<VaeLayer> decoder_layers(const VaeConfig& config);

struct VaeTensorShape {
  std::string name;
  std::vector<int64_t> shape;
};

std::vector<VaeTensorShape> expected_vae_weights(const VaeConfig& config);

// A Wan VAE found in a file, under official names. Entries point into the file.
struct VaeIndex {
  std::string prefix;          // before every name: "" in the official file, "w." in a recording
  std::string naming = "wan";  // or "diffusers", AutoencoderKLWan
  std::map<std::string, const TensorEntry*> tensors;

  const TensorEntry* find(const std::string& name) const;
};

// nullopt for a file without a Wan VAE.
std::optional<VaeIndex> find_vae(const TensorFile& file);

// Sizes derived from the names and shapes.
VaeConfig infer_vae_config(const VaeIndex& vae);

// How a file differs from what a config requires.
struct VaeFaults {
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;  // only under encoder., decoder., conv1. and conv2.
  std::vector<std::string> mismatched;  // "name is [..], expected [..]"

  bool empty() const { return missing.empty() && unexpected.empty() && mismatched.empty(); }
};

VaeFaults vae_faults(const VaeConfig& config, const VaeIndex& vae);

}  // namespace sgf

// Size and shape of a Wan DiT. Torch-free.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

struct DitConfig {
  int64_t dim = 1536;  // width of the residual stream
  int64_t ffn_dim = 8960;
  int64_t freq_dim = 256;  // width of the timestep sinusoid
  int64_t text_dim = 4096;
  int64_t text_len = 512;  // text tokens, zero-padded
  int64_t num_heads = 12;
  int64_t num_layers = 30;
  int64_t in_dim = 16;  // latent channels
  int64_t out_dim = 16;
  std::array<int64_t, 3> patch_size = {1, 2, 2};
  double eps = 1e-6;

  int64_t head_width() const { return dim / num_heads; }
  int64_t patch_volume() const { return patch_size[0] * patch_size[1] * patch_size[2]; }
  // Throws if the sizes do not form a network.
  void validate() const;
  bool operator==(const DitConfig&) const = default;
};

template <class V>
void describe(V& v, DitConfig& m) {
  v.field("dim", m.dim, "width of the residual stream, at least 1");
  v.field("ffn_dim", m.ffn_dim, "width inside the feed-forward layers, at least 1");
  v.field("freq_dim", m.freq_dim, "width of the sinusoidal timestep embedding, even");
  v.field("text_dim", m.text_dim, "width of the text embedding, at least 1");
  v.field("text_len", m.text_len, "tokens per prompt; shorter prompts are padded");
  v.field("num_heads", m.num_heads, "attention heads; must divide model.dim into an even width of at least 6");
  v.field("num_layers", m.num_layers, "transformer blocks, at least 1");
  v.field("in_dim", m.in_dim, "latent channels of the input");
  v.field("out_dim", m.out_dim, "latent channels of the prediction");
  v.field("patch_size", m.patch_size, "latent frames, rows and columns per token");
  v.field("eps", m.eps, "epsilon of the norms, above 0");
}

// "wan-1.3b", "wan-14b" or "tiny".
DitConfig dit_preset(std::string_view name);
std::vector<std::string> dit_preset_names();

// Reads the `config.json` of a Wan folder, or the `config` of a recording. Unknown keys that would change the network
// are refused, others ignored. `source` names it in errors.
DitConfig dit_config_from_json(std::string_view json, std::string_view source);
std::string to_json(const DitConfig& config);

}  // namespace sgf

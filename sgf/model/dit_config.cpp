// Presets, checks and the two spellings of config.json: Wan's own and diffusers'.
#include "sgf/model/dit_config.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/strict_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace sgf {
namespace {

using nlohmann::json;

constexpr int64_t kWidestLayer = 1 << 20;  // far beyond any Wan model; keeps products of two sizes within int64
constexpr int64_t kMostLayers = 4096;

struct Preset {
  std::string_view name;
  DitConfig config;
};

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all{
      {"wan-1.3b", {}},
      {"wan-14b", {.dim = 5120, .ffn_dim = 13824, .num_heads = 40, .num_layers = 40}},
      // The size of the reference recordings; every test runs it on a CPU.
      {"tiny",
       {.dim = 96,
        .ffn_dim = 160,
        .freq_dim = 64,
        .text_dim = 48,
        .text_len = 16,
        .num_heads = 4,
        .num_layers = 3,
        .in_dim = 4,
        .out_dim = 4}},
  };
  return all;
}

void check_size(std::string_view name, int64_t value, int64_t most) {
  SGF_CHECK(value >= 1 && value <= most, "{} must be 1 to {}, got {}", name, most, value);
}

// A setting that would change the network, and the values with which it does not.
struct Trap {
  std::string_view key;
  std::vector<json> harmless;
  std::string_view why;
};

const std::vector<Trap>& traps() {
  static const std::vector<Trap> all{
      {"_class_name", {"WanModel", "CausalWanModel", "WanTransformer3DModel"}, "expected a plain Wan DiT"},
      {"model_type", {"t2v"}, "only text-to-video is supported"},
      {"qk_norm", {true, "rms_norm_across_heads"}, "q and k are always normalised over all heads"},
      {"cross_attn_norm", {true}, "cross-attention is always normalised"},
      {"window_size", {json::array({-1, -1})}, "windows are set by the context policy"},
      {"added_kv_proj_dim", {nullptr}, "image-to-video is not supported"},
      {"image_dim", {nullptr}, "image-to-video is not supported"},
      {"pos_embed_seq_len", {nullptr}, "image-to-video is not supported"},
      {"vace_layers", {nullptr}, "VACE is not supported"},
      {"add_control_adapter", {nullptr, false}, "control adapters are not supported"},
  };
  return all;
}

// Reads the known keys of one config.json; `source` starts every error message.
class ConfigReader {
 public:
  ConfigReader(const json& root, std::string_view source) : root_(root), source_(source) {}

  void refuse_other_networks() const {
    for (const Trap& trap : traps()) {
      const auto found = root_.find(trap.key);
      if (found == root_.end() || std::ranges::find(trap.harmless, *found) != trap.harmless.end()) continue;
      fail("{}: {} is {}: {}", source_, trap.key, shown(*found), trap.why);
    }
  }

  // Leaves `value` unchanged if neither spelling is present; null counts as absent.
  bool read(std::initializer_list<const char*> spellings, int64_t& value) const {
    for (const char* key : spellings) {
      const auto found = root_.find(key);
      if (found == root_.end() || found->is_null()) continue;
      value = integer(key, *found);
      return true;
    }
    return false;
  }

  void read_patch(std::array<int64_t, 3>& patch) const {
    const auto found = root_.find("patch_size");
    if (found == root_.end() || found->is_null()) return;
    SGF_CHECK(found->is_array() && found->size() == 3, "{}: patch_size expects three integers, got {}", source_,
              shown(*found));
    for (size_t i = 0; i < 3; ++i) patch[i] = integer("patch_size", (*found)[i]);
  }

  void read_eps(double& eps) const {
    const auto found = root_.find("eps");
    if (found == root_.end() || found->is_null()) return;
    SGF_CHECK(found->is_number(), "{}: eps expects a number, got {}", source_, shown(*found));
    eps = found->get<double>();
  }

 private:
  static std::string shown(const json& value) { return in_quotes(value.dump()); }

  int64_t integer(std::string_view key, const json& value) const {
    SGF_CHECK(value.is_number_integer() && (!value.is_number_unsigned() || value.get<uint64_t>() <= INT64_MAX),
              "{}: {} expects an integer, got {}", source_, key, shown(value));
    return value.get<int64_t>();
  }

  const json& root_;
  std::string source_;
};

// diffusers gives the number and width of heads where Wan gives the product.
void read_width(const ConfigReader& reader, DitConfig& config, std::string_view source) {
  const bool has_heads = reader.read({"num_heads", "num_attention_heads"}, config.num_heads);
  if (reader.read({"dim"}, config.dim)) {
    SGF_CHECK(has_heads, "{}: has dim but not num_heads", source);
    return;
  }
  int64_t head_width = 0;
  const bool has_width = reader.read({"attention_head_dim"}, head_width);
  SGF_CHECK(has_heads && has_width,
            "{}: is not the config of a Wan DiT: it has neither dim and num_heads nor num_attention_heads and "
            "attention_head_dim",
            source);
  check_size("attention_head_dim", head_width, kWidestLayer);
  check_size("num_attention_heads", config.num_heads, kWidestLayer);
  config.dim = config.num_heads * head_width;
}

void validate_as(const DitConfig& config, std::string_view source) {
  try {
    config.validate();
  } catch (const Error& error) {
    fail("{}: {}", source, error.what());
  }
}

}  // namespace

void DitConfig::validate() const {
  for (const auto& [name, value] : {std::pair{"dim", dim},
                                    {"ffn_dim", ffn_dim},
                                    {"freq_dim", freq_dim},
                                    {"text_dim", text_dim},
                                    {"text_len", text_len},
                                    {"num_heads", num_heads},
                                    {"in_dim", in_dim},
                                    {"out_dim", out_dim}}) {
    check_size(name, value, kWidestLayer);
  }
  check_size("num_layers", num_layers, kMostLayers);
  for (const int64_t size : patch_size) check_size("patch_size", size, 64);
  SGF_CHECK(patch_size[0] == 1, "a patch must span one latent frame so that blocks are causal, got {}", patch_size[0]);
  SGF_CHECK(dim % num_heads == 0, "dim must be a multiple of num_heads, got {} and {}", dim, num_heads);
  SGF_CHECK(head_width() % 2 == 0, "the head width must be even for RoPE, got {}", head_width());
  SGF_CHECK(freq_dim % 2 == 0, "freq_dim must be even, half cosines and half sines, got {}", freq_dim);
  SGF_CHECK(eps > 0 && eps < 1, "eps must be between 0 and 1, got {}", eps);
}

DitConfig dit_preset(std::string_view name) {
  const auto found = std::ranges::find(presets(), name, &Preset::name);
  SGF_CHECK(found != presets().end(), "unknown preset {}; expected {}", in_quotes(name),
            fmt::join(dit_preset_names(), ", "));
  return found->config;
}

std::vector<std::string> dit_preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

DitConfig dit_config_from_json(std::string_view text, std::string_view source) {
  const json root = parse_strict_json(text, std::string(source), {.depth = 8, .array_length = 4096});
  SGF_CHECK(root.is_object(), "{}: expected a JSON object", source);
  const ConfigReader reader(root, source);
  reader.refuse_other_networks();

  DitConfig config;
  read_width(reader, config, source);
  reader.read({"ffn_dim"}, config.ffn_dim);
  reader.read({"freq_dim"}, config.freq_dim);
  reader.read({"text_dim"}, config.text_dim);
  reader.read({"text_len"}, config.text_len);
  reader.read({"num_layers"}, config.num_layers);
  reader.read({"in_dim", "in_channels"}, config.in_dim);
  reader.read({"out_dim", "out_channels"}, config.out_dim);
  reader.read_patch(config.patch_size);
  reader.read_eps(config.eps);
  validate_as(config, source);
  return config;
}

std::string to_json(const DitConfig& config) {
  const json root{{"_class_name", "WanModel"},
                  {"model_type", "t2v"},
                  {"dim", config.dim},
                  {"ffn_dim", config.ffn_dim},
                  {"freq_dim", config.freq_dim},
                  {"text_dim", config.text_dim},
                  {"text_len", config.text_len},
                  {"num_heads", config.num_heads},
                  {"num_layers", config.num_layers},
                  {"in_dim", config.in_dim},
                  {"out_dim", config.out_dim},
                  {"patch_size", config.patch_size},
                  {"eps", config.eps}};
  return root.dump();
}

}  // namespace sgf

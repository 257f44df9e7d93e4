#include "sgf/vae/vae_config.h"

#include "sgf/core/error.h"
#include "sgf/vae/vae_names.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

namespace sgf {
namespace {

using Shapes = std::vector<VaeTensorShape>;

constexpr int64_t kPictureChannels = 3;

// Names are relative to one module, such as `encoder.middle.0`.
class ShapeList {
 public:
  void conv(const std::string& name, std::vector<int64_t> weight) {
    const int64_t out = weight.front();
    shapes_.push_back({name + ".weight", std::move(weight)});
    shapes_.push_back({name + ".bias", {out}});
  }

  void causal(const std::string& name, int64_t in, int64_t out) { conv(name, {out, in, 3, 3, 3}); }

  void residual(const std::string& name, int64_t in, int64_t out) {
    shapes_.push_back({name + ".residual.0.gamma", {in, 1, 1, 1}});
    causal(name + ".residual.2", in, out);
    shapes_.push_back({name + ".residual.3.gamma", {out, 1, 1, 1}});
    causal(name + ".residual.6", out, out);
    if (in != out) conv(name + ".shortcut", {out, in, 1, 1, 1});
  }

  void middle(const std::string& name, int64_t width) {
    residual(name + ".0", width, width);
    shapes_.push_back({name + ".1.norm.gamma", {width, 1, 1}});
    conv(name + ".1.to_qkv", {3 * width, width, 1, 1});
    conv(name + ".1.proj", {width, width, 1, 1});
    residual(name + ".2", width, width);
  }

  void head(const std::string& name, int64_t in, int64_t out) {
    shapes_.push_back({name + ".0.gamma", {in, 1, 1, 1}});
    causal(name + ".2", in, out);
  }

  void layers(const std::vector<VaeLayer>& layers, int64_t time_conv_factor) {
    for (const VaeLayer& layer : layers) {
      if (layer.is_residual) {
        residual(layer.name, layer.in, layer.out);
        continue;
      }
      conv(layer.name + ".resample.1", {layer.out, layer.in, 3, 3});
      if (layer.is_temporal) conv(layer.name + ".time_conv", {time_conv_factor * layer.in, layer.in, 3, 1, 1});
    }
  }

  Shapes take() { return std::move(shapes_); }

 private:
  Shapes shapes_;
};

std::string at_index(const std::string& list, size_t index) { return list + "." + std::to_string(index); }

int64_t last_width(const VaeConfig& config) { return config.dim * config.dim_mult.back(); }

const std::string kFirst = "encoder.conv1.weight";

// Output width of a residual block, from whichever of its tensors exists; 0 if none does.
int64_t width_of_residual(const VaeIndex& vae, const std::string& name) {
  for (const char* tensor : {".residual.6.weight", ".residual.2.weight", ".residual.3.gamma"})
    if (const TensorEntry* entry = vae.find(name + tensor); entry && !entry->shape.empty()) return entry->shape[0];
  return 0;
}

bool has_any(const VaeIndex& vae, const std::string& name) {
  const auto first = vae.tensors.lower_bound(name);
  return first != vae.tensors.end() && first->first.starts_with(name);
}

const TensorEntry& needed(const VaeIndex& vae, const std::string& name, size_t dimensions) {
  const TensorEntry* entry = vae.find(name);
  SGF_CHECK(entry != nullptr && entry->shape.size() == dimensions,
            "the sizes of a Wan VAE are read from {}, a tensor of {} dimensions, which is missing in the file", name,
            dimensions);
  return *entry;
}

std::string shown(const std::vector<int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

// The text before `first` in some name, if the file has `second` with the same text before it.
std::optional<std::string> prefix_before(const TensorFile& file, const std::string& first, const std::string& second) {
  for (const TensorEntry& entry : file.entries) {
    if (!entry.name.ends_with(first) || entry.shape.size() != 5) continue;
    const std::string prefix = entry.name.substr(0, entry.name.size() - first.size());
    const bool whole_word = prefix.empty() || prefix.ends_with('.');
    if (whole_word && file.find(prefix + second) != nullptr) return prefix;
  }
  return std::nullopt;
}

bool is_vae_name(std::string_view name) {
  return name.starts_with("encoder.") || name.starts_with("decoder.") || name.starts_with("conv1.") ||
         name.starts_with("conv2.");
}

}  // namespace

int64_t VaeConfig::spatial_factor() const { return int64_t{1} << (stages() - 1); }

int64_t VaeConfig::temporal_factor() const {
  return int64_t{1} << std::count(temporal_downsample.begin(), temporal_downsample.end(), true);
}

int64_t VaeConfig::group_pictures() const { return std::max<int64_t>(4, temporal_factor()); }

void VaeConfig::validate() const {
  SGF_CHECK(dim > 0 && z_dim > 0 && num_res_blocks > 0,
            "dim, z_dim and num_res_blocks must be positive, got {}, {} and {}", dim, z_dim, num_res_blocks);
  SGF_CHECK(stages() >= 1 && stages() <= 16 && std::ranges::all_of(dim_mult, [](int64_t m) { return m > 0; }),
            "dim_mult must have 1 to 16 positive factors, got [{}]", fmt::join(dim_mult, ", "));
  SGF_CHECK(static_cast<int64_t>(temporal_downsample.size()) == stages() - 1,
            "temporal_downsample must have one value between two stages: {} for {} stages, got {}", stages() - 1,
            stages(), temporal_downsample.size());
  for (size_t i = 1; i < dim_mult.size(); ++i)
    SGF_CHECK(dim * dim_mult[i] % 2 == 0, "stage widths must be even because the decoder halves them, got {}",
              dim * dim_mult[i]);
}

std::vector<VaeLayer> encoder_layers(const VaeConfig& config) {
  std::vector<VaeLayer> layers;
  int64_t width = config.dim;
  for (size_t stage = 0; stage < config.dim_mult.size(); ++stage) {
    const int64_t out = config.dim * config.dim_mult[stage];
    for (int64_t i = 0; i < config.num_res_blocks; ++i, width = out)
      layers.push_back({at_index("encoder.downsamples", layers.size()), true, false, width, out});
    if (stage + 1 < config.dim_mult.size())
      layers.push_back(
          {at_index("encoder.downsamples", layers.size()), false, config.temporal_downsample[stage], out, out});
  }
  return layers;
}

std::vector<VaeLayer> decoder_layers(const VaeConfig& config) {
  std::vector<VaeLayer> layers;
  int64_t width = last_width(config);
  for (size_t stage = config.dim_mult.size(); stage-- > 0;) {
    const int64_t out = config.dim * config.dim_mult[stage];
    for (int64_t i = 0; i <= config.num_res_blocks; ++i, width = out)
      layers.push_back({at_index("decoder.upsamples", layers.size()), true, false, width, out});
    if (stage == 0) break;
    width = out / 2;
    layers.push_back(
        {at_index("decoder.upsamples", layers.size()), false, config.temporal_downsample[stage - 1], out, width});
  }
  return layers;
}

std::vector<VaeTensorShape> expected_vae_weights(const VaeConfig& config) {
  const int64_t inner = last_width(config);
  ShapeList list;
  list.causal("encoder.conv1", kPictureChannels, config.dim);
  list.layers(encoder_layers(config), 1);
  list.middle("encoder.middle", inner);
  list.head("encoder.head", inner, 2 * config.z_dim);
  list.conv("conv1", {2 * config.z_dim, 2 * config.z_dim, 1, 1, 1});
  list.conv("conv2", {config.z_dim, config.z_dim, 1, 1, 1});
  list.causal("decoder.conv1", config.z_dim, inner);
  list.middle("decoder.middle", inner);
  list.layers(decoder_layers(config), 2);
  list.head("decoder.head", config.dim * config.dim_mult.front(), kPictureChannels);
  return list.take();
}

const TensorEntry* VaeIndex::find(const std::string& name) const {
  const auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : found->second;
}

std::optional<VaeIndex> find_vae(const TensorFile& file) {
  std::optional<std::string> prefix = prefix_before(file, kFirst, "decoder.conv1.weight");
  const bool is_official = prefix.has_value();
  if (!prefix) prefix = prefix_before(file, "encoder.conv_in.weight", "encoder.mid_block.attentions.0.to_qkv.weight");
  if (!prefix) return std::nullopt;
  VaeIndex vae{.prefix = *prefix, .naming = is_official ? "wan" : "diffusers", .tensors = {}};
  std::vector<std::string> names;
  for (const TensorEntry& entry : file.entries)
    if (entry.name.starts_with(*prefix)) names.push_back(entry.name.substr(prefix->size()));
  const DiffusersVaeNames diffusers(names);
  for (const std::string& name : names)
    vae.tensors.emplace(is_official ? name : diffusers.official(name), file.find(*prefix + name));
  return vae;
}

VaeConfig infer_vae_config(const VaeIndex& vae) {
  SGF_CHECK(!has_any(vae, "encoder.downsamples.0.resnets.") && !has_any(vae, "encoder.downsamples.0.downsamples."),
            "this is the VAE of Wan2.2, whose latents have another size; expected that of Wan2.1");
  VaeConfig config{.dim = needed(vae, kFirst, 5).shape[0],
                   .z_dim = needed(vae, "decoder.conv1.weight", 5).shape[1],
                   .dim_mult = {},
                   .num_res_blocks = 0,
                   .temporal_downsample = {}};
  SGF_CHECK(config.dim > 0, "{} is empty", kFirst);
  int64_t width = config.dim, blocks = 0;
  const auto end_stage = [&] {
    SGF_CHECK(width % config.dim == 0, "a stage has width {}, expected a multiple of dim {}", width, config.dim);
    config.dim_mult.push_back(width / config.dim);
    config.num_res_blocks = std::max(config.num_res_blocks, std::exchange(blocks, 0));
  };
  for (size_t i = 0;; ++i) {
    const std::string name = at_index("encoder.downsamples", i);
    if (const int64_t out = width_of_residual(vae, name); out > 0) {
      width = out, ++blocks;
    } else if (has_any(vae, name + ".resample.")) {
      end_stage();
      config.temporal_downsample.push_back(has_any(vae, name + ".time_conv."));
    } else {
      break;
    }
  }
  end_stage();
  config.validate();
  return config;
}

VaeFaults vae_faults(const VaeConfig& config, const VaeIndex& vae) {
  VaeFaults faults;
  std::set<std::string> known;
  for (const VaeTensorShape& expected : expected_vae_weights(config)) {
    known.insert(expected.name);
    const TensorEntry* entry = vae.find(expected.name);
    if (entry == nullptr)
      faults.missing.push_back(expected.name);
    else if (entry->shape != expected.shape)
      faults.mismatched.push_back(
          fmt::format("{} is {}, expected {}", expected.name, shown(entry->shape), shown(expected.shape)));
  }
  for (const auto& [name, entry] : vae.tensors)
    if (is_vae_name(name) && !known.contains(name)) faults.unexpected.push_back(entry->name.substr(vae.prefix.size()));
  return faults;
}

}  // namespace sgf

#include "sgf/vbench/extractor_files.h"

#include "sgf/core/error.h"
#include "sgf/files/json_file.h"
#include "sgf/files/json_integer.h"

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include <array>
#include <string_view>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// The prefix of all names: empty in released backbones, not empty in training checkpoints.
std::string prefix_in(const TensorFile& file, const std::string& name) {
  constexpr std::array<std::string_view, 8> kPrefixes{"",
                                                      "state_dict.",
                                                      "module.",
                                                      "state_dict.module.",
                                                      "model.",
                                                      "teacher.backbone.",
                                                      "teacher.module.backbone.",
                                                      "student.module.backbone."};
  for (const std::string_view prefix : kPrefixes)
    if (file.find(std::string(prefix) + name) != nullptr) return std::string(prefix);
  return "";
}

struct FoundVit {
  VitConfig config;
  NetworkWeights weights;
};

// The ViT in a file, with the given family and the sizes from the file's shapes.
FoundVit find_vit(const fs::path& path, const VitConfig& family, at::TensorOptions options) {
  const TensorFile file = open_network_file(path);
  const std::string prefix = prefix_in(file, family.names == VitNames::kClip ? "visual.class_embedding" : "cls_token");
  const auto shape_of = [&](const std::string& name) {
    const TensorEntry* entry = file.find(prefix + name);
    return entry == nullptr ? std::vector<int64_t>{} : entry->shape;
  };
  return {sized_by(family, shape_of), weights_of_file(file, options, prefix)};
}

VitExtractor open_vit(const fs::path& path, const VitConfig& family, VitExtractor::Transform transform,
                      at::TensorOptions options) {
  FoundVit found = find_vit(path, family, options);
  return {Vit(found.config, found.weights), transform};
}

nlohmann::json read_adapter_config(const fs::path& path) {
  SGF_CHECK(fs::exists(path), "{}: is missing; expected it beside the adapters, because it has their rank",
            path.string());
  nlohmann::json config = read_json_file(path);
  const bool holds = config.is_object() && config.contains("r") && config.at("r").is_number_integer() &&
                     integer_of(config.at("r")) > 0 && config.contains("lora_alpha") &&
                     config.at("lora_alpha").is_number();
  SGF_CHECK(holds, "{}: expected peft's JSON with a positive integer r and a number lora_alpha", path.string());
  return config;
}

fs::path adapter_file(const fs::path& folder) {
  for (const char* name : {"adapter_model.safetensors", "adapter_model.bin"})
    if (fs::exists(folder / name)) return folder / name;
  fail("{}: contains neither adapter_model.safetensors nor adapter_model.bin", folder.string());
}

// The LoRA adapters of all towers.
struct Adapters {
  TensorFile file;
  int64_t rank = 0;
  double scale = 0;  // scale of the added product B A

  // The adapters of the tower at `index`. The prefix of the tower and the suffix of lora_A depend on the peft release.
  NetworkWeights::Source of_tower(size_t index) const {
    const std::string tower = "extractor_list." + std::to_string(index) + ".";
    return [held = file, tower](const std::string& name, at::IntArrayRef) {
      constexpr std::string_view kWeight = ".weight";
      const std::string end = "." + name, other_end = end.substr(0, end.size() - kWeight.size()) + ".default.weight";
      for (const TensorEntry& entry : held.entries) {
        const bool is_of_tower = entry.name.find(tower) != std::string::npos;
        if (is_of_tower && (entry.name.ends_with(end) || entry.name.ends_with(other_end)))
          return map_tensor(held, entry);
      }
      return at::Tensor();
    };
  }
};

Adapters open_adapters(const fs::path& folder) {
  const nlohmann::json config = read_adapter_config(folder / "adapter_config.json");
  const auto rank = integer_of(config.at("r"));
  const auto alpha = config.at("lora_alpha").get<double>();
  return {open_tensor_file(adapter_file(folder)), rank, alpha / static_cast<double>(rank)};
}

fs::path dreamsim_dino_file(const fs::path& folder) {
  const fs::path hub = folder / "checkpoints" / "dino_vitbase16_pretrain.pth";
  return fs::exists(hub) ? hub : folder / "dino_vitb16_pretrain.pth";
}

}  // namespace

VitExtractor open_dino_extractor(const fs::path& path, at::TensorOptions options) {
  return open_vit(path, dino_b16_config(), dino_transform, options);
}

VitExtractor open_dinov2_extractor(const fs::path& path, at::TensorOptions options) {
  return open_vit(path, dinov2_b14_config(), dinov2_transform, options);
}

VitExtractor open_clip_extractor(const fs::path& path, at::TensorOptions options) {
  return open_vit(path, clip_b32_config(), clip_transform, options);
}

AestheticScorer open_aesthetic_scorer(const fs::path& clip_l14, const fs::path& head, at::TensorOptions options) {
  return {open_vit(clip_l14, clip_l14_config(), clip_transform, options),
          weights_of_file(open_tensor_file(head), options)};
}

DreamSimExtractor open_dreamsim_extractor(const fs::path& folder, at::TensorOptions options) {
  SGF_CHECK(fs::is_directory(folder),
            "{}: is not a folder; unzip dreamsim_ensemble_checkpoint.zip and pass the resulting folder",
            folder.string());
  const Adapters adapters = open_adapters(folder / "ensemble_lora");
  const auto tower = [&](size_t index, const fs::path& path, const VitConfig& family, const PictureNorm& norm) {
    const FoundVit found = find_vit(path, family, options);
    NetworkWeights merged = with_lora(found.weights, adapters.of_tower(index), adapters.rank, adapters.scale);
    return DreamSimExtractor::Tower{Vit(found.config, merged), norm};
  };
  std::vector<DreamSimExtractor::Tower> towers;
  towers.push_back(tower(0, dreamsim_dino_file(folder), dreamsim_dino_config(), kImageNetNorm));
  towers.push_back(tower(1, folder / "clip_vitb16_pretrain.pth.tar", dreamsim_clip_config(), kClipNorm));
  towers.push_back(tower(2, folder / "open_clip_vitb16_pretrain.pth.tar", dreamsim_open_clip_config(), kClipNorm));
  return DreamSimExtractor(std::move(towers));
}

}  // namespace sgf

#include "sgf/vbench/weight_places.h"

#include "sgf/core/error.h"
#include "sgf/files/path_kind.h"
#include "sgf/files/sha256.h"

#include <fmt/ranges.h>

#include <cstdlib>

namespace sgf {

const VbenchFile kDinoFile{
    .path = "dino_model/dino_vitbase16_pretrain.pth",
    .origin = "https://dl.fbaipublicfiles.com/dino/dino_vitbase16_pretrain/dino_vitbase16_pretrain.pth",
    .sha256 = "",
    .elsewhere = ".cache/torch/hub/checkpoints/dino_vitbase16_pretrain.pth",
    .first_name = "patch_embed.proj.weight"};
const VbenchFile kDinov2File{.path = "dino_model/dinov2_vitb14_pretrain.pth",
                             .origin = "https://dl.fbaipublicfiles.com/dinov2/dinov2_vitb14/dinov2_vitb14_pretrain.pth",
                             .sha256 = "",
                             .elsewhere = ".cache/torch/hub/checkpoints/dinov2_vitb14_pretrain.pth",
                             .first_name = "patch_embed.proj.weight"};
const VbenchFile kClipB32File{.path = "clip_model/ViT-B-32.pt",
                              .origin =
                                  "https://openaipublic.azureedge.net/clip/models/"
                                  "40d365715913c9da98579312b702a82c18be219cc2a73407c4526f58eba950af/ViT-B-32.pt",
                              .sha256 = "40d365715913c9da98579312b702a82c18be219cc2a73407c4526f58eba950af",
                              .elsewhere = ".cache/clip/ViT-B-32.pt",
                              .first_name = "visual.conv1.weight"};
const VbenchFile kClipL14File{.path = "clip_model/ViT-L-14.pt",
                              .origin =
                                  "https://openaipublic.azureedge.net/clip/models/"
                                  "b8cca3fd41ae0c99ba7e8951adf17d267cdb84cd88be6f7c2e0eca1737a03836/ViT-L-14.pt",
                              .sha256 = "b8cca3fd41ae0c99ba7e8951adf17d267cdb84cd88be6f7c2e0eca1737a03836",
                              .elsewhere = ".cache/clip/ViT-L-14.pt",
                              .first_name = "visual.conv1.weight"};
const VbenchFile kAestheticFile{.path = "aesthetic_model/emb_reader/sa_0_4_vit_l_14_linear.pth",
                                .origin = "https://github.com/LAION-AI/aesthetic-predictor",
                                .sha256 = "2cd4e60f4f24ae3b"};
// The digits in the name are the start of the hash, as torch.hub writes them.
const VbenchFile kMusiqFile{.path = "pyiqa_model/musiq_spaq_ckpt-358bb6af.pth",
                            .origin =
                                "https://github.com/chaofengc/IQA-PyTorch/releases/download/v0.1-weights/"
                                "musiq_spaq_ckpt-358bb6af.pth",
                            .sha256 = "358bb6af",
                            .elsewhere = "",
                            .first_name = "conv_root.weight"};
const VbenchFile kRaftFile{
    .path = "raft_model/models/raft-things.pth",
    .origin = "https://dl.dropboxusercontent.com/s/4j4z58wuv8o0mfz/models.zip (in it models/raft-things.pth)",
    .sha256 = "",
    .elsewhere = "",
    .first_name = "fnet.conv1.weight"};
const VbenchFile kAmtFile{.path = "amt_model/amt-s.pth",
                          .origin = "https://huggingface.co/lalala125/AMT/resolve/main/amt-s.pth",
                          .sha256 = "",
                          .elsewhere = "",
                          .first_name = "feat_encoder.conv1.weight"};
// The original unpacks this zip into ~/.cache.
constexpr std::string_view kDreamSimZip =
    "https://github.com/ssundaram21/dreamsim/releases/download/v0.2.0-checkpoints/dreamsim_ensemble_checkpoint.zip";
const VbenchFile kDreamSimDinoFile{.path = "dreamsim_model/dino_vitb16_pretrain.pth",
                                   .origin = kDreamSimZip,
                                   .sha256 = "",
                                   .elsewhere = ".cache/dino_vitb16_pretrain.pth"};
const VbenchFile kDreamSimClipFile{.path = "dreamsim_model/clip_vitb16_pretrain.pth.tar",
                                   .origin = kDreamSimZip,
                                   .sha256 = "",
                                   .elsewhere = ".cache/clip_vitb16_pretrain.pth.tar",
                                   .first_name = "patch_embed.proj.weight"};
const VbenchFile kDreamSimOpenClipFile{.path = "dreamsim_model/open_clip_vitb16_pretrain.pth.tar",
                                       .origin = kDreamSimZip,
                                       .sha256 = "",
                                       .elsewhere = ".cache/open_clip_vitb16_pretrain.pth.tar",
                                       .first_name = "patch_embed.proj.weight"};
const VbenchFile kDreamSimLoraFile{.path = "dreamsim_model/ensemble_lora/adapter_model.safetensors",
                                   .origin = kDreamSimZip,
                                   .sha256 = "",
                                   .elsewhere = ".cache/ensemble_lora/adapter_model.safetensors"};

namespace {

std::filesystem::path home_folder() {
  const char* home = std::getenv("HOME");
  return home != nullptr ? home : "";
}

std::filesystem::path vbench_cache() {
  const char* named = std::getenv("VBENCH_CACHE_DIR");
  if (named != nullptr && *named != '\0') return named;
  return home_folder() / ".cache" / "vbench";
}

void warn_of_hash(const VbenchFile& file, const FoundFile& found, const std::function<void(const std::string&)>& warn) {
  if (!warn || found.sha256.starts_with(file.sha256)) return;
  warn(fmt::format("{} has SHA-256 {}, but the original's starts with {}: scores will differ from the original's",
                   found.path.string(), found.sha256, file.sha256));
}

}  // namespace

WeightPlaces::WeightPlaces(const std::filesystem::path& folder)
    : folder_(folder.empty() ? vbench_cache() : folder), is_asked_for_(!folder.empty()) {}

std::vector<std::filesystem::path> WeightPlaces::candidates(const VbenchFile& file) const {
  const std::filesystem::path name = std::filesystem::path(file.path).filename();
  std::vector<std::filesystem::path> places{folder_ / file.path, folder_ / name};
  if (!is_asked_for_ && !file.elsewhere.empty()) places.push_back(home_folder() / file.elsewhere);
  return places;
}

std::optional<std::filesystem::path> WeightPlaces::path_of(const VbenchFile& file) const {
  for (const std::filesystem::path& place : candidates(file)) {
    if (is_there(place)) return place;
  }
  return std::nullopt;
}

FoundFile WeightPlaces::find(const VbenchFile& file, const std::function<void(const std::string&)>& warn) const {
  const std::optional<std::filesystem::path> path = path_of(file);
  std::vector<std::string> looked;
  for (const std::filesystem::path& place : candidates(file)) looked.push_back(place.string());
  SGF_CHECK(path.has_value(), "{} is missing: looked for {}; download it from {}",
            std::filesystem::path(file.path).filename().string(), fmt::join(looked, ", "), file.origin);
  const FoundFile found{.path = *path, .sha256 = sha256_of_file(*path)};
  warn_of_hash(file, found, warn);
  return found;
}

}  // namespace sgf

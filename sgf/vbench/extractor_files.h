// Opens extractors from the files that VBench's users have, under the original weight names. Sizes are read from the
// shapes. Tests use small files with the same names and layout, written by torch; not tested with the real files.
#pragma once

#include "sgf/vbench/extractors.h"

#include <ATen/core/Tensor.h>

#include <filesystem>

namespace sgf {

// `options`: dtype and device. An error lists all missing tensors and wrong shapes at once.
VitExtractor open_dino_extractor(const std::filesystem::path& path,
                                 at::TensorOptions options);  // dino_vitbase16_pretrain.pth
VitExtractor open_dinov2_extractor(const std::filesystem::path& path,
                                   at::TensorOptions options);  // dinov2_vitb14_pretrain.pth
// ViT-B-32.pt: a TorchScript archive, of which only the tensors are read; or a state dict with the same names.
VitExtractor open_clip_extractor(const std::filesystem::path& path, at::TensorOptions options);
// ViT-L-14.pt and sa_0_4_vit_l_14_linear.pth.
AestheticScorer open_aesthetic_scorer(const std::filesystem::path& clip_l14, const std::filesystem::path& head,
                                      at::TensorOptions options);
// The folder that dreamsim_ensemble_checkpoint.zip unpacks to. As in the original, DINO's weights come from
// checkpoints/dino_vitbase16_pretrain.pth if the folder has it, else from the teacher in dino_vitb16_pretrain.pth.
DreamSimExtractor open_dreamsim_extractor(const std::filesystem::path& folder, at::TensorOptions options);

}  // namespace sgf

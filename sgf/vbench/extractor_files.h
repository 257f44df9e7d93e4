// Extractors from the files that VBench's users have, under the names their projects gave the weights. Sizes are read
// off the shapes. Tests open files of the same names and layout, small ones that torch wrote; the real ones were not at
// hand and have not been tried.
#pragma once

#include "sgf/vbench/extractors.h"

#include <ATen/core/Tensor.h>

#include <filesystem>

namespace sgf {

// `options`: dtype and device. Errors name all that is missing or of another shape at once.
VitExtractor open_dino_extractor(const std::filesystem::path& path,
                                 at::TensorOptions options);  // dino_vitbase16_pretrain.pth
VitExtractor open_dinov2_extractor(const std::filesystem::path& path,
                                   at::TensorOptions options);  // dinov2_vitb14_pretrain.pth
// ViT-B-32.pt: a TorchScript archive, of which the tensors alone are read; or a state dict with the same names.
VitExtractor open_clip_extractor(const std::filesystem::path& path, at::TensorOptions options);
// ViT-L-14.pt and sa_0_4_vit_l_14_linear.pth.
AestheticScorer open_aesthetic_scorer(const std::filesystem::path& clip_l14, const std::filesystem::path& head,
                                      at::TensorOptions options);
// The folder that dreamsim_ensemble_checkpoint.zip unpacks to. DINO's weights are, as in the original, those of
// checkpoints/dino_vitbase16_pretrain.pth where the folder has them; else the teacher's in dino_vitb16_pretrain.pth.
DreamSimExtractor open_dreamsim_extractor(const std::filesystem::path& folder, at::TensorOptions options);

}  // namespace sgf

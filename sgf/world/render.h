// Renders scenes with plain tensor algebra. The result is the same on every device, and any frame can be rendered
// without the ones before it.
#pragma once

#include "sgf/core/frame_span.h"
#include "sgf/world/scene.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <vector>

namespace sgf {

// [B, F, 3, H, W] float32 in [0, 1], with edges soft over one pixel. The clips of a batch may show different frames.
struct ClipSpan {
  WorldScene scene;
  FrameSpan frames;  // same length for all clips of a batch
};
at::Tensor render(const WorldPreset& preset, const std::vector<ClipSpan>& clips, c10::Device device = c10::kCPU);

// [F, 3, H, W]: one clip.
at::Tensor render(const WorldPreset& preset, const WorldScene& scene, FrameSpan frames, c10::Device device = c10::kCPU);

}  // namespace sgf

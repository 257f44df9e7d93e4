// What a sample looks like, in numbers that anyone can check against the video: they go to metrics.jsonl beside the
// losses, because a loss says nothing about whether the frames show anything.
#pragma once

#include "sgf/training/stage.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace sgf {

// A finished sample. Frames come as decoded, before they are clamped.
struct SampleView {
  at::Tensor latents;  // [F, C, h, w]
  at::Tensor frames;   // [F', 3, H, W]
  std::string prompt;
  std::string world;  // a world preset's name; empty: frames that no measure can hold against a prompt
};

// sample_correlation: how well a latent predicts its neighbour in space or in time, whichever is better. White noise
//                     has 0, the world's clips .8 and more.
// sample_contrast:    standard deviation of the pixels within a frame. 0 is a frame of one grey.
// sample_clipped:     share of pixel values that lie outside [0, 1] by more than rounding.
// sample_valid:       share of frames that show what the prompt says (sgf/world/measure.h); the world's samples alone.
// All but sample_valid are NaN where a latent or a pixel is not finite.
StepMetrics measure_sample(const SampleView& sample);

// By name, over the samples that have the metric.
StepMetrics mean_of_samples(const std::vector<StepMetrics>& samples);

}  // namespace sgf

// Verifies this program against a reference recording: the error of each tensor.
#pragma once

#include "sgf/kernels/attention_backend.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct ReplayOptions {
  at::ScalarType dtype = at::kDouble;  // of weights and computation; latents stay float32 in a bfloat16 replay
  at::Device device = at::kCPU;
  AttentionBackend attention = AttentionBackend::kAuto;
  std::optional<double> tolerance;  // on rel_l2; default: that of the dtype, or of the recording if coarser
};

struct TensorError {
  std::string name;
  double max_abs = 0;
  double rel_l2 = 0;  // ||ours - theirs|| / ||theirs||; max_abs if the reference is zero
  bool reference_is_zero = false;
  bool holds = false;
};

struct VerifyResult {
  std::string file;
  std::string kind;
  std::string dtype;
  std::string device;
  std::string attention;  // the backend for the heads of this recording; empty if there are none
  double tolerance = 0;
  std::vector<TensorError> tensors;
  bool ok = false;
};

// Replays, then reads the expected outputs, then compares. Throws on an unknown kind, on a file without expected
// outputs, and on an expected tensor that the replay does not compute. The message of an Error begins with the path.
VerifyResult verify_recording(const std::filesystem::path& path, const ReplayOptions& options);

}  // namespace sgf

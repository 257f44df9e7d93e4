// What tests of networks share: pictures, and weight files of full size, made when they are needed.
#pragma once

#include "sgf/core/error.h"
#include "sgf/files/torch_archive_writer.h"
#include "sgf/verify/closed_form_weights.h"

#include <ATen/ATen.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace sgf::testing {

// Everything that a network takes, by the closed-form rule.
template <class Network>
NamedTensors weights_taken_by(const WeightRule& rule) {
  const auto taken = std::make_shared<NamedTensors>();
  const auto make = [rule, taken](const std::string& name, at::IntArrayRef shape) {
    return taken->emplace_back(name, closed_form_weight(rule, name, shape)).second;
  };
  Network(NetworkWeights(make, at::kFloat, "the closed-form rule"));
  return *taken;
}

// A torch archive of these tensors, contiguous float32, whose names stand behind `prefix`.
inline void write_network_file(const std::filesystem::path& path, const NamedTensors& tensors,
                               const std::string& prefix) {
  std::vector<OutgoingTensor> outgoing;
  for (const auto& [name, tensor] : tensors) {
    const auto* bytes = static_cast<const std::byte*>(tensor.const_data_ptr());
    outgoing.push_back(outgoing_bytes(prefix + name, DType::kF32, tensor.sizes().vec(), {bytes, tensor.nbytes()}));
  }
  write_torch_archive(path, outgoing);
}

// Some bytes [count, height, width, 3]; the same for the same seed.
inline at::Tensor some_pictures(int64_t count, int64_t height, int64_t width, uint64_t seed) {
  const at::Tensor noise =
      closed_form_input({.salt = std::to_string(seed), .prefix = {}, .gains = {}}, "in.pictures", {count, 6, 6, 3});
  const at::Tensor smooth = at::upsample_bilinear2d(noise.permute({0, 3, 1, 2}), {height, width}, false);
  return ((smooth + 2) * 63).to(at::kByte).permute({0, 2, 3, 1}).contiguous();
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no refusal";
}

}  // namespace sgf::testing

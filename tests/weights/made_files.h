// Weight files made in memory, for tests of names and reports: the right names and shapes, zeros for numbers.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/weights/weight_names.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sgf {

using Weights = std::vector<WeightShape>;

inline TensorFile make_file(const Weights& weights, std::map<std::string, std::string> metadata = {}) {
  uint64_t size = 0;
  for (const WeightShape& weight : weights) size += dense_byte_count(DType::kF32, weight.shape).value();
  TensorFile file;
  file.container = Container::kSafetensors;
  file.metadata = std::move(metadata);
  file.files.push_back(MappedFile::from_bytes("made.safetensors", std::vector<std::byte>(size)));
  uint64_t offset = 0;
  for (const WeightShape& weight : weights) {
    const uint64_t extent = dense_byte_count(DType::kF32, weight.shape).value();
    file.add({.name = weight.name,
              .dtype = DType::kF32,
              .shape = weight.shape,
              .strides = row_major_strides(weight.shape),
              .file = 0,
              .offset = offset,
              .extent = extent});
    offset += extent;
  }
  return file;
}

// Names and shapes alone: every tensor is one zero, seen as often as its shape asks.
inline TensorFile make_outline(const Weights& weights) {
  TensorFile file;
  file.container = Container::kTorchZip;
  file.files.push_back(MappedFile::from_bytes("outline.pt", std::vector<std::byte>(sizeof(float))));
  for (const WeightShape& weight : weights) {
    file.add({.name = weight.name,
              .dtype = DType::kF32,
              .shape = weight.shape,
              .strides = std::vector<int64_t>(weight.shape.size(), 0),
              .file = 0,
              .offset = 0,
              .extent = sizeof(float)});
  }
  return file;
}

inline Weights tiny_weights() { return expected_dit_weights(dit_preset("tiny")); }

inline Weights renamed(Weights weights, const std::function<std::string(const std::string&)>& rename) {
  for (WeightShape& weight : weights) weight.name = rename(weight.name);
  return weights;
}

inline Weights under(const std::string& prefix, Weights weights) {
  return renamed(std::move(weights), [&](const std::string& name) { return prefix + name; });
}

inline Weights together(Weights a, const Weights& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline Weights without(const std::string& name, Weights weights) {
  std::erase_if(weights, [&](const WeightShape& weight) { return weight.name == name; });
  return weights;
}

}  // namespace sgf

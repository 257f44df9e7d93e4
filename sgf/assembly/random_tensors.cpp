#include "sgf/assembly/random_tensors.h"

#include "sgf/core/noise.h"
#include "sgf/model/weight_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string_view>

namespace sgf {
namespace {

constexpr int64_t kPiece = 1 << 20;  // elements drawn together

// The distribution of one tensor: uniform, which is drawn several times as fast as a normal one.
struct Spread {
  double mean = 0;
  double deviation = 0;
};

struct NamedTensor {
  std::string name;
  std::vector<int64_t> shape;
};

double inputs_of(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin() + 1, shape.end(), 1.0, [](double a, int64_t b) { return a * double(b); });
}

Spread spread_of(const NamedTensor& tensor) {
  const std::string_view name = tensor.name;
  constexpr double kSmall = 0.02;
  if (name.ends_with(".bias")) return {.mean = 0, .deviation = kSmall};
  if (name.ends_with(".gamma") || tensor.shape.size() == 1) return {.mean = 1, .deviation = kSmall};
  if (name == "token_embedding.weight") return {.mean = 0, .deviation = 1};
  if (name.ends_with("modulation")) return {.mean = 0, .deviation = 1 / std::sqrt(double(tensor.shape.back()))};
  // UMT5 does not divide its products of queries and keys by the head's width: its queries are small instead.
  const bool is_query = name.ends_with("attn.q.weight") && !name.ends_with("self_attn.q.weight") &&
                        !name.ends_with("cross_attn.q.weight");
  const double inputs = inputs_of(tensor.shape);
  return {.mean = 0, .deviation = 1 / std::sqrt(inputs * (is_query ? double(tensor.shape[0]) : 1))};
}

uint16_t bfloat16_of(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);  // to the nearest, ties to even
}

void send(const std::vector<float>& values, DType dtype, const ByteSink& sink) {
  if (dtype == DType::kF32) return sink(std::as_bytes(std::span(values)));
  std::vector<uint16_t> halves(values.size());
  std::ranges::transform(values, halves.begin(), bfloat16_of);
  sink(std::as_bytes(std::span(halves)));
}

void draw(const NoiseKey& key, int64_t count, const Spread& spread, const RandomOrder& order, const ByteSink& sink) {
  const auto width = static_cast<float>(2 * std::sqrt(3.0) * spread.deviation);
  const auto mean = static_cast<float>(spread.mean);
  std::vector<float> values;
  for (int64_t first = 0; first < count; first += kPiece) {
    values.resize(static_cast<size_t>(std::min(kPiece, count - first)));
    fill_uniform(key, std::span<float>(values), first);
    for (float& value : values) value = mean + width * (value - 0.5f);
    send(values, order.dtype, sink);
    order.written(values.size() * static_cast<uint64_t>(byte_size(order.dtype)));
  }
}

std::vector<OutgoingTensor> random_tensors(const std::vector<NamedTensor>& named, const RandomOrder& order) {
  std::vector<OutgoingTensor> tensors;
  for (const NamedTensor& tensor : named) {
    const NoiseKey key{.seed = order.seed,
                       .purpose = NoisePurpose::kInit,
                       .sample = order.network,
                       .block = static_cast<int64_t>(tensors.size())};
    const int64_t count = std::accumulate(tensor.shape.begin(), tensor.shape.end(), int64_t{1}, std::multiplies<>());
    tensors.push_back({.name = tensor.name,
                       .dtype = order.dtype,
                       .shape = tensor.shape,
                       .produce = [key, count, spread = spread_of(tensor), order](const ByteSink& sink) {
                         draw(key, count, spread, order, sink);
                       }});
  }
  return tensors;
}

template <class Shapes>
std::vector<NamedTensor> named(const Shapes& shapes) {
  std::vector<NamedTensor> all;
  for (const auto& shape : shapes) all.push_back({shape.name, shape.shape});
  return all;
}

}  // namespace

std::vector<OutgoingTensor> random_dit(const DitConfig& config, const RandomOrder& order) {
  return random_tensors(named(expected_dit_weights(config)), order);
}

std::vector<OutgoingTensor> random_umt5(const Umt5Config& config, const RandomOrder& order) {
  return random_tensors(named(expected_umt5_weights(config)), order);
}

std::vector<OutgoingTensor> random_vae(const VaeConfig& config, const RandomOrder& order) {
  return random_tensors(named(expected_vae_weights(config)), order);
}

uint64_t bytes_of(const std::vector<OutgoingTensor>& tensors) {
  uint64_t bytes = 0;
  for (const OutgoingTensor& tensor : tensors) bytes += dense_byte_count(tensor.dtype, tensor.shape).value();
  return bytes;
}

}  // namespace sgf

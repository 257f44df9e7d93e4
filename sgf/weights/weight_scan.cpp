#include "sgf/weights/weight_scan.h"

#include "sgf/files/tensors.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace sgf {
namespace {

constexpr int64_t kScanPiece = 1 << 22;  // elements scanned together

void count(NonFinite& found, const at::Tensor& piece) {
  // Narrow types are widened: float8 has no comparison operators.
  const at::Tensor wide = piece.element_size() < 4 ? piece.to(at::kFloat) : piece;
  if (wide.isfinite().all().item<bool>()) return;
  found.nan += wide.isnan().sum().item<int64_t>();
  found.infinite += wide.isinf().sum().item<int64_t>();
}

NonFinite scan_tensor(const TensorFile& file, const TensorEntry& entry) {
  NonFinite found{.name = entry.name};
  const at::Tensor flat = map_tensor(file, entry).reshape(-1);
  for (int64_t begin = 0; begin < flat.numel(); begin += kScanPiece) {
    count(found, flat.narrow(0, begin, std::min(kScanPiece, flat.numel() - begin)));
  }
  return found;
}

}  // namespace

std::vector<NonFinite> scan_weights(const TensorFile& file) {
  std::vector<NonFinite> found;
  for (const TensorEntry& entry : file.entries) {
    if (!is_floating(entry.dtype) && entry.dtype != DType::kC64) continue;
    NonFinite tensor = scan_tensor(file, entry);
    if (tensor.nan > 0 || tensor.infinite > 0) found.push_back(std::move(tensor));
  }
  return found;
}

}  // namespace sgf

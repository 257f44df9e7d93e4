#include "sgf/weights/merge_lora.h"

#include "sgf/core/error.h"
#include "sgf/core/notice.h"
#include "sgf/files/tensors.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace sgf {
namespace {

// In float64 the order of a product's sums, which depends on the number of threads, is far below the base's last bit.
at::Tensor change_of(const TensorFile& file, const LoraChange& change, const at::Tensor& base) {
  at::Tensor sum;
  if (change.down != nullptr) {
    const at::Tensor down = map_tensor(file, *change.down).to(at::kDouble).flatten(1);
    const at::Tensor up = map_tensor(file, *change.up).to(at::kDouble).flatten(1);
    sum = at::matmul(up, down).mul_(change.factor).view(base.sizes());
  }
  if (change.diff == nullptr) return sum;
  const at::Tensor diff = map_tensor(file, *change.diff).to(at::kDouble).view(base.sizes()) * change.diff_factor;
  return sum.defined() ? sum + diff : diff;
}

}  // namespace

LoraSum::LoraSum(const std::vector<LoraUse>& uses, const DitWeightIndex& base, const std::filesystem::path& base_path) {
  parts_.reserve(uses.size());
  for (const LoraUse& use : uses) {
    parts_.push_back({open_lora(use.file), use.scale});
    const LoraFile& lora = parts_.back().lora;
    check_lora_fits(lora, base, base_path);
    if (lora.is_alpha_assumed) notice_once(alpha_notice_key(use.file), assumption_of(lora));
  }
}

bool LoraSum::changes(const std::string& official) const {
  return std::ranges::any_of(parts_,
                             [&](const Part& part) { return part.scale != 0 && part.lora.changes.contains(official); });
}

at::Tensor LoraSum::merged(const std::string& official, const at::Tensor& base, at::ScalarType type) const {
  if (!changes(official)) return base.to(type);
  SGF_CHECK(base.is_floating_point() && base.element_size() >= 2,
            "{} is stored as {}, which cannot hold a LoRA's change; pass a base in bfloat16, float16 or float32",
            official, name_of(dtype_of(base.scalar_type())));
  at::Tensor sum = base.to(at::kDouble, /*non_blocking=*/false, /*copy=*/true).contiguous();
  for (const Part& part : parts_) {
    const auto found = part.lora.changes.find(official);
    if (part.scale == 0 || found == part.lora.changes.end()) continue;
    sum.add_(change_of(part.lora.file, found->second, base), part.scale);
  }
  const at::Tensor rounded = sum.to(type);
  SGF_CHECK(rounded.isfinite().eq(base.isfinite()).all().item<bool>(),
            "{}: with the LoRA it has values that are not finite in {}; is the scale right?", official,
            name_of(dtype_of(type)));
  return rounded;
}

}  // namespace sgf

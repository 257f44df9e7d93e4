#include "sgf/bench/bench_line.h"

#include "sgf/core/error.h"
#include "sgf/files/tensors.h"
#include "sgf/kernels/dense_attention.h"
#include "sgf/training/planning/activation_memory.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

namespace sgf {

std::string bench_name(ActivationPolicy policy) {
  std::string name(enum_name(policy));
  std::ranges::replace(name, '_', '-');
  return name;
}

ActivationPolicy activations_from_bench_name(std::string_view name) {
  for (const auto& known : enum_names(ActivationPolicy{}))
    if (bench_name(known.value) == name) return known.value;
  fail("unknown activation policy '{}'; use keep, recompute or keep-attention", name);
}

nlohmann::json bench_line(const std::string& item, const BenchedWork& work) {
  const at::Tensor head =
      at::empty({1, work.model.head_width()}, at::TensorOptions().dtype(work.dtype).device(work.device));
  return {{"item", item},
          {"model", work.model_name},
          {"parameters", parameter_count(work.model)},
          {"device", work.device.str()},
          {"threads", at::get_num_threads()},
          {"dtype", name_of(work.dtype)},
          {"attention", enum_name(resolve_backend(work.attention, head))},
          {"activations", bench_name(work.activations)},
          {"batch", work.latent[0]},
          {"frames", work.latent[1]},
          {"block", work.block_frames},
          {"sink", work.policy.sink_frames},
          {"fifo", work.policy.fifo_frames},
          {"latent", {work.latent[2], work.latent[3], work.latent[4]}}};
}

}  // namespace sgf

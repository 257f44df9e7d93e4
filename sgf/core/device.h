// Which device to compute on.
#pragma once

#include "sgf/core/device_kind.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <string_view>

namespace sgf {

bool cuda_is_available();

// Whether the name is one of the words below. Does not check that the device exists.
bool is_device_name(std::string_view name);

// "auto" (the first GPU if there is one), "cpu", "cuda", "cuda:1". Throws Error if the GPU is missing, saying whether
// the build or the machine lacks it, and for any other word, listing the valid ones.
c10::Device device_from_name(std::string_view name);
c10::Device device_of(DeviceKind kind);  // the same for the word of a config

// The GPU of one of several processes on a host. A launcher that shows each process one GPU has chosen already.
c10::Device device_of_rank(DeviceKind kind, int64_t local_rank);

// From here on float32 convolutions on a GPU compute in float32. By default cuDNN rounds their inputs to TF32's 10
// bits.
void forbid_tf32();

}  // namespace sgf

// Which device to compute on.
#pragma once

#include "sgf/core/device_kind.h"

#include <c10/core/Device.h>

#include <string_view>

namespace sgf {

bool cuda_is_available();

// Whether it is one of the words below, wherever it runs.
bool is_device_name(std::string_view name);

// "auto" (the first GPU where there is one), "cpu", "cuda", "cuda:1". Asking for a GPU that is not there is an Error
// that says whether the build or the machine lacks it; any other word is one that says which there are.
c10::Device device_from_name(std::string_view name);
c10::Device device_of(DeviceKind kind);  // the same for the word of a config

// From here on float32 convolutions on a GPU compute in float32: cuDNN would round what goes in to TF32's 10 bits.
void forbid_tf32();

}  // namespace sgf

// TensorBoard's Event messages, in protobuf's wire format by hand: four kinds are all a training run writes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sgf/runs/metrics_row.h"

namespace sgf {

// When an event happened.
struct EventTime {
  double wall_time = 0;  // seconds since 1970
  int64_t step = 0;
};

// The first message of every file.
std::string encode_version(EventTime time);

// All metrics of a step in one message.
std::string encode_scalars(EventTime time, std::span<const Metric> metrics);

// `png` is a whole PNG file; TensorBoard wants its size beside it, which is read from its header.
std::string encode_image(EventTime time, std::string_view name, std::string_view png);

// "The run starts (again) at this step": TensorBoard then forgets later steps of a run that was resumed.
std::string encode_start(EventTime time);

}  // namespace sgf

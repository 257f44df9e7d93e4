// TensorBoard's Event messages, written in protobuf's wire format without protobuf: a training run needs four kinds.
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

// `png` is a complete PNG file. TensorBoard needs its size, which is read from the header.
std::string encode_image(EventTime time, std::string_view name, std::string_view png);

// Marks the start step of the run: TensorBoard then drops later steps from before a resume.
std::string encode_start(EventTime time);

}  // namespace sgf

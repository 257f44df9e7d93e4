// How far something that grows on disk had come when it was saved: enough to take it up again after a kill. Torch-free.
#pragma once

#include <cstdint>
#include <optional>

namespace sgf {

struct SinkPlace {
  int64_t pictures = 0;  // or latents
  int64_t bytes = 0;     // of the file, where it is one; whatever lies after them is cut off

  bool operator==(const SinkPlace&) const = default;
};

using MaybePlace = std::optional<SinkPlace>;  // where to go on; without one the file is new

}  // namespace sgf

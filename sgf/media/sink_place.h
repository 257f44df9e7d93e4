// How far a file that grows on disk had come when it was saved: enough to continue it after a kill. Torch-free.
#pragma once

#include <cstdint>
#include <optional>

namespace sgf {

struct SinkPlace {
  int64_t pictures = 0;  // or latent frames
  int64_t bytes = 0;     // of the file, if it is one; everything after them is cut off

  bool operator==(const SinkPlace&) const = default;
};

using MaybePlace = std::optional<SinkPlace>;  // where to continue; nullopt for a new file

}  // namespace sgf

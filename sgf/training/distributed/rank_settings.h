// How long ranks wait for one another, and in what portions they talk.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace sgf {

struct RankSettings {
  std::chrono::milliseconds resolve{20'000};      // until the master address has a number
  std::chrono::milliseconds start{300'000};       // until all ranks have come
  std::chrono::milliseconds beat{2'000};          // between two signs of life of a rank
  std::chrono::milliseconds silence{30'000};      // without a sign of life: the rank is lost, and the run has ended
  std::chrono::milliseconds patience{1'800'000};  // for a rank that lives but does not come: one may be writing samples
  std::chrono::milliseconds grace{10'000};        // until `on_end`
  int64_t bucket_bytes = int64_t{25} << 20;       // gradients travel in flat buffers of about this size
  bool group_of_one = false;                      // make the groups for one rank too: how NCCL is tried on one GPU

  // Called from another thread, once, where the run has ended for all and this rank's own work (a long forward, say)
  // has not come to a collective within `grace`. A program prints the message and exits here.
  std::function<void(const std::string& message)> on_end;

  void validate() const;
};

}  // namespace sgf

// Time limits and message sizes of the ranks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace sgf {

struct RankSettings {
  std::chrono::milliseconds resolve{
      20'000};  // until the master address resolves, or a refused rank has found the others
  std::chrono::milliseconds start{300'000};   // until all ranks have joined
  std::chrono::milliseconds beat{2'000};      // between two heartbeats of a rank
  std::chrono::milliseconds silence{30'000};  // without a heartbeat: the rank is lost and the run ends
  std::chrono::milliseconds patience{
      1'800'000};  // for a live rank that does not join a collective: it may be writing samples
  std::chrono::milliseconds grace{10'000};   // until `on_end`
  int64_t bucket_bytes = int64_t{25} << 20;  // approximate size of the flat buffers for gradients
  bool group_of_one = false;                 // create the groups for one rank too, to test NCCL on one GPU

  // Called once, from another thread, if the run has ended and this rank's work (e.g. a long forward) does not reach a
  // collective within `grace`. The program prints the message and exits here.
  std::function<void(const std::string& message)> on_end;

  void validate() const;
};

}  // namespace sgf

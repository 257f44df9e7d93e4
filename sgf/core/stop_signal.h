// SIGINT, SIGTERM and a closed terminal (SIGHUP, unless nohup ignores it) as a wish to stop: the run writes a
// checkpoint and ends in order.
#pragma once

namespace sgf {

// While one lives, the first signal is remembered and a second one ends the process as usual.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Its number, 0 where none came.
  int received() const;
};

}  // namespace sgf

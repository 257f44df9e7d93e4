// Treats SIGINT, SIGTERM and a closed terminal (SIGHUP, unless nohup ignores it) as a request to stop: the run writes a
// checkpoint and exits normally.
#pragma once

namespace sgf {

// While an instance lives, the first signal is remembered and a second one ends the process as usual.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Number of the signal, 0 if none came.
  int received() const;
};

}  // namespace sgf

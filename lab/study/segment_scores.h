// Measures videos in many threads while the device generates the next ones.
#pragma once

#include "lab/study/watched_frames.h"
#include "sgf/core/bounded_queue.h"
#include "sgf/evaluation/segment_metrics.h"
#include "sgf/world/measure.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sgf {

// A segment's score under the study's names; means over objects with a value.
std::optional<double> metric_of(const SegmentScore& score, std::string_view metric);

struct MeasuringOrder {
  WorldPreset world;
  std::vector<std::string> captions;  // of all videos
  WatchedFrames watched;
  int64_t window_frames = 12;
  int64_t threads = 1;
  int64_t waiting = 256;  // maximum queue length; add() waits when it is full
};

// Each video is measured by one thread: frames of a few thousand pixels are too small to divide.
class MeasuringPool {
 public:
  explicit MeasuringPool(MeasuringOrder order);
  ~MeasuringPool();
  MeasuringPool(const MeasuringPool&) = delete;
  MeasuringPool& operator=(const MeasuringPool&) = delete;

  // Videos `first`, `first` + 1, ...: [B, watched, 3, H, W]. Rethrows exceptions of measurements.
  void add(int64_t first, const at::Tensor& pictures);
  // Waits for all videos; every caption must have its video.
  ScoreTable finish();

  int most_torch_threads() const { return most_torch_threads_; }  // seen by a measuring thread

 private:
  struct Video {
    int64_t number = 0;
    at::Tensor pictures;
  };

  void work();
  void measure_one(const Video& video);
  void join();

  MeasuringOrder order_;
  BoundedQueue<Video> queue_;
  std::vector<std::vector<SegmentScore>> scores_;  // by video; each thread writes its own entries
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<int> most_torch_threads_ = 0;
  int torch_threads_before_;
  std::vector<std::thread> threads_;
};

}  // namespace sgf

// Videos measured by many threads while the device goes on with the next ones.
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

// A segment's score under the study's names; objects in the mean over those that have a value.
std::optional<double> metric_of(const SegmentScore& score, std::string_view metric);

struct MeasuringOrder {
  WorldPreset world;
  std::vector<std::string> captions;  // of all videos
  WatchedFrames watched;
  int64_t window_frames = 12;
  int64_t threads = 1;
  int64_t waiting = 256;  // videos that may wait; then add() waits too
};

// Each thread computes alone: pictures of a few thousand pixels are not worth dividing.
class MeasuringPool {
 public:
  explicit MeasuringPool(MeasuringOrder order);
  ~MeasuringPool();
  MeasuringPool(const MeasuringPool&) = delete;
  MeasuringPool& operator=(const MeasuringPool&) = delete;

  // Videos `first`, `first` + 1, ...: [B, watched, 3, H, W]. Throws what a measurement has thrown.
  void add(int64_t first, const at::Tensor& pictures);
  // Waits for all that came; every caption must have had its video.
  ScoreTable finish();

  int most_torch_threads() const { return most_torch_threads_; }  // that a measuring thread saw

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
  std::vector<std::vector<SegmentScore>> scores_;  // by video; a thread writes its own
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<int> most_torch_threads_ = 0;
  int torch_threads_before_;
  std::vector<std::thread> threads_;
};

}  // namespace sgf

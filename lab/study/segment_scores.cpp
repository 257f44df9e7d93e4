#include "lab/study/segment_scores.h"

#include "sgf/core/error.h"
#include "sgf/world/caption.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

namespace sgf {
namespace {

std::optional<double> mean_of_objects(const SegmentScore& score,
                                      const std::function<std::optional<double>(const ObjectScore&)>& value) {
  double sum = 0, count = 0;
  for (const ObjectScore& object : score.objects)
    if (const std::optional<double> one = value(object)) sum += *one, count += 1;
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

using ScoreReader = std::optional<double> (*)(const SegmentScore&);

template <double SegmentScore::*kField>
std::optional<double> read_score(const SegmentScore& score) {
  return score.*kField;
}

template <auto kField>
std::optional<double> read_objects(const SegmentScore& score) {
  return mean_of_objects(score, [](const ObjectScore& object) { return std::optional<double>(object.*kField); });
}

const std::map<std::string, ScoreReader, std::less<>> kScoreReaders{
    {"valid", read_score<&SegmentScore::valid>},
    {"identity_error", read_objects<&ObjectScore::identity_error>},
    {"landmark_drift", read_score<&SegmentScore::landmark_drift>},
    {"background_drift", read_score<&SegmentScore::background_drift>},
    {"rerender_error", read_score<&SegmentScore::rerender_error>},
    {"hue_drift", read_objects<&ObjectScore::hue_drift>},
    {"size_drift", read_objects<&ObjectScore::size_drift>},
    {"pattern_error", read_objects<&ObjectScore::pattern_error>},
    {"presence", read_objects<&ObjectScore::presence>},
    {"count_right", read_score<&SegmentScore::count_right>},
    {"colour_error", read_objects<&ObjectScore::colour_error>},
    {"background_error", read_score<&SegmentScore::background_error>},
    {"motion", read_objects<&ObjectScore::motion>},
    {"motion_energy", read_score<&SegmentScore::motion_energy>},
    {"sharpness", read_score<&SegmentScore::sharpness>},
};

}  // namespace

std::optional<double> metric_of(const SegmentScore& score, std::string_view metric) {
  const auto found = kScoreReaders.find(metric);
  SGF_CHECK(found != kScoreReaders.end(), "{} is not a metric of segments", metric);
  return found->second(score);
}

MeasuringPool::MeasuringPool(MeasuringOrder order)
    : order_(std::move(order)),
      queue_(static_cast<size_t>(order_.waiting)),
      scores_(order_.captions.size()),
      torch_threads_before_(at::get_num_threads()) {
  SGF_CHECK(order_.threads > 0 && order_.waiting > 0, "measuring needs at least one thread, got {}", order_.threads);
  for (int64_t i = 0; i < order_.threads; ++i) threads_.emplace_back([this] { work(); });
}

MeasuringPool::~MeasuringPool() {
  queue_.abandon();
  join();
}

void MeasuringPool::join() {
  for (std::thread& thread : threads_) thread.join();
  if (!threads_.empty()) at::set_num_threads(torch_threads_before_);
  threads_.clear();
}

// torch keeps the number of threads per calling thread, and uses the last set value for new threads.
void MeasuringPool::work() {
  at::set_num_threads(1);
  while (const std::optional<Video> video = queue_.pop()) {
    try {
      measure_one(*video);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      queue_.abandon();
    }
  }
}

void MeasuringPool::measure_one(const Video& video) {
  for (int seen = most_torch_threads_, now = at::get_num_threads(); seen < now;)
    if (most_torch_threads_.compare_exchange_weak(seen, now)) break;
  const auto number = static_cast<size_t>(video.number);
  scores_[number] = measure_spans(video.pictures, parse_caption(order_.captions[number]), order_.world,
                                  order_.window_frames, order_.watched.segments());
}

void MeasuringPool::add(int64_t first, const at::Tensor& pictures) {
  SGF_CHECK(first >= 0 && first + pictures.size(0) <= std::ssize(order_.captions),
            "videos {} to {} have no captions: there are only {}", first, first + pictures.size(0),
            order_.captions.size());
  for (int64_t i = 0; i < pictures.size(0); ++i)
    if (!queue_.push({first + i, pictures[i]})) break;
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

ScoreTable MeasuringPool::finish() {
  queue_.close();
  join();
  if (failure_) std::rethrow_exception(failure_);
  ScoreTable table;
  for (const StudyMetric& metric : study_metrics())
    for (size_t segment = 0; segment < order_.watched.segments().size(); ++segment) {
      PromptValues& values = table[std::string(metric.name)].emplace_back();
      for (const std::vector<SegmentScore>& video : scores_) {
        SGF_CHECK(segment < video.size(), "a caption has no video");
        values.push_back(metric_of(video[segment], metric.name));
      }
    }
  return table;
}

}  // namespace sgf

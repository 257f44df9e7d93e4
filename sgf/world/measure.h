// How well a video shows what its caption says, and whether it stays the same
// video: scores per time segment.
//
// A frame is VALID if all of this holds:
//   - every object that the caption names is there, in its colour and its
//   shape, in a size that the world has;
//   - there is no other object;
//   - the background's colour lies nearest to its word's and within
//   kBackgroundTolerance of it.
// The share of valid frames is near 1 on true clips and under .1 on true clips
// with other clips' captions (tested).
#pragma once

#include "sgf/core/frame_span.h"
#include "sgf/world/preset.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace sgf {

constexpr double kBackgroundTolerance = 0.12;  // Euclidean in RGB; the words' colours lie at least .29 apart

struct MeasureOptions {
  int64_t segment_frames = 21;
  int64_t segments = 0;        // so many of equal length instead, where it is not 0
  int64_t window_frames = 12;  // the first window: what later frames are held against
};

// An object over a segment. An object is present in a frame that shows its
// colour and shape in a size the world has; errors are means over those frames
// and empty where there are none.
struct ObjectScore {
  double presence = 0;                  // share of frames
  std::optional<double> colour_error;   // degrees of hue beyond what its word allows
  std::optional<double> hue_drift;      // degrees from the first window's
  std::optional<double> size_drift;     // |ln(radius / the first window's)|
  std::optional<double> pattern_error;  // 1 - correlation of its surface with the first window's
  // Mean over all frames of the three drifts, each as a share of what makes it
  // another object (30 degrees, a size of 1.5, no correlation) and at most 1. A
  // frame without the object counts 1, and so does all without a first look.
  double identity_error = 1;
  double motion = 0;  // path length a frame against the captioned speed; a frame
                      // without the object adds none
};

struct SegmentScore {
  FrameSpan frames;
  double valid = 0;        // share of frames
  double count_right = 0;  // share of frames with as many objects as the caption names
  std::vector<ObjectScore> objects;
  double background_error = 0;  // from the word's colour, Euclidean in RGB
  double background_drift = 0;  // from the first window's, likewise, with the gradient
  double landmark_drift = 0;    // 1 - correlation of the landmarks with the first
                                // window's; 1 where there are none
  double rerender_error = 0;    // root mean square, of frames painted from the
                                // first window's background and objects
  double motion_energy = 0;     // mean squared frame difference against that of
                                // true clips with this caption
  double sharpness = 0;         // mean |Laplacian| against that of true clips with this caption
};

// In the mean over objects.
double identity_error(const SegmentScore& score);

struct WorldScore {
  SegmentScore whole;
  std::vector<SegmentScore> segments;
};

// `video` is [F, 3, H, W] in [0, 1], of the preset's size; the caption names as
// many objects as the preset has.
WorldScore measure(const at::Tensor& video, const WorldCaption& caption, const WorldPreset& preset,
                   const MeasureOptions& options = {});

// Of chosen spans of a video that need not be whole: its first `window_frames` frames are the first window.
std::vector<SegmentScore> measure_spans(const at::Tensor& video, const WorldCaption& caption, const WorldPreset& preset,
                                        int64_t window_frames, const std::vector<FrameSpan>& spans);

// One frame, by itself.
struct FrameScore {
  bool valid = false;
  std::vector<bool> present;  // by object of the caption
};
std::vector<FrameScore> measure_frames(const at::Tensor& video, const WorldCaption& caption, const WorldPreset& preset);

// Mean of scores of the same caption, or of captions with equally many objects;
// empty errors do not count.
SegmentScore mean_score(const std::vector<SegmentScore>& scores);

// The same scores of true clips with this caption, in the mean: the best that a
// video can get.
SegmentScore score_of_truth(const WorldCaption& caption, const WorldPreset& preset, int64_t frames, int64_t clips,
                            const MeasureOptions& options = {});

}  // namespace sgf

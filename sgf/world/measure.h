// How well a video shows what its caption says, and whether it stays consistent: scores per time segment.
//
// A frame is VALID if all of this holds:
//   - every object that the caption names is present, in its colour and shape and in a size that the world has;
//   - there is no other object;
//   - the background's colour is nearest to its word's colour and within kBackgroundTolerance of it.
// The share of valid frames is near 1 on true clips, and under .1 on true clips with the captions of other clips
// (tested).
#pragma once

#include "sgf/core/frame_span.h"
#include "sgf/world/preset.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace sgf {

constexpr double kBackgroundTolerance = 0.12;  // Euclidean in RGB; the words' colours are at least .29 apart

struct MeasureOptions {
  int64_t segment_frames = 21;
  int64_t segments = 0;        // if not 0: this many segments of equal length instead
  int64_t window_frames = 12;  // the first window: the reference for later frames
};

// An object over a segment. It is present in a frame that shows its colour and shape in a size that the world has.
// Errors are means over those frames, and empty if there are none.
struct ObjectScore {
  double presence = 0;                  // share of frames
  std::optional<double> colour_error;   // degrees of hue beyond what its word allows
  std::optional<double> hue_drift;      // degrees from the first window's
  std::optional<double> size_drift;     // |ln(radius / the first window's)|
  std::optional<double> pattern_error;  // 1 - correlation of its surface with the first window's
  // Mean over all frames of the three drifts, each as a fraction of what makes it another object (30 degrees, a size
  // factor of 1.5, no correlation) and at most 1. A frame without the object counts 1, and so do all frames if the
  // first window does not show it.
  double identity_error = 1;
  double motion = 0;  // path length per frame against the captioned speed; a frame
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
                                // window's; 1 if there are none
  double rerender_error = 0;    // root mean square error of frames painted from the
                                // first window's background and objects
  double motion_energy = 0;     // mean squared frame difference against that of
                                // true clips with this caption
  double sharpness = 0;         // mean |Laplacian| against that of true clips with this caption
};

// The mean over objects.
double identity_error(const SegmentScore& score);

struct WorldScore {
  SegmentScore whole;
  std::vector<SegmentScore> segments;
};

// `video` is [F, 3, H, W] in [0, 1], of the preset's size. The caption must name as many objects as the preset has.
WorldScore measure(const at::Tensor& video, const WorldCaption& caption, const WorldPreset& preset,
                   const MeasureOptions& options = {});

// Measures chosen spans of a video that may be incomplete; its first `window_frames` frames are the first window.
std::vector<SegmentScore> measure_spans(const at::Tensor& video, const WorldCaption& caption, const WorldPreset& preset,
                                        int64_t window_frames, const std::vector<FrameSpan>& spans);

// One frame, by itself.
struct FrameScore {
  bool valid = false;
  std::vector<bool> present;  // by object of the caption
};
std::vector<FrameScore> measure_frames(const at::Tensor& video, const WorldCaption& caption, const WorldPreset& preset);

// The mean of scores with the same caption, or with captions of equally many objects; empty errors are skipped.
SegmentScore mean_score(const std::vector<SegmentScore>& scores);

// The mean of the same scores for true clips with this caption: the best possible values.
SegmentScore score_of_truth(const WorldCaption& caption, const WorldPreset& preset, int64_t frames, int64_t clips,
                            const MeasureOptions& options = {});

}  // namespace sgf

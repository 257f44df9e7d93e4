// What the first window of a video shows, kept as pictures: the identity that
// later frames are held against.
#pragma once

#include "sgf/world/scene.h"
#include "sgf/world/vision.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sgf {

// A frame and what was found in it.
struct SeenFrame {
  FrameView picture;
  FrameFactors factors;
};

// How an object looks: pixels around its centre, averaged over the frames that
// show it.
struct ObjectLook {
  int64_t frames = 0;  // how many frames it was averaged over; 0 = the caption's
                       // idea of it, for want of any
  double radius = 0;
  double hue = 0;
  int64_t reach = 0;       // the patch goes this many pixels to each side
  std::vector<Rgb> patch;  // [2 * reach + 1, 2 * reach + 1]

  Rgb at(Point from_centre) const;  // bilinear
};

// The background without objects: the mean of what was uncovered, less the
// fitted gradient, which leaves landmarks.
struct BackgroundLook {
  BackgroundFit fit;          // mean over frames
  std::vector<Rgb> marks;     // [size, size], difference from the fit
  std::vector<int64_t> seen;  // [size, size], in how many frames a pixel was uncovered

  Rgb at(int64_t y, int64_t x, int64_t size) const;
};

ObjectLook look_of_object(std::span<const SeenFrame> frames, size_t object, const WorldPreset& preset,
                          const ObjectWords& words);
BackgroundLook look_of_background(std::span<const SeenFrame> frames, int64_t size);

// Correlation of the surface in this frame with the kept one over the inside of
// the shape, in [-1, 1]; 0 where either is without a pattern.
double pattern_match(const ObjectLook& look, const FrameView& frame, const FoundObject& found, ShapeWord shape);

// Correlation of two backgrounds' landmarks over the pixels that both saw, in
// [-1, 1]; 0 where either has none.
double landmark_match(const BackgroundLook& a, const BackgroundLook& b);

// Mean squared distance of a frame from the kept background with the kept
// objects painted where they are now. An object that is not there costs as much
// as one painted over: absence is never the cheaper error.
double repaint_error(const SeenFrame& frame, const BackgroundLook& background, const std::vector<ObjectLook>& looks,
                     const WorldCaption& caption);

}  // namespace sgf

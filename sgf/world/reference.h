// What the first window of a video shows, stored as images: the identity that later frames are compared with.
#pragma once

#include "sgf/world/scene.h"
#include "sgf/world/vision.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sgf {

// A frame and the objects found in it.
struct SeenFrame {
  FrameView picture;
  FrameFactors factors;
};

// How an object looks: the pixels around its centre, averaged over the frames that show it.
struct ObjectLook {
  int64_t frames = 0;  // how many frames were averaged; 0: derived
                       // from the caption because no frame shows the object
  double radius = 0;
  double hue = 0;
  int64_t reach = 0;       // the patch extends this many pixels to each side
  std::vector<Rgb> patch;  // [2 * reach + 1, 2 * reach + 1]

  Rgb at(Point from_centre) const;  // bilinear
};

// The background without objects: the mean of uncovered pixels minus the fitted gradient, which leaves the landmarks.
struct BackgroundLook {
  BackgroundFit fit;          // mean over frames
  std::vector<Rgb> marks;     // [size, size], difference from the fit
  std::vector<int64_t> seen;  // [size, size], number of frames in which a pixel was uncovered

  Rgb at(int64_t y, int64_t x, int64_t size) const;
};

ObjectLook look_of_object(std::span<const SeenFrame> frames, size_t object, const WorldPreset& preset,
                          const ObjectWords& words);
BackgroundLook look_of_background(std::span<const SeenFrame> frames, int64_t size);

// Correlation of the surface in this frame with the stored one over the inside of the shape, in [-1, 1]; 0 if either
// has no pattern.
double pattern_match(const ObjectLook& look, const FrameView& frame, const FoundObject& found, ShapeWord shape);

// Correlation of two backgrounds' landmarks over the pixels seen in both, in [-1, 1]; 0 if either has none.
double landmark_match(const BackgroundLook& a, const BackgroundLook& b);

// Mean squared distance of a frame from the stored background with the stored objects painted at their current places.
// An absent object costs as much as one painted over, so absence is never the cheaper error.
double repaint_error(const SeenFrame& frame, const BackgroundLook& background, const std::vector<ObjectLook>& looks,
                     const WorldCaption& caption);

}  // namespace sgf

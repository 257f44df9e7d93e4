// The outlines of the world's shapes, written once for numbers and tensors: the renderer draws with them and the
// measurement matches with them.
#pragma once

#include "sgf/world/words.h"

#include <algorithm>
#include <cmath>

namespace sgf {

constexpr double kLaneMargin = 1.0;  // pixels between an object and the edge of
                                     // its lane: soft edges never meet

struct Point {
  double x = 0;
  double y = 0;
};

// For tensors, argument-dependent lookup finds torch's functions.
namespace shape_math {
inline double abs(double a) { return std::fabs(a); }
inline double hypot(double a, double b) { return std::hypot(a, b); }
inline double maximum(double a, double b) { return std::max(a, b); }
}  // namespace shape_math

// Every shape of radius R has the area of a disc of radius R. Sides are given
// for R = 1.
constexpr double kSquareHalf = 0.886226925452758;      // sqrt(pi) / 2
constexpr double kTriangleSide = 2.693547374692442;    // 2 sqrt(pi / sqrt 3)
constexpr double kTriangleHeight = 2.332680452206574;  // side * sqrt(3) / 2

// Half width and half height of the box around a shape; its centre is the centre of the shape.
inline Point half_extent(ShapeWord shape, double radius) {
  switch (shape) {
    case ShapeWord::kDisc:
      return {radius, radius};
    case ShapeWord::kSquare:
      return {kSquareHalf * radius, kSquareHalf * radius};
    case ShapeWord::kTriangle:
      return {kTriangleSide / 2 * radius, kTriangleHeight / 2 * radius};
  }
  return {};
}

// How far the centre of mass is below the centre of the box, for R = 1.
inline double mass_offset(ShapeWord shape) { return shape == ShapeWord::kTriangle ? kTriangleHeight / 6 : 0.0; }

// Distance in pixels from the outline for a point (x, y) from the centre, y down; negative inside. T is double or
// at::Tensor.
template <class T>
T disc_distance(const T& x, const T& y, const T& radius) {
  using namespace shape_math;
  return hypot(x, y) - radius;
}

template <class T>
T square_distance(const T& x, const T& y, const T& radius) {
  using namespace shape_math;
  return maximum(abs(x), abs(y)) - radius * kSquareHalf;
}

// Pointing up: the base, and two sides whose normals lie 30 degrees above the
// horizontal.
template <class T>
T triangle_distance(const T& x, const T& y, const T& radius) {
  using namespace shape_math;
  const T base = y - radius * (kTriangleHeight / 2);
  const T side = (abs(x) * 0.866025403784439 - (y + radius * (kTriangleHeight / 2)) * 0.5);
  return maximum(base, side);
}

template <class T>
T shape_distance(ShapeWord shape, const T& x, const T& y, const T& radius) {
  switch (shape) {
    case ShapeWord::kDisc:
      return disc_distance(x, y, radius);
    case ShapeWord::kSquare:
      return square_distance(x, y, radius);
    case ShapeWord::kTriangle:
      break;
  }
  return triangle_distance(x, y, radius);
}

// How much of a pixel a shape covers: 1 inside, 0 outside, soft over the pixel that its outline crosses.
inline double shape_coverage(ShapeWord shape, Point from_centre, double radius) {
  return std::clamp(0.5 - shape_distance(shape, from_centre.x, from_centre.y, radius), 0.0, 1.0);
}

}  // namespace sgf

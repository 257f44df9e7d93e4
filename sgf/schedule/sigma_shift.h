// The shift that spends more steps at high sigma. Torch-free.
#pragma once

namespace sgf {

// s*b / (1 + (s-1)*b): maps [0, 1] to itself, ends fixed. The paper uses s = 5.
constexpr double shift_sigma(double base, double shift) { return shift * base / (1.0 + (shift - 1.0) * base); }
constexpr double unshift_sigma(double sigma, double shift) { return sigma / (shift - (shift - 1.0) * sigma); }

}  // namespace sgf

// What the interval of a difference says. Torch-free.
#pragma once

#include "lab/study/bootstrap.h"
#include "sgf/core/enum_names.h"

#include <array>

namespace sgf {

enum class Verdict { kBetter, kWorse, kNoDifference };

constexpr auto enum_names(Verdict) {
  return std::array{EnumName{Verdict::kBetter, "better"}, EnumName{Verdict::kWorse, "worse"},
                    EnumName{Verdict::kNoDifference, "no difference seen"}};
}

// Of A, from the interval of A - B: a difference is one that the interval sets apart from 0, and whose mean is not
// smaller than `least`.
Verdict verdict_of(const Interval& difference, Better better, double least = 0);

// Of questions that are asked together those that are answered still, by their p (Holm): the smallest p is held against
// level / n, the next one against level / (n - 1), until one fails.
std::vector<bool> answered_together(const std::vector<double>& p, double level);

}  // namespace sgf

// Removes text metadata from a video: our files name their weights, which a rater must not see. Torch-free.
#pragma once

#include <string>

namespace sgf {

// Replaces the boxes of an mp4 or mov file that hold text (udta, meta, uuid) by zeroed free space of the same size, so
// that offsets and frames do not change. Other files are unchanged.
void forget_words(std::string& file);

}  // namespace sgf

// A video without the words in it: our files note the weights that made them, and a rater must not find that.
// Torch-free.
#pragma once

#include <string>

namespace sgf {

// Boxes of an mp4 or mov file that hold words (udta, meta, uuid) become free space of the same size, all zeros, so that
// no offset changes and the pictures stay as they are. Other kinds of files are left as they are.
void forget_words(std::string& file);

}  // namespace sgf

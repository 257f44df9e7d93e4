// Public files of the family that describe another method or another network: each is refused with the reason and the
// nearest thing that works.
#pragma once

#include "sgf/config/flat_reader.h"

namespace sgf {

// A file whose training alone is of another method keeps its window and steps: see FlatReader::refuse_training.
void refuse_other_methods(FlatReader& file);

// LongLive 2.0 has sections, some with our names.
void refuse_sections_of_longlive(const ConfigNode& tree);

}  // namespace sgf

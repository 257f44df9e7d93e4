// Noise schedule, scores, precision and optimisers, from a flat file.
#pragma once

#include "sgf/config/flat_reader.h"

namespace sgf {

void take_numerics(FlatReader& file);

}  // namespace sgf

// Size of the video and the history that a block sees, from a flat file.
#pragma once

#include "sgf/config/flat_reader.h"

namespace sgf {

// Whether the file is of the paper's release: it names its gradient, its cache or its exit steps. There
// `local_attn_size` leaves the sink out; in Self-Forcing, LongLive and FastVideo it counts the sink.
bool is_self_gradient_forcing(const FlatReader& file);

void take_sizes(FlatReader& file);

// Uses what take_sizes has checked.
void take_window(FlatReader& file);

}  // namespace sgf

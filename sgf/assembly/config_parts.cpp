#include "sgf/assembly/config_parts.h"

namespace sgf {

BlockLayout layout_of(const Config& c) { return c.context.layout(c.video.frames); }

std::vector<int64_t> latent_shape(const Config& c) { return {c.model.in_dim, c.video.height, c.video.width}; }

}  // namespace sgf

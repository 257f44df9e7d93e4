#include "sgf/vbench/picture_batch.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace sgf {

at::Tensor next_pictures(FrameSource& source, int64_t most) {
  const at::Tensor pictures = at::empty({most, source.height(), source.width(), 3}, at::kByte);
  int64_t count = 0;
  while (count < most) {
    const std::optional<RgbImage> picture = source.next();
    if (!picture) break;
    std::ranges::copy(picture->pixels, pictures[count++].data_ptr<uint8_t>());
  }
  return pictures.narrow(0, 0, count);
}

}  // namespace sgf

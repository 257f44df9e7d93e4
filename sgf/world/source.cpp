#include "sgf/world/source.h"

#include "sgf/world/caption.h"
#include "sgf/world/render.h"

namespace sgf {

ClipBatch WorldSource::clips(int64_t first, int64_t count, int64_t frames, c10::Device device) const {
  std::vector<ClipSpan> spans;
  ClipBatch batch;
  for (int64_t clip = first; clip < first + count; ++clip) {
    spans.push_back({draw_scene(preset_, seed_, clip), {0, frames}});
    batch.captions.push_back(caption_text(spans.back().scene.caption()));
  }
  batch.latents = codec_.encode(render(preset_, spans, device));
  return batch;
}

std::vector<std::string> WorldSource::prompts(int64_t first, int64_t count) const {
  std::vector<std::string> captions;
  for (int64_t clip = first; clip < first + count; ++clip)
    captions.push_back(caption_text(draw_caption(preset_, seed_, clip)));
  return captions;
}

}  // namespace sgf

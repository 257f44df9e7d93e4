#include "sgf/core/error.h"
#include "sgf/training/distributed/rank_groups.h"

namespace sgf {

bool has_gloo() { return false; }

void require_gloo(const RankPlace& place) {
  fail("{} ranks need Gloo, but this build has no Gloo: install libgloo-dev and rebuild", place.size);
}

RankGroup make_gloo_group(const RankPlace& place, const RankStore&, std::chrono::milliseconds) {
  require_gloo(place);
  return {};
}

}  // namespace sgf

#include "sgf/training/distributed/rank_settings.h"

#include "sgf/core/error.h"

namespace sgf {

void RankSettings::validate() const {
  SGF_CHECK(beat.count() > 0 && start > beat,
            "the heartbeat interval must be positive and shorter than the start limit, got {} ms and {} ms",
            beat.count(), start.count());
  SGF_CHECK(silence >= 3 * beat, "the silence limit must be at least 3 heartbeats, got {} ms with a heartbeat of {} ms",
            silence.count(), beat.count());
  SGF_CHECK(patience >= silence, "patience ({} ms) must not be shorter than silence ({} ms)", patience.count(),
            silence.count());
  SGF_CHECK(bucket_bytes > 0, "bucket_bytes must be at least 1, got {}", bucket_bytes);
}

}  // namespace sgf

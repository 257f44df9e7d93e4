#include "sgf/training/distributed/rank_settings.h"

#include "sgf/core/error.h"

namespace sgf {

void RankSettings::validate() const {
  check(beat.count() > 0 && start > beat, "training", "ranks beat every {} ms and wait {} ms for all to come",
        beat.count(), start.count());
  check(silence >= 3 * beat, "training",
        "a rank is lost after {} ms of silence, which must be 3 beats of {} ms or more: one late beat is no death",
        silence.count(), beat.count());
  check(patience >= silence, "training", "patience ({} ms) must not be shorter than silence ({} ms)", patience.count(),
        silence.count());
  check(bucket_bytes > 0, "training", "a bucket holds 1 byte or more, got {}", bucket_bytes);
}

}  // namespace sgf

#include "sgf/training/distributed/rank_settings.h"

#include "sgf/core/error.h"

namespace sgf {

void RankSettings::validate() const {
  SGF_CHECK(beat.count() > 0 && start > beat, "ranks beat every {} ms and wait {} ms for all to come", beat.count(),
            start.count());
  SGF_CHECK(silence >= 3 * beat,
            "a rank is lost after {} ms of silence, which must be 3 beats of {} ms or more: one late beat is no death",
            silence.count(), beat.count());
  SGF_CHECK(patience >= silence, "patience ({} ms) must not be shorter than silence ({} ms)", patience.count(),
            silence.count());
  SGF_CHECK(bucket_bytes > 0, "a bucket holds 1 byte or more, got {}", bucket_bytes);
}

}  // namespace sgf

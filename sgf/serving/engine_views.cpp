// What clients may see of the engine's streams.
#include "sgf/serving/live_order.h"
#include "sgf/serving/stream_engine.h"

#include <algorithm>

namespace sgf {

int64_t StreamEngine::last_allowed(const LiveStream& s) const {
  int64_t last = s.record.limit_blocks.value_or(INT64_MAX);
  if (s.record.is_live && s.record.ahead > 0)
    last = std::min(last, block_at_seconds(s.record.order.config, s.played) + 1 + s.record.ahead);
  for (const auto& other : streams_)  // a pair is streamed in step
    if (!s.record.pair.empty() && other->record.id == s.record.pair && !other->is_over())
      last = std::min(last, other->made() + 1);
  return last;
}

StreamStatus StreamEngine::status_of(const LiveStream& s) const {
  if (!s.error.empty()) return StreamStatus::kFailed;
  if (s.is_saved) return StreamStatus::kSaved;
  if (s.is_stopped) return s.on_way == 0 ? StreamStatus::kStopped : StreamStatus::kRunning;
  if (s.has_its_length()) return StreamStatus::kCompleted;
  if (s.is_paused) return StreamStatus::kPaused;
  if (!s.session && s.on_way == 0) return StreamStatus::kQueued;
  return s.on_way == 0 && s.next_block() >= last_allowed(s) ? StreamStatus::kWaiting : StreamStatus::kRunning;
}

StreamView StreamEngine::view_of(const LiveStream& s) const {
  StreamView view{.record = s.record,
                  .status = status_of(s),
                  .is_paused = s.is_paused,
                  .can_resume = s.model != nullptr,
                  .error = s.error,
                  .mime = s.mime,
                  .made = s.made(),
                  .begun = s.begun,
                  .saved_blocks = s.saved_blocks,
                  .played = s.played,
                  .rates = s.rates};
  view.cache_bytes = s.session ? s.session->latents().cache_bytes() : 0;
  view.snapshot_bytes = snapshots_.bytes_of(s.record.id);
  view.disk_bytes = s.disk_bytes();
  if (s.model != nullptr) view.device = s.model->parts.device.str();
  if (view.status == StreamStatus::kQueued)
    for (const auto& other : streams_) {
      ++view.queue_place;
      if (other.get() == &s) break;
      if (status_of(*other) != StreamStatus::kQueued) --view.queue_place;
    }
  return view;
}

StreamView StreamEngine::view(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return view_of(find(id));
}

std::vector<StreamView> StreamEngine::views() const {
  const std::lock_guard lock(mutex_);
  std::vector<StreamView> all;
  for (auto stream = streams_.rbegin(); stream != streams_.rend(); ++stream)
    if (!(*stream)->is_deleted) all.push_back(view_of(**stream));
  return all;
}

StreamFile StreamEngine::file(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const LiveStream& s = find(id);
  return {.path = folder_.media_of(id),
          .index = s.media,
          .order = s.record.order,
          .is_live = s.record.is_live,
          .is_over = s.is_over() && s.on_way == 0};
}

MediaEnd StreamEngine::media_end(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const LiveStream& s = find(id);
  return {.head_bytes = s.media.head_bytes,
          .bytes = s.media.blocks == 0 ? s.media.head_bytes : s.media.begin_of(s.media.blocks),
          .is_over = s.is_over() && s.on_way == 0};
}

StreamEngine::Totals StreamEngine::totals() const {
  const std::lock_guard lock(mutex_);
  Totals totals = totals_;
  totals.snapshot_bytes = snapshots_.bytes();
  totals.disk_bytes = disk_bytes();
  for (const auto& s : streams_) {
    const StreamStatus status = status_of(*s);
    totals.running += status == StreamStatus::kRunning || status == StreamStatus::kWaiting ? 1 : 0;
    totals.queued += status == StreamStatus::kQueued ? 1 : 0;
    totals.loaded += s->session ? 1 : 0;
  }
  return totals;
}

}  // namespace sgf

// The engine's thread: whose turn it is, and what happens in it.
#include "sgf/serving/live_order.h"
#include "sgf/serving/stream_engine.h"
#include "sgf/streaming/block_pipeline.h"
#include "sgf/streaming/given_frames.h"
#include "sgf/streaming/stream_file.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace sgf {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);  // between two looks at streams that nobody watches

double slowest(const BlockTimes& times) { return std::max({times.denoise, times.decode, times.deliver}); }

// The frame rate that recent blocks allow, smoothed.
void add_rate(BlockRates& rates, const BlockTimes& times) {
  rates.last = times;
  const double fps = slowest(times) > 0 ? 1000.0 * static_cast<double>(times.pictures) / slowest(times) : 0;
  rates.made_fps = rates.made_fps == 0 ? fps : 0.7 * rates.made_fps + 0.3 * fps;
}

std::string words_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown error";
  }
}

}  // namespace

bool StreamEngine::may_make(const LiveStream& s) const {
  return !s.is_over() && !s.is_paused && s.model != nullptr && s.begun < last_allowed(s);
}

// A stream that is over, or one that holds memory while it has nothing to do and another one waits for a place.
LiveStream* StreamEngine::to_unload() const {
  LiveStream* idle = nullptr;
  int64_t loaded = 0;
  bool is_wanted = false;
  for (const auto& s : streams_) {
    if (!s->session) {
      is_wanted = is_wanted || may_make(*s);
      continue;
    }
    if (s->is_over()) return s.get();
    ++loaded;
    if (!may_make(*s) && s->on_way == 0 && (idle == nullptr || s->last_turn < idle->last_turn)) idle = s.get();
  }
  return is_wanted && loaded >= settings_.loaded_streams ? idle : nullptr;
}

// The stream whose last turn is longest ago.
LiveStream* StreamEngine::next_due() const {
  const auto loaded = std::ranges::count_if(streams_, [](const auto& s) { return s->session != nullptr; });
  LiveStream* due = nullptr;
  for (const auto& s : streams_) {
    if (!may_make(*s) || (!s->session && loaded >= settings_.loaded_streams)) continue;
    if (due == nullptr || s->last_turn < due->last_turn) due = s.get();
  }
  return due;
}

void StreamEngine::stop_unwatched() {
  const ServeClock::time_point now = ServeClock::now();
  for (const auto& s : streams_)
    if (s->record.is_live && s->record.ahead > 0 && !s->is_over() && now - s->last_seen > settings_.idle)
      s->is_stopped = true;
}

void StreamEngine::remove_deleted() {
  std::erase_if(streams_, [&](const auto& s) {
    const bool goes = s->is_deleted && !s->session && s->on_way == 0;
    if (goes) folder_.remove(s->record.id), snapshots_.forget(s->record.id);
    return goes;
  });
}

void StreamEngine::run() {
  at::set_num_threads(static_cast<int>(std::max<int64_t>(models_.front().defaults.threads, 1)));
  const at::NoGradGuard no_grad;
  BlockPipeline pipeline(models_.front().parts.device);
  Lock lock(mutex_);
  while (!is_stopping_) {
    stop_unwatched();
    remove_deleted();
    if (LiveStream* over = to_unload()) {
      unload(lock, *over);
    } else if (LiveStream* due = next_due()) {
      due->session ? make_block(lock, *due, pipeline) : load(lock, *due);
    } else {
      changed_.wait_for(lock, kPatience);
    }
  }
  for (const auto& s : streams_)
    if (s->session) unload(lock, *s);
}

// The latest state at or before `most` blocks: in memory, or of the file of this stream.
KeptState StreamEngine::state_for(const GenerateOrder& order, const std::string& id, int64_t most) {
  KeptState kept = snapshots_.last_before(id, most);
  const std::filesystem::path file = folder_.state_of(id);
  if (kept.blocks == most || !std::filesystem::exists(file)) return kept;
  try {
    SavedStream saved = load_stream(file);
    const int64_t pictures = saved.note.pictures.pictures;
    int64_t blocks = 0;
    while (pictures_for(blocks, order.config) < pictures) ++blocks;
    const bool fits = blocks > kept.blocks && blocks <= most &&
                      differences(order_of_blocks(saved.note.order, blocks), order_of_blocks(order, blocks)).empty();
    if (fits) return {blocks, std::make_shared<const StreamSnapshot>(std::move(saved.snapshot))};
  } catch (const Error& error) {  // what it would have saved is recomputed
    if (settings_.log) settings_.log(fmt::format("{}; recomputing the stream without it", error.what()));
  }
  return kept;
}

// Gives a stream its network state, at or before its last block on disk. It makes the blocks between again.
void StreamEngine::load(Lock& lock, LiveStream& stream) {
  const StreamRecord record = stream.record;
  const MediaIndex media = stream.media;
  stream.on_way = 1;  // nobody else touches it
  lock.unlock();
  std::unique_ptr<StreamSession> session;
  std::unique_ptr<StreamMedia> writer;
  std::string error, mime;
  int64_t begun = 0;
  try {
    KeptState state = state_for(record.order, record.id, media.blocks);
    if (!record.parent.empty()) {
      const KeptState of_parent = state_for(record.order, record.parent, std::min(record.branch_block, media.blocks));
      if (of_parent.blocks > state.blocks) state = of_parent;
    }
    const StreamParts& parts = stream.model->parts;
    session = std::make_unique<StreamSession>(*parts.dit, *parts.codec, stream_settings(record.order),
                                              stream.model->encode(record.order), given_of(record.order, parts));
    if (state.snapshot) {
      session->latents().restore(state.snapshot->latents);
      session->decoder().restore(state.snapshot->decoder);
    }
    begun = session->latents().blocks();
    writer = std::make_unique<StreamMedia>(folder_.media_of(record.id), record.order, media);
    if (serves_mp4()) mime = media_type_of(folder_.media_of(record.id));
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  lock.lock();
  stream.on_way = 0;
  if (!error.empty()) return fail_stream(stream, error);
  stream.session = std::move(session);
  stream.writer = std::move(writer);
  stream.media = stream.writer->index();
  stream.mime = mime;
  stream.begun = begun;
  stream.timeline_changed = stream.record.order.prompts != record.order.prompts;
  tell(record.id);
}

// Waits for its blocks on their way, keeps its state, and frees its memory.
void StreamEngine::unload(Lock& lock, LiveStream& stream) {
  changed_.wait(lock, [&] { return stream.on_way == 0; });
  const bool keeps = !stream.is_deleted && stream.error.empty() && stream.begun > 0;
  const int64_t blocks = stream.begun;
  lock.unlock();
  try {
    if (keeps)
      keep_state(stream, blocks, std::make_shared<const StreamSnapshot>(snapshot_of(*stream.session)),
                 /*saves=*/blocks >= stream.made());
  } catch (const std::exception& error) {  // nothing is lost: the state can be recomputed
    if (settings_.log) settings_.log(fmt::format("{}: its state was not saved: {}", stream.record.id, error.what()));
  }
  stream.session.reset();
  stream.writer.reset();
  lock.lock();
  stream.begun = 0;
  if (!stream.is_deleted) save_record(stream);
  tell(stream.record.id);
}

void StreamEngine::make_block(Lock& lock, LiveStream& stream, BlockPipeline& pipeline) {
  if (disk_bytes() >= settings_.disk_bytes)
    return fail_stream(stream,
                       fmt::format("videos and states have reached {} bytes, the limit of --disk; delete streams, "
                                   "then resume this one",
                                   settings_.disk_bytes));
  const int64_t block = stream.begun++;
  ++stream.on_way;
  stream.last_turn = ++turns_;
  const bool is_changed = std::exchange(stream.timeline_changed, false);
  const GenerateOrder order = is_changed ? stream.record.order : GenerateOrder();
  lock.unlock();
  BlockTurn turn = turn_of(stream, block);
  try {
    if (is_changed) stream.session->latents().change_timeline(stream.model->encode(order));
    pipeline.denoise(std::move(turn));
  } catch (...) {
    end_turn(stream, std::current_exception());
  }
  lock.lock();
}

BlockTurn StreamEngine::turn_of(LiveStream& stream, int64_t block) {
  BlockTurn turn{.latents = &stream.session->latents(), .decoder = &stream.session->decoder()};
  turn.wants_snapshot = [this, block] { return (block + 1) % settings_.snapshot_every == 0; };
  turn.deliver = [this, &stream](const DeliveredBlock& delivered) { deliver(stream, delivered); };
  turn.failed = [this, &stream](std::exception_ptr failure) { end_turn(stream, failure); };
  turn.timed = [this, &stream](const BlockTimes& times) {
    {
      const std::lock_guard guard(mutex_);
      add_rate(stream.rates, times);
    }
    end_turn(stream, nullptr);
  };
  return turn;
}

// A block has left the pipeline.
void StreamEngine::end_turn(LiveStream& stream, std::exception_ptr failure) {
  const std::string what = failure ? words_of(failure) : "";
  const std::string id = stream.record.id;
  {
    const std::lock_guard guard(mutex_);
    if (failure) fail_stream(stream, what);
    --stream.on_way;  // from here on the engine may unload the stream
  }
  changed_.notify_all();
  tell(id);
}

// In the thread that delivers.
void StreamEngine::deliver(LiveStream& stream, const DeliveredBlock& block) {
  int64_t made = 0;
  {
    const std::lock_guard guard(mutex_);
    if (!stream.error.empty() || stream.is_deleted) return;
    made = stream.made();
  }
  if (block.index >= made) stream.writer->add(block.pictures);
  if (block.snapshot)
    keep_state(stream, block.index + 1, std::make_shared<const StreamSnapshot>(*block.snapshot),
               block.index >= made && (block.index + 1) % settings_.save_every == 0);
  const std::lock_guard guard(mutex_);
  if (block.index < made) return;
  stream.writer->add_last_to(stream.media);
  ++totals_.blocks;
  totals_.pictures += block.pictures.size(0);
}

void StreamEngine::keep_state(LiveStream& stream, int64_t blocks, const SharedSnapshot& snapshot, bool saves) {
  snapshots_.keep(stream.record.id, blocks, snapshot);
  if (!saves) return;
  StreamRecord record;
  {
    const std::lock_guard guard(mutex_);
    record = stream.record;
  }
  save_stream(folder_.state_of(record.id),
              {.note = {.order = order_of_blocks(record.order, blocks), .pictures = stream.writer->place()},
               .snapshot = *snapshot});
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(folder_.state_of(record.id)));
  const std::lock_guard guard(mutex_);
  stream.saved_blocks = blocks;
  stream.state_bytes = bytes;
  save_record(stream);
}

// Holds the lock.
void StreamEngine::fail_stream(LiveStream& stream, const std::string& what) {
  if (stream.error.empty()) ++totals_.failures;
  stream.error = what;
  if (settings_.log) settings_.log(fmt::format("{} failed: {}", stream.record.id, what));
  tell(stream.record.id);
}

}  // namespace sgf

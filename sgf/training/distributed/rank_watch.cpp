#include "sgf/training/distributed/rank_watch.h"

#include "sgf/training/distributed/heard_ranks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace sgf {

using Clock = std::chrono::steady_clock;

struct WatchState {
  // Set once.
  RankPlace place;
  RankSettings settings;
  RankStore store;
  std::string store_name;
  std::vector<std::string> names;
  std::vector<std::string> keys;

  // Under the mutex.
  mutable std::mutex mutex;
  std::condition_variable wake;
  HeardRanks heard;
  SignOfLife own;
  std::string message;  // with which this rank wants to end the run
  std::string ending;   // with which the run has ended
  Clock::time_point last_round, ended_at, leaving_since;
  bool is_noticed = false;  // this rank's work knows of the end
  bool is_store_gone = false;
  bool is_leaving = false;
  bool is_woken = false;
  bool is_done = false;  // the thread has finished

  WatchState(const RankPlace& where, const RankMeeting& meeting, const RankSettings& how)
      : place(where),
        settings(how),
        store(meeting.watch_store),
        store_name(meeting.store_name),
        names(meeting.names),
        heard(where.size, Clock::now()),
        last_round(Clock::now()) {
    for (int64_t rank = 0; rank < place.size; ++rank) keys.push_back(sign_key(rank));
  }
};

namespace {

constexpr std::chrono::milliseconds kLeavingBeat{50};
const char* const kGoneKey = "gone";

double seconds_of(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

void set_ending(WatchState& state, const std::string& ending) {
  if (!state.ending.empty()) return;
  state.ending = ending;
  state.ended_at = Clock::now();
}

// The reason to report: this rank's own one first, then a silent rank.
std::string message_to_tell(const WatchState& state) {
  const std::lock_guard lock(state.mutex);
  if (!state.message.empty()) return state.message;
  const auto silent = state.heard.silent_for(state.settings.silence, Clock::now());
  if (!silent) return "";
  return fmt::format("{} has sent no heartbeat for {:.0f} s", state.names[static_cast<size_t>(silent->rank)],
                     seconds_of(silent->since));
}

std::string next_sign(WatchState& state) {
  const std::lock_guard lock(state.mutex);
  ++state.own.beat;
  state.own.has_left = state.is_leaving && state.message.empty();
  return write_sign(state.own);
}

// Writes this rank's heartbeat to the store and reads the others'.
void exchange_signs(WatchState& state) {
  state.store->set(sign_key(state.place.rank), next_sign(state));
  const std::vector<std::vector<uint8_t>> signs = state.store->multiGet(state.keys);
  const std::lock_guard lock(state.mutex);
  for (size_t i = 0; i < signs.size(); ++i)
    state.heard.note(static_cast<int64_t>(i), read_sign({signs[i].begin(), signs[i].end()}), Clock::now());
  state.last_round = Clock::now();
}

// The first message in the store ends the run for all ranks.
void exchange_ending(WatchState& state) {
  const std::string message = message_to_tell(state);
  std::string ending;
  if (!message.empty())
    ending = state.store->compareSet(kEndingKey, "", message);
  else if (state.store->check({kEndingKey}))
    ending = state.store->get_to_str(kEndingKey);
  if (ending.empty()) return;
  state.store->add(kEndingSeenKey, 1);
  const std::lock_guard lock(state.mutex);
  set_ending(state, ending);
}

void do_round(WatchState& state) {
  try {
    exchange_signs(state);
    exchange_ending(state);
  } catch (const std::exception& error) {
    const std::lock_guard lock(state.mutex);
    state.is_store_gone = true;
    set_ending(state, fmt::format("{}, is gone ({})", state.store_name, error.what()));
  }
}

bool has_ended(const WatchState& state) {
  const std::lock_guard lock(state.mutex);
  return !state.ending.empty();
}

void call_on_end(WatchState& state) {
  std::unique_lock lock(state.mutex);
  if (state.ending.empty() || state.is_noticed || Clock::now() - state.ended_at < state.settings.grace) return;
  state.is_noticed = true;
  lock.unlock();
  if (state.settings.on_end) state.settings.on_end(state.ending);
}

// All ranks have left. The process of the store stays until the others have reported that they no longer use it, or for
// three heartbeats.
bool may_leave_in_peace(WatchState& state) {
  try {
    if (!state.place.hosts_store()) return state.store->add(kGoneKey, 1) > 0;
    return state.store->add(kGoneKey, 0) >= state.place.size - 1 ||
           Clock::now() - state.leaving_since > 3 * state.settings.beat;
  } catch (const std::exception&) {
    return true;  // the store is gone, so nobody uses it
  }
}

// The process of the store stays until the others have read why the run ended, or for three heartbeats. A rank with
// another WORLD_SIZE may have joined too.
bool have_all_read(WatchState& state) {
  if (state.is_store_gone || !state.place.hosts_store()) return true;
  if (Clock::now() - state.ended_at > 3 * state.settings.beat) return true;
  try {
    return state.store->add(kEndingSeenKey, 0) >= std::max(state.place.size, state.store->add(kArrivedKey, 0));
  } catch (const std::exception&) {
    return true;  // the store is gone, so nobody uses it
  }
}

bool may_leave(WatchState& state) {
  const std::lock_guard lock(state.mutex);
  if (!state.is_leaving) return false;
  if (!state.ending.empty()) return have_all_read(state);
  if (Clock::now() - state.leaving_since > state.settings.silence) return true;
  return state.heard.have_all_left() && may_leave_in_peace(state);
}

void pause(WatchState& state) {
  std::unique_lock lock(state.mutex);
  state.wake.wait_for(lock, state.is_leaving ? kLeavingBeat : state.settings.beat, [&] { return state.is_woken; });
  state.is_woken = false;
}

void watch_until_left(WatchState& state) {
  while (true) {
    if (!has_ended(state)) do_round(state);
    call_on_end(state);
    if (may_leave(state)) break;
    pause(state);
  }
}

// The body of the thread. An exception would end the process without a message, so it ends the run instead.
void watch(WatchState& state) {
  std::string error;
  try {
    watch_until_left(state);
  } catch (const std::exception& caught) {
    error = fmt::format("watching the other ranks failed: {}", caught.what());
  }
  const std::lock_guard lock(state.mutex);
  if (!error.empty()) set_ending(state, error);
  state.is_done = true;
  state.wake.notify_all();
}

}  // namespace

RankWatch::RankWatch(const RankPlace& place, const RankMeeting& meeting, const RankSettings& settings)
    : state_(std::make_shared<WatchState>(place, meeting, settings)), thread_([state = state_] { watch(*state); }) {}

RankWatch::~RankWatch() {
  std::unique_lock lock(state_->mutex);
  state_->is_leaving = state_->is_woken = state_->is_noticed = true;
  state_->leaving_since = Clock::now();
  state_->wake.notify_all();
  const auto longest = state_->settings.silence + 4 * state_->settings.beat;
  const bool is_done = state_->wake.wait_for(lock, longest, [&] { return state_->is_done; });
  lock.unlock();
  if (is_done)
    thread_.join();
  else
    thread_.detach();
}

void RankWatch::begin_collective() {
  const std::lock_guard lock(state_->mutex);
  ++state_->own.collectives;
}

std::string RankWatch::ending() {
  const std::lock_guard lock(state_->mutex);
  const Clock::duration unanswered = Clock::now() - state_->last_round;
  if (unanswered > state_->settings.silence + state_->settings.beat)
    set_ending(*state_, fmt::format("{}, has not answered for {:.0f} s", state_->store_name, seconds_of(unanswered)));
  else if (const auto left = state_->heard.left_before(state_->own.collectives))
    set_ending(*state_, fmt::format("{} has left the run", state_->names[static_cast<size_t>(*left)]));
  state_->is_noticed |= !state_->ending.empty();
  return state_->ending;
}

std::string RankWatch::awaited_ending() {
  const Clock::time_point until = Clock::now() + state_->settings.silence + 3 * state_->settings.beat;
  std::string ending = this->ending();
  while (ending.empty() && Clock::now() < until) {
    std::this_thread::sleep_for(kLeavingBeat);
    ending = this->ending();
  }
  return ending;
}

std::string RankWatch::missing_ranks() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> names;
  for (const int64_t rank : state_->heard.behind(state_->own.collectives))
    if (rank != state_->place.rank) names.push_back(state_->names[static_cast<size_t>(rank)]);
  return fmt::format("{}", fmt::join(names, ", "));
}

void RankWatch::end(const std::string& message) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->ending.empty() || !state_->message.empty()) return;
  state_->message = message;
  state_->is_woken = true;
  state_->wake.notify_all();
}

}  // namespace sgf

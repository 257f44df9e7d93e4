// One stream of the engine: what it is, how far it came, and its network state while it is loaded.
#pragma once

#include "sgf/core/enum_names.h"
#include "sgf/serving/served_model.h"
#include "sgf/serving/stream_media.h"
#include "sgf/serving/stream_record.h"
#include "sgf/streaming/stream_session.h"
#include "sgf/streaming/stream_speed.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

enum class StreamStatus {
  kQueued,     // waits until the network has a place for it
  kRunning,    // its blocks are being made, or the last ones after it was stopped
  kPaused,     // by a viewer
  kWaiting,    // far enough ahead of playback
  kCompleted,  // has its length
  kStopped,    // by a viewer, or because nobody watched; no further block comes
  kFailed,     // see its error
  kSaved,      // of an earlier start of the server
};

constexpr auto enum_names(StreamStatus) {
  return std::array{EnumName{StreamStatus::kQueued, "queued"},       EnumName{StreamStatus::kRunning, "running"},
                    EnumName{StreamStatus::kPaused, "paused"},       EnumName{StreamStatus::kWaiting, "waiting"},
                    EnumName{StreamStatus::kCompleted, "completed"}, EnumName{StreamStatus::kStopped, "stopped"},
                    EnumName{StreamStatus::kFailed, "failed"},       EnumName{StreamStatus::kSaved, "saved"}};
}

using ServeClock = std::chrono::steady_clock;

// How fast recent blocks were made.
struct BlockRates {
  BlockTimes last;
  double made_fps = 0;
};

// Guarded by the engine's mutex, except where another owner is named.
struct LiveStream {
  StreamRecord record;
  const ServedModel* model = nullptr;  // null: made with weights that are not served; can be watched only
  std::vector<StreamScene> scenes;     // the prompts of its order, encoded; empty until they are needed
  bool timeline_changed = false;       // since the session saw it

  bool is_paused = false, is_stopped = false, is_saved = false, is_deleted = false;
  std::string error;

  double played = 0;  // seconds
  ServeClock::time_point last_seen = ServeClock::now();

  int64_t begun = 0;   // blocks whose denoising has begun; less than made while it catches up after a restart
  int64_t on_way = 0;  // of these, not yet delivered
  int64_t last_turn = 0;
  MediaIndex media;  // blocks on disk
  std::string mime;
  int64_t saved_blocks = 0, state_bytes = 0;  // of the state on disk
  BlockRates rates;

  std::unique_ptr<StreamSession> session;  // used by the engine's thread
  std::unique_ptr<StreamMedia> writer;     // used by the thread that delivers

  int64_t made() const { return media.blocks; }
  int64_t disk_bytes() const { return state_bytes + (media.ends.empty() ? media.head_bytes : media.ends.back()); }
  // The first block that a change can still affect.
  int64_t next_block() const { return std::max(begun, made()); }
  bool has_its_length() const { return record.limit_blocks && made() >= *record.limit_blocks; }
  bool is_over() const { return is_saved || is_stopped || is_deleted || !error.empty() || has_its_length(); }
};

}  // namespace sgf

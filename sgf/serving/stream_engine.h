// Makes the blocks of several streams in fair turns, a block each, over loaded networks. Everything that a client can
// ask of a stream is a method here. All methods are thread-safe.
#pragma once

#include "sgf/core/log.h"
#include "sgf/serving/http/http_message.h"
#include "sgf/serving/live_stream.h"
#include "sgf/serving/snapshot_store.h"

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sgf {

struct EngineSettings {
  std::filesystem::path folder;  // of sessions
  int64_t loaded_streams = 4;    // that hold memory of the network at a time; others wait in a queue
  int64_t most_streams = 64;     // unfinished ones
  int64_t snapshot_every = 1;    // blocks between states that are kept in memory
  int64_t snapshot_bytes = int64_t{1} << 30;
  int64_t disk_bytes = int64_t{50} << 30;  // of videos and states; beyond it nothing is made
  int64_t save_every = 60;                 // blocks between states on disk
  std::chrono::seconds idle{300};          // a live stream that nobody watches is stopped after this time
  Log log = {};
};

// A copy of all that a client may see of a stream.
struct StreamView {
  StreamRecord record;
  StreamStatus status = StreamStatus::kSaved;
  bool is_paused = false, can_resume = false;
  std::string error, mime;
  int64_t made = 0, begun = 0, saved_blocks = 0, queue_place = 0;
  double played = 0;
  BlockRates rates;
  int64_t cache_bytes = 0, snapshot_bytes = 0, disk_bytes = 0;
  std::string device;  // of the network; empty: not served
};

struct NewStream {
  size_t model = 0;
  StreamWishes wishes;
  std::optional<double> seconds;  // empty: endless
  bool is_live = true;
  int64_t ahead = 2;
  bool beside = false;                      // also with the second model, in step
  std::optional<GenerateOrder> order = {};  // reproduces this order instead of the wishes
};

struct BranchWishes {
  double at = 0;       // seconds
  std::string prompt;  // empty: the parent's
  std::optional<PromptSwitch> on_switch;
  std::optional<int64_t> seed;
  std::optional<double> seconds;  // empty: endless
};

struct StreamFile {
  std::filesystem::path path;
  MediaIndex index;
  GenerateOrder order;
  bool is_live = true;
  bool is_over = false;  // no further block comes
};

struct MediaEnd {
  int64_t head_bytes = 0;  // 0: the file does not exist yet
  int64_t bytes = 0;       // of the head and whole blocks
  bool is_over = false;    // no further block comes
};

class StreamEngine {
 public:
  // `changed` is called, from any thread, after a stream has changed.
  StreamEngine(EngineSettings settings, std::vector<ServedModel> models,
               std::function<void(const std::string& id)> changed);
  ~StreamEngine();  // saves the running streams

  const std::vector<ServedModel>& models() const { return models_; }

  // Returns the new stream's id; with `beside` its pair is in the view.
  std::string create(const NewStream& wishes);
  StreamView view(const std::string& id) const;
  std::vector<StreamView> views() const;  // newest first
  StreamFile file(const std::string& id) const;
  MediaEnd media_end(const std::string& id) const;

  void direct(const std::string& id, const std::string& prompt, std::optional<PromptSwitch> on_switch,
              std::optional<double> at);
  void pause(const std::string& id);
  // Continues a paused, stopped or saved stream, and a completed one without end.
  void resume(const std::string& id);
  void stop(const std::string& id);
  std::string branch(const std::string& id, const BranchWishes& wishes);
  void played(const std::string& id, double seconds);
  void remove(const std::string& id);

  // Saves the running streams and ends. Later calls of other methods that need the network are refused.
  void shut_down();

  struct Totals {
    int64_t blocks = 0, pictures = 0, failures = 0, running = 0, queued = 0, loaded = 0, snapshot_bytes = 0,
            disk_bytes = 0;
  };
  Totals totals() const;

 private:
  using Lock = std::unique_lock<std::mutex>;

  void run();
  void load_records();
  LiveStream& find(const std::string& id) const;
  std::vector<LiveStream*> with_pair(const std::string& id) const;
  LiveStream& add(StreamRecord record, const ServedModel* model);
  std::string new_id();
  size_t model_for(const NewStream& wishes) const;
  StreamRecord record_for(const ServedModel& model, const NewStream& wishes) const;
  void check_room() const;
  int64_t disk_bytes() const;
  void save_record(LiveStream& stream);
  StreamView view_of(const LiveStream& stream) const;
  StreamStatus status_of(const LiveStream& stream) const;
  bool may_make(const LiveStream& stream) const;
  int64_t last_allowed(const LiveStream& stream) const;
  LiveStream* to_unload() const;
  LiveStream* next_due() const;
  void stop_unwatched();
  void remove_deleted();
  std::string branch_one(LiveStream& parent, int64_t block, const BranchWishes& wishes);

  void load(Lock& lock, LiveStream& stream);
  KeptState state_for(const GenerateOrder& order, const std::string& id, int64_t most);
  void unload(Lock& lock, LiveStream& stream);
  void make_block(Lock& lock, LiveStream& stream, BlockPipeline& pipeline);
  BlockTurn turn_of(LiveStream& stream, int64_t block);
  void deliver(LiveStream& stream, const DeliveredBlock& block);
  void end_turn(LiveStream& stream, std::exception_ptr failure);
  void keep_state(LiveStream& stream, int64_t blocks, const SharedSnapshot& snapshot, bool saves);
  void fail_stream(LiveStream& stream, const std::string& what);
  void tell(const std::string& id) const;

  EngineSettings settings_;
  std::vector<ServedModel> models_;
  std::function<void(const std::string&)> changed_callback_;
  SessionFolder folder_;
  SnapshotStore snapshots_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::unique_ptr<LiveStream>> streams_;  // oldest first
  int64_t last_number_ = 0, turns_ = 0;
  Totals totals_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace sgf

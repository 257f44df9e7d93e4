// States of streams at block boundaries, in memory and within a budget. What it drops can be recomputed.
#pragma once

#include "sgf/streaming/block_pipeline.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace sgf {

using SharedSnapshot = std::shared_ptr<const StreamSnapshot>;

// The state after `blocks` blocks; without a snapshot, the beginning of the stream.
struct KeptState {
  int64_t blocks = 0;
  SharedSnapshot snapshot;
};

// Thread-safe.
class SnapshotStore {
 public:
  explicit SnapshotStore(int64_t budget_bytes) : budget_(budget_bytes) {}

  // Over the budget, every second of the older states of the stream that holds most is dropped, until it fits.
  void keep(const std::string& stream, int64_t blocks, SharedSnapshot snapshot);
  // The last state at or before this many blocks.
  KeptState last_before(const std::string& stream, int64_t blocks) const;
  // States of the first `blocks` blocks also belong to a branch.
  void share(const std::string& parent, int64_t blocks, const std::string& branch);
  void forget(const std::string& stream);

  int64_t bytes() const;
  int64_t bytes_of(const std::string& stream) const;

 private:
  using States = std::map<int64_t, SharedSnapshot>;

  int64_t bytes_held() const;
  bool thin();

  int64_t budget_;
  mutable std::mutex mutex_;
  std::map<std::string, States> streams_;
};

int64_t bytes_of(const StreamSnapshot& snapshot);

}  // namespace sgf

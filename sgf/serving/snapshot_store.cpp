#include "sgf/serving/snapshot_store.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <set>
#include <vector>

namespace sgf {

int64_t bytes_of(const StreamSnapshot& snapshot) {
  int64_t bytes = 0;
  for (const NamedTensors* part : {&snapshot.latents, &snapshot.decoder})
    for (const auto& [name, tensor] : *part) bytes += static_cast<int64_t>(tensor.nbytes());
  return bytes;
}

void SnapshotStore::keep(const std::string& stream, int64_t blocks, SharedSnapshot snapshot) {
  const std::lock_guard lock(mutex_);
  streams_[stream][blocks] = std::move(snapshot);
  while (bytes_held() > budget_ && thin()) {
  }
}

KeptState SnapshotStore::last_before(const std::string& stream, int64_t blocks) const {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return {};
  const auto after = found->second.upper_bound(blocks);
  if (after == found->second.begin()) return {};
  return {std::prev(after)->first, std::prev(after)->second};
}

void SnapshotStore::share(const std::string& parent, int64_t blocks, const std::string& branch) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(parent);
  if (found == streams_.end()) return;
  States& states = streams_[branch];
  states.insert(found->second.begin(), found->second.upper_bound(blocks));
}

void SnapshotStore::forget(const std::string& stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(stream);
}

int64_t SnapshotStore::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_held();
}

int64_t SnapshotStore::bytes_of(const std::string& stream) const {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(stream);
  int64_t bytes = 0;
  if (found != streams_.end())
    for (const auto& [blocks, snapshot] : found->second) bytes += sgf::bytes_of(*snapshot);
  return bytes;
}

// A state that branches share counts once.
int64_t SnapshotStore::bytes_held() const {
  std::set<const StreamSnapshot*> seen;
  int64_t bytes = 0;
  for (const auto& [stream, states] : streams_)
    for (const auto& [blocks, snapshot] : states)
      if (seen.insert(snapshot.get()).second) bytes += sgf::bytes_of(*snapshot);
  return bytes;
}

// Drops every second state but the newest of the stream with most of them; false if no stream has two.
bool SnapshotStore::thin() {
  const auto most = std::ranges::max_element(streams_, {}, [](const auto& entry) { return entry.second.size(); });
  if (most == streams_.end() || most->second.size() < 2) return false;
  States& states = most->second;
  bool drops = true;
  for (auto state = states.begin(); std::next(state) != states.end(); drops = !drops)
    state = drops ? states.erase(state) : std::next(state);
  return true;
}

}  // namespace sgf

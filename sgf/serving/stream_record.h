// What the session folder keeps of a stream: its order, its place in the tree of branches, and how far it came. With
// it, a restarted server lists, plays and continues the stream.
#pragma once

#include "sgf/streaming/generate_order.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct StreamRecord {
  std::string id;       // "s-0007", also the name of its folder
  int64_t created = 0;  // seconds since 1970
  std::string model;    // name among the served models
  GenerateOrder order;
  bool is_live = true;                  // false: a video of a fixed length, made as fast as possible
  int64_t ahead = 2;                    // of a live stream: blocks after the one that is played; 0: no limit
  std::optional<int64_t> limit_blocks;  // empty: endless
  std::string parent;                   // empty: not a branch
  int64_t branch_block = 0;
  std::string pair;    // the same order with another model, streamed in step
  int64_t blocks = 0;  // made so far; the media file may have more, after a kill

  bool operator==(const StreamRecord&) const = default;
};

// The folder of sessions: one folder per stream, with stream.json, its media and its last state.
class SessionFolder {
 public:
  // Creates the folder if it is missing.
  explicit SessionFolder(std::filesystem::path root);

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path folder_of(const std::string& id) const { return root_ / "streams" / id; }
  std::filesystem::path media_of(const std::string& id) const;
  std::filesystem::path state_of(const std::string& id) const { return folder_of(id) / "state.safetensors"; }
  std::filesystem::path uploads() const { return root_ / "uploads"; }

  void save(const StreamRecord& record) const;
  // All records, oldest first. Folders that hold none are passed over; `damaged` gets a line for each damaged one.
  std::vector<StreamRecord> load(std::vector<std::string>& damaged) const;
  void remove(const std::string& id) const;

 private:
  std::filesystem::path root_;
};

// "s-0007" for 7; the number in such an id, 0 for any other text.
std::string stream_id(int64_t number);
int64_t stream_number(const std::string& id);

}  // namespace sgf

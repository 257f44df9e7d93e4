// A folder of ODE pairs: the order and the shards that fulfil it. Torch-free.
#pragma once

#include "sgf/dataset/shard_folder.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// Everything that the numbers in the shards depend on. Two folders with the same order contain the same pairs.
struct PairOrder {
  std::string stage;    // "causal_ode": paths guided by a clip; "bidirectional_ode": by the prompt only
  std::string teacher;  // identity of its weights
  std::string data;     // the world, clips, or the file of prompts and what reads it
  std::string negative_prompt;
  std::string dtype;  // compute dtype of the teacher
  uint64_t seed = 0;
  double guidance = 6;
  int64_t steps = 48;
  double shift = 5;
  std::vector<double> timesteps;  // of the kept states
  std::vector<int64_t> latent;    // [F, C, H, W]
  std::string context;            // blocks, sink and window; empty if the teacher sees everything
  int64_t count = 0;
  int64_t per_shard = 0;

  bool operator==(const PairOrder&) const = default;

  // Every shard has at least one pair, so this cannot overflow.
  int64_t shards() const { return (count - 1) / per_shard + 1; }
};

struct PairShard {
  std::string file;
  int64_t first = 0;
  int64_t count = 0;
  uint64_t bytes = 0;
  std::string sha256;
};

struct PairManifest {
  PairOrder order;
  std::vector<PairShard> shards;
};

// Files of the folder, in addition to those of every shard folder. shard_XXXXXX.json exists once that shard is
// complete.
std::filesystem::path shard_file(const std::filesystem::path& folder, int64_t shard);
std::filesystem::path shard_mark(const std::filesystem::path& folder, int64_t shard);

// Throws unless the order can be fulfilled: numbers above 0, and pairs that a disk could hold. `what` begins the error.
void check_pair_order(const PairOrder& order, const std::string& what);

// Counts marks in the folder, which takes no longer for an order of many shards.
int64_t whole_shards(const std::filesystem::path& folder);

nlohmann::json to_json(const PairOrder& order);
nlohmann::json to_json(const PairShard& shard);
PairOrder read_pair_order(const std::filesystem::path& path);

// Reads the mark of a shard; nullopt if there is none or it is damaged: then the shard is made again.
std::optional<PairShard> find_pair_shard(const std::filesystem::path& folder, int64_t shard);

// Claims the folder for this order. Writes the order, or throws an Error with the differences if the folder was started
// with another one.
void claim_pair_folder(const std::filesystem::path& folder, const PairOrder& order);

// Reads the manifest of a complete folder. Throws Error if shards are missing or have the wrong size.
PairManifest read_pair_manifest(const std::filesystem::path& folder);

// Identifies everything that a run learns from the folder, independent of its path.
std::string pair_identity(const PairManifest& manifest);

}  // namespace sgf

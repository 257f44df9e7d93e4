// A folder of ODE pairs: what was ordered, and the shards that hold it. Torch-free.
#pragma once

#include "sgf/dataset/shard_folder.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// All that the numbers in the shards depend on. Two folders of one order hold the same pairs.
struct PairOrder {
  std::string stage;    // "causal_ode": paths led by a clip; "bidirectional_ode": by the prompt alone
  std::string teacher;  // identity of its weights
  std::string data;     // the world, clips, or the file of prompts and what reads it
  std::string negative_prompt;
  std::string dtype;  // that the teacher computed in
  uint64_t seed = 0;
  double guidance = 6;
  int64_t steps = 48;
  double shift = 5;
  std::vector<double> timesteps;  // of the kept states
  std::vector<int64_t> latent;    // [F, C, H, W]
  std::string context;            // blocks, sink and window; empty where the teacher sees everything
  int64_t count = 0;
  int64_t per_shard = 0;

  bool operator==(const PairOrder&) const = default;

  // At least one pair each, so this cannot overflow.
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

// Files of the folder, beside those of every folder of shards: shard_XXXXXX.json is there once that shard is whole.
std::filesystem::path shard_file(const std::filesystem::path& folder, int64_t shard);
std::filesystem::path shard_mark(const std::filesystem::path& folder, int64_t shard);

nlohmann::json to_json(const PairOrder& order);
nlohmann::json to_json(const PairShard& shard);
PairOrder read_pair_order(const std::filesystem::path& path);

// What the mark of a shard says; nothing where there is none, or a damaged one: then the shard is made again.
std::optional<PairShard> find_pair_shard(const std::filesystem::path& folder, int64_t shard);

// Takes the folder for this order: writes it down, or refuses a folder that was begun with another, naming what
// differs.
void claim_pair_folder(const std::filesystem::path& folder, const PairOrder& order);

// Of a folder that is whole. Refuses one that is not, with what is missing, and shards of another size than written.
PairManifest read_pair_manifest(const std::filesystem::path& folder);

// A name for all that a run learns from the folder, wherever it lies.
std::string pair_identity(const PairManifest& manifest);

}  // namespace sgf

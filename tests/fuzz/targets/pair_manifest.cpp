// A folder of ODE pairs: one input as its order, as the mark of a shard, and as its manifest.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/dataset/pair_manifest.h"

namespace sgf::fuzz {
namespace {

namespace fs = std::filesystem;

void read_order() {
  const fs::path folder = scratch_folder() / "pairs";
  const auto order = read_or_refuse("order.json", [&] { return read_pair_order(order_file(folder)); });
  if (!order) return;
  must(order->shards() > 0, "an order asks for at least one shard");
  scratch_file("pairs_again/order.json", to_json(*order).dump());
  must(read_pair_order(scratch_folder() / "pairs_again/order.json") == *order, "written and read again, it is equal");
  claim_pair_folder(folder, *order);
}

void read_manifest() {
  const fs::path folder = scratch_folder() / "whole_pairs";
  const auto manifest = read_or_refuse(folder.string(), [&] { return read_pair_manifest(folder); });
  if (!manifest) return;
  must(pair_identity(*manifest).size() == 64, "an identity has 64 digits");
  must(!manifest->shards.empty(), "a manifest names its shards");
}

void read(std::string_view input) {
  scratch_file("pairs/order.json", input);
  read_order();
  const fs::path mark = scratch_file("pairs/shard_000000.json", input);
  find_pair_shard(scratch_folder() / "pairs", 0);
  fs::remove(mark);
  do_or_refuse("pairs", [] { read_pair_manifest(scratch_folder() / "pairs"); });  // it is not whole: how much is?
  [[maybe_unused]] static const fs::path begun = scratch_file("whole_pairs/order.json", "{}");
  [[maybe_unused]] static const fs::path shard = scratch_file("whole_pairs/shard_000000.safetensors", "12345678");
  scratch_file("whole_pairs/manifest.json", input);
  read_manifest();
}

const Registered target("pair_manifest", read);

}  // namespace
}  // namespace sgf::fuzz

// The index of a folder of weights, *.safetensors.index.json, beside two shards that are whole.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"
#include "fuzz/tensor_files.h"

#include "sgf/files/safetensors.h"
#include "sgf/files/tensor_folder.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kIndex = "shards/model.safetensors.index.json";

void write_shards() {
  static const std::array<float, 2> kNumbers{1, 2};
  const auto bytes = std::as_bytes(std::span(kNumbers));
  scratch_file(kIndex, "");
  const std::filesystem::path folder = scratch_folder() / "shards";
  write_safetensors(folder / "model-00001-of-00002.safetensors", {outgoing_bytes("a", DType::kF32, {2}, bytes)});
  write_safetensors(folder / "model-00002-of-00002.safetensors",
                    {outgoing_bytes("b", DType::kF32, {1, 2}, bytes), outgoing_bytes("c", DType::kF32, {2}, bytes)});
}

void read(std::string_view input) {
  [[maybe_unused]] static const bool are_written = (write_shards(), true);
  const std::filesystem::path index = scratch_file(kIndex, input);
  const auto file = read_or_refuse(scratch_folder().string(), [&] { return open_shard_index(index); });
  if (file) touch_all(*file);
}

const Registered target("shard_index", read);

}  // namespace
}  // namespace sgf::fuzz

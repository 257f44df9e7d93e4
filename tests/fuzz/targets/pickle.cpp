// Pickles alone: every operation, and the tensors that the values would become.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"
#include "fuzz/tensor_files.h"

#include "sgf/files/pickle.h"
#include "sgf/files/torch_state.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.pkl";
constexpr uint64_t kStorageBytes = 4096;

// Every storage is the first bytes of one file.
void flatten(const Pickle& pickle) {
  TensorFile out;
  out.files.push_back(mapped(kName, std::string(kStorageBytes, '\0')));
  flatten_torch_state(
      pickle,
      [](const TorchStorage&) {
        return ByteRange{0, kStorageBytes};
      },
      out);
  touch_all(out);
}

void read(std::string_view input) {
  for (const bool torchscript : {false, true}) {
    const auto bytes = std::as_bytes(std::span(input));
    const auto pickle =
        read_or_refuse(kName, [&] { return read_pickle(bytes, {.source = kName, .torchscript = torchscript}); });
    if (!pickle) continue;
    must(pickle->byte_count <= input.size(), "a pickle reaches no further than its bytes");
    do_or_refuse(kName, [&] { flatten(*pickle); });
  }
}

const Registered target("pickle", read);

}  // namespace
}  // namespace sgf::fuzz

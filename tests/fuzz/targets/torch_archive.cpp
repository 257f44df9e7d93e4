// Weights as torch.save leaves them, the zip archive and the run of pickles before it, with TorchScript's classes and
// without.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"
#include "fuzz/tensor_files.h"

#include "sgf/files/torch_archive.h"
#include "sgf/files/torch_archive_writer.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.pt";

void write_and_read_again(const TensorFile& file) {
  const std::vector<OutgoingTensor> tensors = outgoing(file);
  const std::filesystem::path again = scratch_folder() / "again.pt";
  write_torch_archive(again, tensors);
  must(read_torch_archive(MappedFile::open(again)).entries.size() == tensors.size(), "all tensors are written");
}

void read(std::string_view input) {
  const auto with_classes =
      read_or_refuse(kName, [&] { return read_torch_archive(mapped(kName, input), {.torchscript = true}); });
  const auto file = read_or_refuse(kName, [&] { return read_torch_archive(mapped(kName, input)); });
  must(!file || with_classes, "what is read without classes is read with them too");
  if (with_classes) touch_all(*with_classes);
  if (file) write_and_read_again(*file);
}

const Registered zip("torch_zip", read);
const Registered legacy("torch_legacy", read);

}  // namespace
}  // namespace sgf::fuzz

// What we write as torch.save would, read back by our own reader. That torch.load(weights_only=True) reads it too
// was checked by hand, also past 4 GB: CI has no Python torch that imports.
#include "sgf/files/torch_archive_writer.h"
#include "sgf/files/zip_directory.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/files/weight_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using sgf::testing::TemporaryFolder;
using ::testing::HasSubstr;

std::vector<OutgoingTensor> outgoing_copies(const TensorFile& file) {
  std::vector<OutgoingTensor> tensors;
  for (const TensorEntry& entry : file.entries) {
    tensors.push_back(outgoing_bytes(entry.name, entry.dtype, entry.shape, file.bytes(entry)));
  }
  return tensors;
}

TEST(TorchArchiveWriter, KeepsEveryElementTypeAndValue) {
  const TemporaryFolder folder;
  const TensorFile source = open_tensor_file(sgf::testing::weights_path("dtypes.safetensors"));
  write_torch_archive(folder / "copy.pt", outgoing_copies(source));
  const TensorFile copy = open_tensor_file(folder / "copy.pt");
  EXPECT_EQ(copy.container, Container::kTorchZip);
  ASSERT_EQ(copy.entries.size(), source.entries.size());
  for (size_t i = 0; i < source.entries.size(); ++i) {
    const TensorEntry& before = source.entries[i];
    const TensorEntry& after = copy.entries[i];
    EXPECT_EQ(after.name, before.name);
    EXPECT_EQ(after.dtype, before.dtype);
    EXPECT_EQ(after.shape, before.shape);
    EXPECT_EQ(sgf::testing::elements(copy, after), sgf::testing::elements(source, before)) << before.name;
  }
}

TEST(TorchArchiveWriter, NestsStateDictsUnderTheirKeys) {
  const TemporaryFolder folder;
  const std::vector<std::byte> ones(8, std::byte{1}), twos(8, std::byte{2});
  const auto tensor = [](std::span<const std::byte> bytes) {
    return outgoing_bytes("a.weight", DType::kU8, {8}, bytes);
  };
  write_torch_dicts(folder / "both.pt", {{"generator", {tensor(ones)}}, {"generator_ema", {tensor(twos)}}});
  const TensorFile file = open_tensor_file(folder / "both.pt");
  ASSERT_EQ(file.entries.size(), 2u);
  EXPECT_TRUE(file.is_flattened);  // a dict of dicts, not one with dotted names
  EXPECT_EQ(sgf::testing::elements(file, *file.find("generator.a.weight")), std::vector<double>(8, 1));
  EXPECT_EQ(sgf::testing::elements(file, *file.find("generator_ema.a.weight")), std::vector<double>(8, 2));
  EXPECT_THAT(refusal_of([&] {
                write_torch_dicts(folder / "b.pt", {{"a", {}}, {"a", {}}});
              }),
              HasSubstr("the key 'a' is already used"));
}

TEST(TorchArchiveWriter, PutsEveryRecordOnABoundary) {
  const TemporaryFolder folder;
  const std::vector<std::byte> bytes(100, std::byte{7});
  write_torch_archive(folder / "a.pt", {outgoing_bytes("odd", DType::kU8, {3}, std::span(bytes).first(3)),
                                        outgoing_bytes("even", DType::kF32, {25}, bytes)});
  const auto mapped = MappedFile::open(folder / "a.pt");
  const ZipDirectory zip(*mapped);
  EXPECT_EQ(zip.entries().size(), 5u);
  for (const ZipEntry& entry : zip.entries()) EXPECT_EQ(entry.offset % 64, 0u) << entry.name;
}

TEST(TorchArchiveWriter, WritesEqualFilesForEqualTensors) {
  const TemporaryFolder folder;
  const TensorFile source = open_tensor_file(sgf::testing::weights_path("dtypes.safetensors"));
  write_torch_archive(folder / "one.pt", outgoing_copies(source));
  write_torch_archive(folder / "two.pth", outgoing_copies(source));
  EXPECT_EQ(sgf::testing::file_text(folder / "one.pt"), sgf::testing::file_text(folder / "two.pth"));
}

TEST(TorchArchiveWriter, HoldsNothingWhereNothingWasGiven) {
  const TemporaryFolder folder;
  write_torch_archive(folder / "empty.pt", {});
  EXPECT_TRUE(open_tensor_file(folder / "empty.pt").entries.empty());
}

TEST(TorchArchiveWriter, RefusesShortTensorsAndRepeatedNamesAndLeavesNoFile) {
  const TemporaryFolder folder;
  const std::vector<std::byte> bytes(8);
  const OutgoingTensor whole = outgoing_bytes("a", DType::kF32, {2}, bytes);
  const OutgoingTensor cut = outgoing_bytes("b", DType::kF32, {3}, bytes);
  EXPECT_THAT(refusal_of([&] { write_torch_archive(folder / "x.pt", {whole, cut}); }), HasSubstr("12 bytes"));
  EXPECT_THAT(refusal_of([&] {
                write_torch_archive(folder / "x.pt", {whole, whole});
              }),
              HasSubstr("'a' is already used"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace sgf

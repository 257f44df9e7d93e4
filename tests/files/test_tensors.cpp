#include "sgf/files/tensors.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/files/weight_files.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace sgf {
namespace {

using sgf::testing::TemporaryFolder;
using sgf::testing::weights_path;
using ::testing::HasSubstr;

std::vector<double> values_of(const at::Tensor& tensor) {
  // float8 and wide unsigned types convert only through a neighbour they know.
  const at::Tensor real = tensor.is_complex() ? at::view_as_real(tensor) : tensor;
  const at::Tensor wide = real.to(at::kDouble).contiguous();
  return {wide.const_data_ptr<double>(), wide.const_data_ptr<double>() + wide.numel()};
}

// Two float32 numbers that start at an odd byte.
TensorFile misaligned_file() {
  std::vector<std::byte> bytes(9);
  const std::array<float, 2> numbers{1.5f, -2.0f};
  std::memcpy(bytes.data() + 1, numbers.data(), 8);
  TensorFile file;
  file.files.push_back(MappedFile::from_bytes("odd", std::move(bytes)));
  file.add({.name = "w", .dtype = DType::kF32, .shape = {2}, .strides = {1}, .file = 0, .offset = 1, .extent = 8});
  return file;
}

TEST(MappedTensor, HoldsTheRecordedNumbersInEveryElementType) {
  for (const char* name : {"dtypes.safetensors", "dtypes.pt"}) {
    const TensorFile file = open_tensor_file(weights_path(name));
    for (const TensorEntry& entry : file.entries) {
      const at::Tensor tensor = map_tensor(file, entry);
      EXPECT_EQ(dtype_of(tensor.scalar_type()), entry.dtype);
      EXPECT_EQ(tensor.sizes().vec(), entry.shape);
      EXPECT_EQ(values_of(tensor), sgf::testing::elements(file, entry)) << name << " " << entry.name;
    }
  }
}

TEST(MappedTensor, FollowsTheStridesOfViews) {
  const TensorFile file = open_tensor_file(weights_path("views.pt"));
  for (const TensorEntry& entry : file.entries) {
    EXPECT_EQ(values_of(map_tensor(file, entry)), sgf::testing::elements(file, entry)) << entry.name;
  }
}

TEST(MappedTensor, ReadsInPlace) {
  const TensorFile file = open_tensor_file(weights_path("views.pt"));
  const TensorEntry& entry = *file.find("base");
  EXPECT_EQ(map_tensor(file, entry).const_data_ptr(), static_cast<const void*>(file.bytes(entry).data()));
}

TEST(MappedTensor, IsCopiedWhereItsBytesAreMisaligned) {
  const TensorFile file = misaligned_file();
  const at::Tensor tensor = map_tensor(file, "w");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % alignof(float), 0u);
  EXPECT_EQ(values_of(tensor), (std::vector<double>{1.5, -2.0}));
}

TEST(MappedTensor, OutlivesTheFileItCameFrom) {
  at::Tensor tensor;
  std::vector<double> expected;
  {
    const TensorFile file = open_tensor_file(weights_path("views.pt"));
    tensor = map_tensor(file, "base");
    expected = sgf::testing::elements(file, *file.find("base"));
  }
  EXPECT_EQ(values_of(tensor), expected);
}

TEST(MappedTensor, OfAnUnknownNameIsRefusedWithTheNearest) {
  const TensorFile file = open_tensor_file(weights_path("views.pt"));
  EXPECT_THAT(refusal_of([&] { map_tensor(file, "bse"); }), HasSubstr("did you mean 'base'?"));
}

TEST(SavedTensors, ComeBackAsTheyWere) {
  const TemporaryFolder folder;
  const at::Tensor matrix = at::arange(6, at::kFloat).reshape({2, 3});
  const NamedTensors tensors{{"matrix", matrix},
                             {"transposed", matrix.t()},
                             {"half", matrix.to(at::kBFloat16)},
                             {"complex", at::complex(matrix, -matrix)},
                             {"scalar", at::scalar_tensor(3.5, at::kDouble)},
                             {"empty", at::empty({0, 4})},
                             {"count", at::arange(3)}};
  save_tensors(folder / "t.safetensors", tensors, {{"note", "x"}});
  const TensorFile file = open_tensor_file(folder / "t.safetensors");
  EXPECT_EQ(file.metadata.at("note"), "x");
  for (const auto& [name, tensor] : tensors) {
    const at::Tensor back = map_tensor(file, name);
    EXPECT_EQ(back.scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(at::equal(back, tensor)) << name;
  }
}

TEST(SavedTensors, MayCarryAGraph) {
  const TemporaryFolder folder;
  const at::Tensor leaf = at::ones({2}).requires_grad_(true);
  save_tensors(folder / "t.safetensors", {{"w", leaf * 2}}, {});
  EXPECT_TRUE(at::equal(map_tensor(open_tensor_file(folder / "t.safetensors"), "w"), at::full({2}, 2.0f)));
}

TEST(SavedTensors, OfATypeNoFileKnowsAreRefused) {
  const TemporaryFolder folder;
  const at::Tensor complex = at::zeros({1}, at::kComplexDouble);
  EXPECT_THAT(refusal_of([&] {
                save_tensors(folder / "t.safetensors", {{"w", complex}}, {});
              }),
              HasSubstr("tensors of type ComplexDouble cannot be stored"));
  EXPECT_FALSE(std::filesystem::exists(folder / "t.safetensors"));
}

TEST(DtypeNames, GoBothWays) {
  for (const char* name : {"float64", "float32", "bfloat16", "float16"}) {
    EXPECT_EQ(name_of(scalar_type_from_name(name)), name);
  }
  EXPECT_THAT(refusal_of([] { scalar_type_from_name("fp16"); }), HasSubstr("float16, got 'fp16'"));
  EXPECT_THAT(refusal_of([] { scalar_type_from_name("int64"); }), HasSubstr("float64"));
}

// Mapped pages that this process holds, of files on disk or in memory.
int64_t resident_file_kilobytes() {
  std::ifstream status("/proc/self/status");
  int64_t sum = 0;
  for (std::string word; status >> word;)
    if (int64_t kilobytes = 0; (word == "RssFile:" || word == "RssShmem:") && status >> kilobytes) sum += kilobytes;
  return sum;
}

TEST(CopyTensor, LeavesNoMappedPagesBehind) {
  const TemporaryFolder folder;
  const at::Tensor large = at::arange(int64_t{8} << 20, at::kFloat);  // 32 MiB
  save_tensors(folder / "large.safetensors", {{"a", large}, {"b", large}}, {});
  const TensorFile file = open_tensor_file(folder / "large.safetensors");
  const int64_t before = resident_file_kilobytes();
  const at::Tensor copy = copy_tensor(file, *file.find("a"), at::TensorOptions(at::kBFloat16));
  EXPECT_LT(resident_file_kilobytes() - before, 4096);
  EXPECT_TRUE(at::equal(copy, large.to(at::kBFloat16)));
  EXPECT_TRUE(at::equal(map_tensor(file, "b"), large));  // the control: reading brings pages in
  EXPECT_GT(resident_file_kilobytes() - before, 16384);
  EXPECT_TRUE(at::equal(map_tensor(file, "a"), large)) << "and can be done again";
}

}  // namespace
}  // namespace sgf

#include "sgf/files/checkpoint_format.h"
#include "sgf/files/tensors.h"
#include "sgf/weights/convert.h"
#include "sgf/weights/stored_config.h"
#include "sgf/weights/weight_names.h"
#include "sgf/weights/weight_scan.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/files/weight_files.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

namespace sgf {
namespace {

using sgf::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Every weight of the tiny network, each filled with its own number.
NamedTensors tiny_tensors(const std::string& prefix, double first) {
  NamedTensors tensors;
  for (const WeightShape& weight : expected_dit_weights(dit_preset("tiny"))) {
    tensors.emplace_back(prefix + weight.name, at::full(weight.shape, first + 0.25 * double(tensors.size())));
  }
  return tensors;
}

NamedTensors operator+(NamedTensors a, const NamedTensors& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

ConvertRequest request(const std::filesystem::path& input, const std::filesystem::path& output) {
  ConvertRequest made;
  made.input = input;
  made.output = output;
  return made;
}

std::set<std::string> names_in(const std::filesystem::path& path) {
  std::set<std::string> names;
  for (const TensorEntry& entry : open_tensor_file(path).entries) names.insert(entry.name);
  return names;
}

at::Tensor widest(const at::Tensor& tensor) {
  return tensor.to(tensor.is_complex() ? at::kComplexDouble : at::kDouble);
}

// Both files hold the same names, types and numbers, NaN included.
void expect_equal_files(const std::filesystem::path& a, const std::filesystem::path& b) {
  const TensorFile first = open_tensor_file(a), second = open_tensor_file(b);
  ASSERT_EQ(first.entries.size(), second.entries.size());
  for (const TensorEntry& entry : first.entries) {
    const at::Tensor one = map_tensor(first, entry), other = map_tensor(second, entry.name);
    EXPECT_EQ(one.scalar_type(), other.scalar_type()) << entry.name;
    EXPECT_TRUE(at::equal(widest(one), widest(other))) << entry.name;
  }
}

class Convert : public ::testing::Test {
 protected:
  // A training file: two DiTs under outer keys and wrappers, and an optimiser's state.
  std::filesystem::path training_file() {
    save_tensors(folder_ / "train.safetensors",
                 tiny_tensors("generator.model._fsdp_wrapped_module.", 1) + tiny_tensors("generator_ema.model.", 2) +
                     NamedTensors{{"optimizer.step", at::ones({1})}},
                 {});
    return folder_ / "train.safetensors";
  }
  std::filesystem::path wan_file() {
    save_tensors(folder_ / "wan.safetensors", tiny_tensors("", 1), {});
    return folder_ / "wan.safetensors";
  }

  TemporaryFolder folder_;
};

TEST_F(Convert, TakesTheAverageAndGivesItOfficialNames) {
  const ConvertResult result = convert_weights(request(training_file(), folder_ / "out.safetensors"));
  EXPECT_EQ(result.role, "generator_ema");
  EXPECT_THAT(result.left_out, ElementsAre("generator"));
  save_tensors(folder_ / "expected.safetensors", tiny_tensors("", 2), {});
  expect_equal_files(folder_ / "out.safetensors", folder_ / "expected.safetensors");
}

TEST_F(Convert, TakesTheRoleThatWasAskedFor) {
  ConvertRequest asked = request(training_file(), folder_ / "out.safetensors");
  asked.role = "generator";
  convert_weights(asked);
  expect_equal_files(folder_ / "out.safetensors", wan_file());
  asked.role = "critic";
  asked.overwrite = true;
  EXPECT_THAT(refusal_of([&] { convert_weights(asked); }), HasSubstr("generator_ema, generator"));
}

TEST_F(Convert, ToDiffusersNamesAndBackIsTheSameFile) {
  ConvertRequest out = request(wan_file(), folder_ / "diffusers.safetensors");
  out.names = ConvertNames::kDiffusers;
  convert_weights(out);
  EXPECT_TRUE(names_in(out.output).contains("condition_embedder.time_proj.weight"));
  EXPECT_FALSE(names_in(out.output).contains("time_projection.1.weight"));
  convert_weights(request(out.output, folder_ / "back.safetensors"));
  expect_equal_files(folder_ / "back.safetensors", wan_file());
}

TEST_F(Convert, ToATorchFileAndBackIsTheSameFile) {
  convert_weights(request(wan_file(), folder_ / "wan.pt"));
  EXPECT_EQ(open_tensor_file(folder_ / "wan.pt").container, Container::kTorchZip);
  convert_weights(request(folder_ / "wan.pt", folder_ / "back.safetensors"));
  expect_equal_files(folder_ / "back.safetensors", wan_file());
}

TEST_F(Convert, KeepsTheNamesOfFilesThatHoldNoDit) {
  const auto source = sgf::testing::weights_path("dtypes.pt");
  const ConvertResult result = convert_weights(request(source, folder_ / "out.safetensors"));
  EXPECT_FALSE(result.is_dit);
  expect_equal_files(source, folder_ / "out.safetensors");
}

TEST_F(Convert, UnfoldsViewsOfTorchFiles) {
  const auto source = sgf::testing::weights_path("views.pt");
  for (const char* name : {"out.safetensors", "out.pth"}) {
    convert_weights(request(source, folder_ / name));
    expect_equal_files(source, folder_ / name);
  }
}

TEST_F(Convert, WithKeptNamesTakesTheWholeFile) {
  ConvertRequest whole = request(training_file(), folder_ / "whole.pt");
  whole.names = ConvertNames::kKeep;
  convert_weights(whole);
  expect_equal_files(whole.input, whole.output);
}

TEST_F(Convert, CarriesWhatNoDitHasWithoutItsWrappers) {
  save_tensors(folder_ / "in.safetensors",
               tiny_tensors("generator.model.", 1) + NamedTensors{{"generator.model.extra_model.freqs", at::ones({2})}},
               {});
  const ConvertResult result = convert_weights(request(folder_ / "in.safetensors", folder_ / "out.safetensors"));
  EXPECT_THAT(result.carried, ElementsAre("generator.model.extra_model.freqs"));
  EXPECT_TRUE(names_in(folder_ / "out.safetensors").contains("extra_model.freqs"));
}

TEST_F(Convert, NamesTheWeightsThatTheInputLacks) {
  NamedTensors tensors = tiny_tensors("generator.", 1);
  std::erase_if(tensors, [](const auto& tensor) { return tensor.first == "generator.blocks.1.norm3.bias"; });
  save_tensors(folder_ / "m-00001-of-00002.safetensors", tensors, {});
  const ConvertResult result =
      convert_weights(request(folder_ / "m-00001-of-00002.safetensors", folder_ / "out.safetensors"));
  EXPECT_THAT(result.missing, ElementsAre("blocks.1.norm3.bias"));
  EXPECT_THAT(result.hint, HasSubstr("one shard of 2"));
  const ConvertResult whole = convert_weights(request(wan_file(), folder_ / "whole.safetensors"));
  EXPECT_TRUE(whole.missing.empty());
  EXPECT_EQ(whole.hint, "");
}

TEST_F(Convert, NamesWhatEverySizeHasWhereTheSizeIsUnknown) {
  NamedTensors tensors = tiny_tensors("", 1);
  std::erase_if(tensors, [](const auto& tensor) { return !tensor.first.starts_with("blocks."); });
  save_tensors(folder_ / "in.safetensors", tensors, {});
  const ConvertResult result = convert_weights(request(folder_ / "in.safetensors", folder_ / "out.safetensors"));
  EXPECT_EQ(result.missing.size(), 15u);
  EXPECT_EQ(result.missing.front(), "patch_embedding.weight");
  EXPECT_EQ(result.missing.back(), "head.head.bias");
}

TEST_F(Convert, ListsTheValuesThatAreNoTensors) {
  const auto nested = sgf::testing::weights_path("nested.pt");
  const ConvertResult result = convert_weights(request(nested, folder_ / "out.safetensors"));
  EXPECT_THAT(result.no_tensors, ElementsAre("betas.0", "betas.1", "done", "ema", "lr", "name", "step"));
  EXPECT_TRUE(result.is_flattened);

  save_tensors(folder_ / "noted.safetensors", {{"w", at::ones({1})}}, {{"note", "x"}});
  const auto left_out = [&](const char* output) {
    return convert_weights(request(folder_ / "noted.safetensors", folder_ / output)).no_tensors;
  };
  EXPECT_TRUE(left_out("noted2.safetensors").empty());
  EXPECT_THAT(left_out("noted.pt"), ElementsAre("note"));
}

TEST_F(Convert, ChangesFloatingTypesAlone) {
  save_tensors(folder_ / "in.safetensors", {{"w", at::full({3}, 1.0009765625)}, {"n", at::arange(3)}}, {});
  for (const DType dtype : {DType::kBF16, DType::kF16, DType::kF32}) {
    ConvertRequest narrow = request(folder_ / "in.safetensors", folder_ / "out.safetensors");
    narrow.dtype = dtype;
    narrow.overwrite = true;
    convert_weights(narrow);
    const TensorFile out = open_tensor_file(narrow.output);
    const at::Tensor expected = at::full({3}, 1.0009765625).to(scalar_type_of(dtype));
    EXPECT_TRUE(at::equal(map_tensor(out, "w"), expected)) << name_of(dtype);
    EXPECT_EQ(out.find("n")->dtype, DType::kI64);
  }
}

TEST_F(Convert, RefusesNumbersThatFloat16WouldMakeInfinite) {
  save_tensors(folder_ / "in.safetensors", {{"w", at::full({3}, 70000.0)}}, {});
  ConvertRequest narrow = request(folder_ / "in.safetensors", folder_ / "out.safetensors");
  narrow.dtype = DType::kF16;
  EXPECT_THAT(refusal_of([&] { convert_weights(narrow); }), HasSubstr("'w'"));
  EXPECT_FALSE(std::filesystem::exists(narrow.output));
  narrow.dtype = DType::kBF16;
  EXPECT_NO_THROW(convert_weights(narrow));
}

TEST_F(Convert, RefusesNumbersThatFloat32WouldMakeInfinite) {
  save_tensors(folder_ / "in.safetensors", {{"w", at::full({3}, 1e300, at::kDouble)}}, {});
  ConvertRequest narrow = request(folder_ / "in.safetensors", folder_ / "out.safetensors");
  for (const DType dtype : {DType::kF32, DType::kBF16}) {
    narrow.dtype = dtype;
    EXPECT_THAT(refusal_of([&] { convert_weights(narrow); }), HasSubstr("beyond"));
  }
  narrow.dtype = DType::kF64;
  EXPECT_NO_THROW(convert_weights(narrow));
}

TEST_F(Convert, NeverReplacesItsInputAndOthersOnlyWhenTold) {
  ConvertRequest onto_itself = request(wan_file(), folder_ / "wan.safetensors");
  onto_itself.overwrite = true;
  EXPECT_THAT(refusal_of([&] { convert_weights(onto_itself); }), HasSubstr("is the input"));

  std::filesystem::create_hard_link(folder_ / "wan.safetensors", folder_ / "link.safetensors");
  ConvertRequest onto_link = request(folder_ / "wan.safetensors", folder_ / "link.safetensors");
  onto_link.overwrite = true;
  EXPECT_THAT(refusal_of([&] { convert_weights(onto_link); }), HasSubstr("is the input"));

  ConvertRequest onto_other = request(folder_ / "wan.safetensors", folder_ / "other.pt");
  std::ofstream(onto_other.output) << "precious";
  EXPECT_THAT(refusal_of([&] { convert_weights(onto_other); }), HasSubstr("--overwrite"));
  EXPECT_EQ(sgf::testing::file_text(onto_other.output), "precious");
  onto_other.overwrite = true;
  EXPECT_NO_THROW(convert_weights(onto_other));
}

TEST_F(Convert, RefusesAnEndingItDoesNotKnow) {
  EXPECT_THAT(refusal_of([&] { convert_weights(request(wan_file(), folder_ / "out.gguf")); }),
              HasSubstr(".safetensors, .pt or .pth"));
}

TEST_F(Convert, FindsTheDitOfAWanFolderAndTakesItsConfigAlong) {
  save_tensors(folder_ / "diffusion_pytorch_model.safetensors", tiny_tensors("", 1), {});
  std::ofstream(folder_ / "Wan2.1_VAE.pth") << "something else";
  DitConfig config = dit_preset("tiny");
  config.num_heads = 2;
  std::ofstream(folder_ / "config.json") << to_json(config);
  std::filesystem::create_directory(folder_ / "to");
  convert_weights(request(folder_.path(), folder_ / "to/out.safetensors"));
  const TensorFile out = open_tensor_file(folder_ / "to/out.safetensors");
  EXPECT_EQ(find_stored_config(out, folder_ / "to/out.safetensors").config, config);
  EXPECT_EQ(out.metadata.at("format"), "pt");
}

TEST_F(Convert, RefusesACheckpointOfANewerProgram) {
  save_tensors(folder_ / "new.safetensors", tiny_tensors("", 1), {{kFormatVersionKey, "9"}});
  EXPECT_THAT(refusal_of([&] { convert_weights(request(folder_ / "new.safetensors", folder_ / "o.pt")); }),
              HasSubstr("format 9"));
}

TEST_F(Convert, OfAnUnsupportedDitWorksWithKeptNamesAlone) {
  save_tensors(folder_ / "plus.safetensors",
               tiny_tensors("", 1) + NamedTensors{{"memory_head.head.bias", at::ones({16})}}, {});
  ConvertRequest plus = request(folder_ / "plus.safetensors", folder_ / "out.safetensors");
  EXPECT_THAT(refusal_of([&] { convert_weights(plus); }), HasSubstr("SGF+"));
  plus.names = ConvertNames::kKeep;
  EXPECT_NO_THROW(convert_weights(plus));
}

TEST(WeightScan, CountsWhatIsNotFiniteInEveryType) {
  const TemporaryFolder folder;
  const at::Tensor bad = at::tensor({1.0, NAN, INFINITY, -INFINITY, 2.0});
  save_tensors(folder / "t.safetensors",
               {{"f64", bad.to(at::kDouble)},
                {"bf16", bad.to(at::kBFloat16)},
                {"f8", bad.to(at::kFloat8_e5m2)},
                {"complex", at::complex(at::zeros({5}), bad.to(at::kFloat))},
                {"good", at::ones({4})},
                {"empty", at::empty({0})},
                {"count", at::arange(3)}},
               {});
  const std::vector<NonFinite> found = scan_weights(open_tensor_file(folder / "t.safetensors"));
  ASSERT_EQ(found.size(), 4u);
  for (const NonFinite& tensor : found) {
    EXPECT_EQ(tensor.nan, 1) << tensor.name;
    EXPECT_EQ(tensor.infinite, 2) << tensor.name;
  }
}

}  // namespace
}  // namespace sgf

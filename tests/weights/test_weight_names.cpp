#include "sgf/weights/weight_names.h"
#include "tests/core/refusal.h"
#include "tests/weights/made_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace sgf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::set<std::string> names_of(const DitWeightIndex& index) {
  std::set<std::string> names;
  for (const auto& [name, entry] : index.tensors) names.insert(name);
  return names;
}

std::set<std::string> official_tiny_names() {
  std::set<std::string> names;
  for (const WeightShape& weight : tiny_weights()) names.insert(weight.name);
  return names;
}

// FSDP and activation checkpointing wrap modules in the middle of a name.
std::string wrap_blocks(const std::string& name) {
  if (!name.starts_with("blocks.")) return "model._fsdp_wrapped_module." + name;
  const size_t rest = name.find('.', 7) + 1;
  return "model._fsdp_wrapped_module." + name.substr(0, rest) + "_fsdp_wrapped_module._checkpoint_wrapped_module." +
         name.substr(rest);
}

TEST(ExpectedWeights, OfTheReleasedModelsCountTheirPublishedParameters) {
  const auto count = [](const char* preset) {
    int64_t total = 0;
    for (const WeightShape& weight : expected_dit_weights(dit_preset(preset))) {
      int64_t elements = 1;
      for (const int64_t size : weight.shape) elements *= size;
      total += elements;
    }
    return total;
  };
  EXPECT_EQ(count("wan-1.3b"), 1418996800);
  EXPECT_EQ(count("wan-14b"), 14288491584);
  EXPECT_EQ(expected_dit_weights(dit_preset("wan-1.3b")).size(), 825u);
}

TEST(DitWeights, AreFoundBare) {
  const TensorFile file = make_file(tiny_weights());
  const DitWeightIndex index = index_dit_weights(file);
  EXPECT_EQ(index.role, "");
  EXPECT_EQ(index.naming, "wan");
  EXPECT_THAT(index.prefixes, IsEmpty());
  EXPECT_EQ(names_of(index), official_tiny_names());
}

TEST(DitWeights, AreFoundUnderEveryWrapperAndNesting) {
  for (const std::string prefix :
       {"model.", "module.", "_orig_mod.", "diffusion_model.", "model.diffusion_model.", "_fsdp_wrapped_module.",
        "generator.model.", "generator_ema.model._fsdp_wrapped_module.", "state_dict.model.module._orig_mod.",
        "_orig_mod.module.model.", "critic.model._checkpoint_wrapped_module."}) {
    const TensorFile file = make_file(under(prefix, tiny_weights()));
    const DitWeightIndex index = index_dit_weights(file);
    EXPECT_EQ(names_of(index), official_tiny_names()) << prefix;
    EXPECT_THAT(index.unexpected, IsEmpty()) << prefix;
  }
}

TEST(DitWeights, LoseWrappersInTheMiddleOfNamesToo) {
  const TensorFile file = make_file(under("generator.", renamed(tiny_weights(), wrap_blocks)));
  const DitWeightIndex index = index_dit_weights(file);
  EXPECT_EQ(index.role, "generator");
  EXPECT_THAT(index.prefixes, ElementsAre("model.", "_fsdp_wrapped_module.", "_checkpoint_wrapped_module."));
  EXPECT_EQ(names_of(index), official_tiny_names());
}

TEST(DitWeights, KeepTheirNameInsideAForeignWrapper) {
  const TensorFile file = make_file(under("generator.my_wrapper.", tiny_weights()));
  EXPECT_EQ(index_dit_weights(file).role, "generator.my_wrapper");
}

TEST(DitWeights, OfDiffusersGetOfficialNames) {
  const TensorFile file = make_file(renamed(tiny_weights(), diffusers_name));
  const DitWeightIndex index = index_dit_weights(file);
  EXPECT_EQ(index.naming, "diffusers");
  EXPECT_EQ(names_of(index), official_tiny_names());
  EXPECT_EQ(index.tensors.at("blocks.1.norm3.weight")->name, "blocks.1.norm2.weight");
  EXPECT_EQ(index.tensors.at("head.modulation")->name, "scale_shift_table");
  EXPECT_EQ(index.tensors.at("blocks.1.modulation")->name, "blocks.1.scale_shift_table");
}

TEST(DiffusersNames, AreThoseOfItsReleasedFiles) {
  EXPECT_EQ(diffusers_name("blocks.29.cross_attn.o.bias"), "blocks.29.attn2.to_out.0.bias");
  EXPECT_EQ(diffusers_name("blocks.0.ffn.0.weight"), "blocks.0.ffn.net.0.proj.weight");
  EXPECT_EQ(diffusers_name("time_projection.1.weight"), "condition_embedder.time_proj.weight");
  EXPECT_EQ(diffusers_name("text_embedding.2.bias"), "condition_embedder.text_embedder.linear_2.bias");
  EXPECT_EQ(diffusers_name("head.head.weight"), "proj_out.weight");
  EXPECT_THAT(refusal_of([] { diffusers_name("blocks.0.norm1.weight"); }), HasSubstr("blocks.0.norm1.weight"));
}

TEST(OfficialNames, AreNotMadeOfOddBlockNumbers) {
  EXPECT_EQ(official_name("blocks.12.attn1.to_q.weight"), "blocks.12.self_attn.q.weight");
  for (const char* name : {"blocks.01.ffn.0.weight", "blocks.-1.ffn.0.weight", "blocks..ffn.0.weight", "blocks.3",
                           "blocks.99999999999999999999.ffn.0.weight", "blocks.1x.ffn.0.weight", "ffn.0.weight", ""}) {
    EXPECT_EQ(official_name(name), std::nullopt) << name;
  }
}

TEST(Roles, TheAverageComesBeforeTheWeightsItAverages) {
  const TensorFile file =
      make_file(together(together(under("critic.model.", tiny_weights()), under("generator.model.", tiny_weights())),
                         under("generator_ema.model.", tiny_weights())));
  const DitWeightIndex index = index_dit_weights(file);
  EXPECT_EQ(index.role, "generator_ema");
  EXPECT_THAT(index.other_roles, ElementsAre("critic", "generator"));
  EXPECT_EQ(index_dit_weights(file, "critic").role, "critic");
}

TEST(Roles, TrainingStartsFromTheWeightsAndACriticFromTheCritic) {
  const TensorFile file =
      make_file(together(together(under("critic.model.", tiny_weights()), under("generator.model.", tiny_weights())),
                         under("generator_ema.model.", tiny_weights())));
  const auto role_for = [](const TensorFile& weights, WeightPurpose purpose) {
    return index_dit_weights(weights, std::nullopt, purpose).role;
  };
  EXPECT_EQ(role_for(file, WeightPurpose::kTraining), "generator");
  EXPECT_EQ(role_for(file, WeightPurpose::kCritic), "critic");
  EXPECT_EQ(role_for(file, WeightPurpose::kInference), "generator_ema");
  EXPECT_EQ(describe_role_choice(index_dit_weights(file)), "generator_ema; the file also holds critic, generator");
  const TensorFile other =
      make_file(together(under("model.", tiny_weights()), under("generator_ema.", tiny_weights())));
  EXPECT_EQ(role_for(other, WeightPurpose::kTraining), "model");
  const TensorFile average = make_file(under("generator_ema.", tiny_weights()));
  EXPECT_EQ(role_for(average, WeightPurpose::kTraining), "generator_ema");
  EXPECT_EQ(role_for(average, WeightPurpose::kCritic), "generator_ema");
  EXPECT_EQ(describe_role_choice(index_dit_weights(average)), "");
}

TEST(Roles, AMissingOneIsRefusedWithThoseThatAreThere) {
  const TensorFile file = make_file(together(under("generator.", tiny_weights()), under("critic.", tiny_weights())));
  const std::string message = refusal_of([&] { index_dit_weights(file, "generator_ema"); });
  EXPECT_THAT(message, HasSubstr("no DiT under generator_ema"));
  EXPECT_THAT(message, HasSubstr("generator, critic"));
}

TEST(Roles, SeveralOfNoUsualNameMustBeChosenFrom) {
  const TensorFile file = make_file(together(under("left.", tiny_weights()), under("right.", tiny_weights())));
  EXPECT_THAT(refusal_of([&] { index_dit_weights(file); }), HasSubstr("left, right"));
  EXPECT_EQ(index_dit_weights(file, "right").tensors.size(), tiny_weights().size());
}

TEST(Roles, AFewRecordedGradientsAreNoDit) {
  const TensorFile file =
      make_file(together(under("w.", tiny_weights()), {{"grad.blocks.0.modulation", {1, 6, 96}}, {"in.x", {1}}}));
  const std::vector<DitWeightIndex> dits = find_dits(file);
  ASSERT_EQ(dits.size(), 1u);
  EXPECT_EQ(dits[0].role, "w");
  EXPECT_THAT(dits[0].unexpected, IsEmpty());
}

// The official encoder has 24 layers: as many norms of a name that diffusers gives a DiT's.
TEST(Roles, TheNormsOfATextEncoderAreNoDit) {
  Weights encoder{{"token_embedding.weight", {40, 8}}, {"norm.weight", {8}}};
  for (int layer = 0; layer < 24; ++layer) {
    const std::string block = fmt::format("blocks.{}.", layer);
    for (const char* name : {"norm1.weight", "norm2.weight"}) encoder.push_back({block + name, {8}});
    for (const char* name : {"attn.q.weight", "attn.k.weight", "attn.v.weight", "attn.o.weight", "ffn.fc1.weight"})
      encoder.push_back({block + name, {8, 8}});
  }
  EXPECT_THAT(find_dits(make_file(encoder)), IsEmpty());
  EXPECT_EQ(find_dits(make_file(renamed(tiny_weights(), diffusers_name))).size(), 1u);
}

TEST(Unexpected, NamesAreThoseUnderTheRoleAlone) {
  const TensorFile file = make_file(
      together(under("generator.", tiny_weights()),
               {{"generator.blocks.0.norm9.weight", {4}}, {"generator.step", {1}}, {"optimizer.state.0", {4}}}));
  EXPECT_THAT(index_dit_weights(file).unexpected, ElementsAre("generator.blocks.0.norm9.weight", "generator.step"));
}

TEST(Unsupported, MemoryTwinsAreRefusedAsSgfPlus) {
  const TensorFile inside = make_file(together(tiny_weights(), {{"blocks.0.self_attn.q.memory_weight", {96, 96}}}));
  const TensorFile outside = make_file(together(tiny_weights(), {{"memory_patch_embedding.weight", {96, 4, 1, 2, 2}}}));
  EXPECT_THAT(refusal_of([&] { index_dit_weights(inside); }), HasSubstr("SGF+"));
  EXPECT_THAT(refusal_of([&] { index_dit_weights(outside); }), HasSubstr("memory_*"));
  EXPECT_THAT(find_dits(inside).front().unsupported, HasSubstr("SGF+"));
}

TEST(Unsupported, ImageToVideoIsRefusedByName) {
  for (const char* name :
       {"img_emb.proj.1.weight", "blocks.0.cross_attn.k_img.weight",
        "condition_embedder.image_embedder.ff.net.0.proj.weight", "blocks.0.attn2.add_k_proj.bias"}) {
    const TensorFile file = make_file(together(tiny_weights(), {{name, {4}}}));
    EXPECT_THAT(refusal_of([&] { index_dit_weights(file); }), HasSubstr("image-to-video")) << name;
  }
}

TEST(Unsupported, TwoTensorsForOneWeightAreRefused) {
  const TensorFile file = make_file(together(tiny_weights(), {{"_orig_mod.head.modulation", {1, 2, 96}}}));
  const std::string message = refusal_of([&] { index_dit_weights(file); });
  EXPECT_THAT(message, HasSubstr("_orig_mod.head.modulation"));
}

TEST(OtherFiles, AreSaidToHoldNoDit) {
  const TensorFile encoder = make_file({{"token_embedding.weight", {8, 4}}, {"blocks.0.attn.q.weight", {4, 4}}});
  EXPECT_THAT(refusal_of([&] { index_dit_weights(encoder); }), HasSubstr("no Wan DiT"));
  EXPECT_THAT(refusal_of([] { index_dit_weights(make_file({})); }), HasSubstr("0 tensors"));
}

TEST(InferredConfig, RepeatsThePresets) {
  for (const std::string& name : dit_preset_names()) {
    const TensorFile file = make_outline(expected_dit_weights(dit_preset(name)));
    EXPECT_EQ(infer_dit_config(index_dit_weights(file)), dit_preset(name));
  }
}

TEST(InferredSizes, LeaveTheHeadsOpen) {
  const TensorFile file = make_file(tiny_weights());
  EXPECT_EQ(infer_dit_sizes(index_dit_weights(file)).num_heads, 0);
}

TEST(InferredConfig, AssumesHeadsOf128) {
  DitConfig config = dit_preset("tiny");
  config.dim = 256;
  config.num_heads = 2;
  config.text_len = 512;
  const TensorFile file = make_file(expected_dit_weights(config));
  EXPECT_EQ(infer_dit_config(index_dit_weights(file)), config);
}

TEST(InferredConfig, AsksForAConfigWhereHeadsCannotBeKnown) {
  DitConfig config = dit_preset("tiny");
  config.dim = 80;
  const TensorFile file = make_file(expected_dit_weights(config));
  EXPECT_THAT(refusal_of([&] { infer_dit_config(index_dit_weights(file)); }), HasSubstr("config.json"));
}

TEST(InferredConfig, NamesTheWeightThatIsMissingOrOdd) {
  const TensorFile missing = make_file(without("patch_embedding.weight", tiny_weights()));
  EXPECT_THAT(refusal_of([&] { infer_dit_config(index_dit_weights(missing)); }), HasSubstr("patch_embedding.weight"));

  Weights odd = tiny_weights();
  odd[0].shape = {96, 4, 0, 2, 2};
  const TensorFile empty = make_file(odd);
  EXPECT_THAT(refusal_of([&] { infer_dit_config(index_dit_weights(empty)); }), HasSubstr("[96, 4, 0, 2, 2]"));
}

}  // namespace
}  // namespace sgf

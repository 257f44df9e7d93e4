// Where the window of bare weights comes from: a config beside them, a place in a release, or nowhere.
#include "sgf/assembly/window_source.h"

#include "sgf/config/config.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// A few keys of the authors' file.
constexpr const char* kFlat = R"(
num_frame_per_block: 3
image_or_video_shape: [1, 21, 16, 60, 104]
model_kwargs: {model_name: Wan2.1-T2V-1.3B, timestep_shift: 5.0, local_attn_size: 9, sink_size: 3}
grad_mode: self_gradient_forcing
)";

struct WindowSources : ::testing::Test {
  testing::TemporaryFolder folder;

  fs::path put(const std::string& name, const std::string& text = "x") const {
    fs::create_directories((folder / name).parent_path());
    testing::write_text(folder / name, text);
    return folder / name;
  }
  std::string config_of(const std::string& weights) const {
    const auto source = find_window_source(put(weights));
    return source ? source->config : "";
  }
};

TEST_F(WindowSources, AConfigBesideTheWeightsIsTaken) {
  put("ours/config.yaml", "base: wan-1.3b-framewise\n");
  EXPECT_EQ(config_of("ours/model.pt"), (folder / "ours/config.yaml").string());
  put("flat/self_gradient_forcing_chunkwise.yaml", kFlat);
  EXPECT_EQ(config_of("flat/a.safetensors"), (folder / "flat/self_gradient_forcing_chunkwise.yaml").string());
  const Config config = load_config(folder / "flat/self_gradient_forcing_chunkwise.yaml", {}, {SGF_PRESETS});
  EXPECT_EQ(config.context.sink_frames, 3);
  EXPECT_EQ(config.context.block_frames, 3);
}

TEST_F(WindowSources, OtherYamlFilesBesideThemAreNot) {
  put("a/compose.yaml", "services: {web: {image: x}}\n");
  put("a/broken.yaml", "a: [\n");
  put("a/default_config.yaml", "independent_first_frame: false\nwarp_denoising_step: false\n");
  EXPECT_EQ(config_of("a/weights.pt"), "");
}

TEST_F(WindowSources, SeveralConfigsAreListedAndNoneIsTaken) {
  put("a/one.yaml", kFlat);
  put("a/two.yaml", "context: {block_frames: 1}\n");
  EXPECT_THAT(refusal_of([&] { find_window_source(put("a/weights.pt")); }), HasSubstr("has 2 configs beside it"));
  const fs::path weights = put("chunkwise/run7/model.pt");
  put("chunkwise/run7/one.yaml", kFlat);
  put("chunkwise/run7/two.yaml", kFlat);  // the folder says something, and is of nobody's release: only the user knows
  try {
    find_window_source(weights);
    FAIL() << "two configs beside the weights were not a question";
  } catch (const ModelQuestion& question) {
    EXPECT_THAT(question.what(), HasSubstr("has 2 configs beside it"));
    ASSERT_EQ(question.choices().size(), 3u);
    EXPECT_THAT(question.choices().front(), HasSubstr("--config " + (folder / "chunkwise/run7/one.yaml").string()));
    EXPECT_THAT(question.choices().back(), HasSubstr("--config wan-1.3b-chunkwise"));
  }
}

TEST_F(WindowSources, AReleasedNameCountsBesideSeveralConfigs) {
  put("a/one.yaml", kFlat);
  EXPECT_EQ(config_of("a/self_forcing_dmd.pt"), (folder / "a/one.yaml").string());  // a single one is its own
  put("a/two.yaml", kFlat);
  EXPECT_EQ(config_of("a/self_forcing_dmd.pt"), "self-forcing");
  put("chunkwise/ar/one.yaml", kFlat);
  put("chunkwise/ar/two.yaml", kFlat);
  EXPECT_EQ(config_of("chunkwise/ar/model.pt"), "wan-1.3b-chunkwise");
}

TEST_F(WindowSources, PlacesOfTheReleasesAreKnown) {
  EXPECT_EQ(config_of("checkpoints/framewise/ar/model.pt"), "wan-1.3b-framewise");
  EXPECT_EQ(config_of("checkpoints/chunkwise/ar/model.pt"), "wan-1.3b-chunkwise");
  EXPECT_EQ(config_of("mine/chunkwise/run7/model.pt"), "wan-1.3b-chunkwise");
  EXPECT_EQ(config_of("checkpoints/init/chunkwise/causal_cd.pt"), "causal-forcing-chunkwise");
  EXPECT_EQ(config_of("checkpoints/framewise/causal_ode.pt"), "causal-forcing-framewise");
  EXPECT_EQ(config_of("checkpoints/framewise/causal_forcing.pt"), "causal-forcing-framewise");
  EXPECT_EQ(config_of("checkpoints/self_forcing_dmd.pt"), "self-forcing");
  EXPECT_EQ(config_of("longlive_models/models/longlive_base.pt"), "longlive");
}

TEST_F(WindowSources, TheStartsOfTrainingInAReleaseNeedManySteps) {
  for (const char* granularity : {"init/framewise", "init/chunkwise", "framewise", "chunkwise"}) {
    const fs::path start = put(fmt::format("{}/ar_diffusion.pt", granularity));
    EXPECT_TRUE(find_window_source(start)->is_many_step);
    EXPECT_TRUE(is_many_step_release(start));
    EXPECT_FALSE(find_window_source(put(fmt::format("{}/causal_cd.pt", granularity)))->is_many_step);
  }
  EXPECT_FALSE(is_many_step_release(put("chunkwise/ar/model.pt")));
  EXPECT_FALSE(is_many_step_release(put("ar_diffusion.pt")));  // no place of a release
}

TEST_F(WindowSources, TheInnermostGranularityOfAPathCounts) {
  EXPECT_EQ(config_of("framewise/exp/chunkwise/model.pt"), "wan-1.3b-chunkwise");
  EXPECT_EQ(config_of("chunkwise/exp/framewise/run7/model.pt"), "wan-1.3b-framewise");
}

TEST_F(WindowSources, FoldersAboveTheWorkingDirectoryAreNoGround) {
  const fs::path before = fs::current_path();
  put("chunkwise/ar/model.pt");
  put("chunkwise/framewise/model.pt");
  fs::current_path(folder / "chunkwise");
  const auto bare = find_window_source("ar/model.pt");
  const auto named = find_window_source("framewise/model.pt");
  fs::current_path(before);
  EXPECT_FALSE(bare.has_value());
  ASSERT_TRUE(named.has_value());  // the user wrote this folder
  EXPECT_EQ(named->config, "wan-1.3b-framewise");
}

TEST_F(WindowSources, OtherPlacesAreNoGround) {
  EXPECT_EQ(config_of("checkpoints/model.pt"), "");
  EXPECT_EQ(config_of("chunkwise/longvideo.pt"), "");  // Causal-Forcing's, by another method
  EXPECT_EQ(config_of("my-chunkwise/model.pt"), "");
  EXPECT_EQ(config_of("my_self_forcing_dmd.pt"), "");
}

TEST_F(WindowSources, ChoicesAreThePresetsOfTheNetworksSize) {
  const std::vector<std::string> small = window_choices(dit_preset("wan-1.3b"));
  EXPECT_EQ(small.size(), 6u);
  EXPECT_THAT(small, Contains(HasSubstr("--config wan-1.3b-framewise ")));
  EXPECT_THAT(small.front(), HasSubstr("sink 4 + FIFO 16 + 1"));
  EXPECT_THAT(small, Contains(::testing::MatchesRegex(".*self-forcing .*sink 0 . FIFO 18 . 3 .*Self-Forcing")));
  EXPECT_THAT(small, Contains(::testing::MatchesRegex(".*longlive .*sink 3 . FIFO 6 . 3 .*")));
  EXPECT_THAT(small, Not(Contains(HasSubstr("14b"))));
  EXPECT_THAT(window_choices(dit_preset("wan-14b")), ::testing::ElementsAre(HasSubstr("--config wan-14b-chunkwise")));
  EXPECT_EQ(window_choices(dit_preset("tiny")).size(), 7u);  // of no known size: all
}

}  // namespace
}  // namespace sgf

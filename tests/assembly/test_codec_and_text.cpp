// A config's text encoder and codec are those of its world or of a Wan folder, and lengths planned without them hold.
#include "sgf/assembly/codec_and_text.h"

#include "sgf/assembly/random_wan.h"
#include "sgf/world/preset.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using ::testing::HasSubstr;

Config preset(const std::string& name) { return load_config(name, {}, {SGF_PRESETS}); }

void expect_planned_shape(const Config& config, const VideoCodec& codec) {
  const CodecShape shape = codec_shape(config);
  EXPECT_EQ(shape.spatial, codec.spatial_factor());
  for (const int64_t latents : {0, 1, 2, 7}) EXPECT_EQ(shape.pictures(latents), codec.picture_frames(latents));
}

TEST(CodecAndText, OfAWorldNeedNoFolder) {
  for (const char* name : {"world-tiny", "world-small"}) {
    const Config config = preset(name);
    expect_planned_shape(config, *build_codec(config, {}));
    EXPECT_EQ(build_text_encoder(config, {})->text_dim(), world_preset(name).text_dim);
  }
}

TEST(CodecAndText, OfRealVideosComeFromAWanFolder) {
  const testing::TemporaryFolder folder;
  const std::vector<PlannedFile> files = plan_random_wan({.folder = folder / "wan", .student = std::nullopt});
  prepare_random_wan(files, false);
  for (const PlannedFile& file : files) file.write([](uint64_t) {});
  const Config config = preset("wan-tiny");
  const PartSource source{.wan = folder / "wan", .cache_use = EmbeddingCache::Use::kReadOnly};
  expect_planned_shape(config, *build_codec(config, source));
  EXPECT_EQ(build_text_encoder(config, source)->text_dim(), config.model.text_dim);

  Config wider = config;
  wider.model.text_dim += 8;
  EXPECT_THAT(refusal_of([&] { build_text_encoder(wider, source); }), HasSubstr("the network reads width"));
  wider.model.in_dim += 1;
  EXPECT_THAT(refusal_of([&] { build_codec(wider, source); }), HasSubstr("channels, the network reads"));
}

TEST(CodecAndText, WithoutWorldAndFolderAreRefused) {
  const Config config = preset("wan-tiny");
  EXPECT_THAT(refusal_of([&] { build_text_encoder(config, {}); }), HasSubstr("pass --wan DIR"));
  EXPECT_THAT(refusal_of([&] { build_codec(config, {}); }), HasSubstr("pass --wan DIR"));
}

}  // namespace
}  // namespace sgf

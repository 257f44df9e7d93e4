// Videos and latents as files, through the VAE.
#include "sgf/core/error.h"
#include "sgf/diagnosis/vae_boundary.h"
#include "sgf/media/video_tensor.h"
#include "sgf/vae/latents_file.h"
#include "sgf/vae/vae_files.h"
#include "sgf/vae/vae_report.h"
#include "tests/core/temporary_folder.h"
#include "tests/media/read_video.h"
#include "tests/vae/tiny_vae.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using testing::read_video;
using testing::test_normal;
using testing::test_video;
using testing::tiny_codec;

void say_nothing(int64_t, int64_t) {}

TEST(LatentsFile, WhatGrewInPiecesIsReadBackWhole) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "latents.safetensors";
  const at::Tensor latents = test_normal({5, 4, 2, 3}, 0, at::kFloat);
  LatentsWriter writer(path, {.fps = 12.5, .vae = "a \"quoted\" name"});
  writer.add(latents.narrow(0, 0, 2));
  EXPECT_FALSE(fs::exists(path));  // not before it is whole
  writer.add(latents.narrow(0, 2, 3));
  EXPECT_THROW(writer.add(test_normal({1, 4, 2, 4})), Error);
  writer.finish();
  const LatentsReader reader(path);
  EXPECT_TRUE(at::equal(reader.latents(), latents));
  EXPECT_EQ(reader.note().fps, 12.5);
  EXPECT_EQ(reader.note().vae, "a \"quoted\" name");
}

TEST(LatentsFile, AnEmptyOneIsNeverWritten) {
  const testing::TemporaryFolder folder;
  LatentsWriter writer(folder.path() / "none.safetensors", {});
  EXPECT_THROW(writer.finish(), Error);
}

TEST(VaeFiles, AFolderOfPicturesBecomesTheLatentsOfItsPicturesAndComesBack) {
  const testing::TemporaryFolder folder;
  const WanVaeCodec codec = tiny_codec({}, at::kFloat);
  fs::create_directory(folder.path() / "in");
  write_png_frames(folder.path() / "in", test_video({22, 3, 10, 13}));  // more than are read at once, and a rest
  const EncodeOrder encode{.video = folder.path() / "in", .latents = folder.path() / "l.safetensors", .crop = true};
  const EncodedVideo encoded = encode_video(codec, encode, say_nothing);
  EXPECT_EQ(encoded.pictures, 22);
  EXPECT_EQ(encoded.latents, 6);
  EXPECT_EQ(encoded.height, 8);
  EXPECT_EQ(encoded.width, 12);
  EXPECT_NE(encoded.warning.find("the last 1 of 22 frames is left out"), std::string::npos);

  const at::Tensor video = read_video(folder.path() / "in").narrow(2, 1, 8).narrow(3, 0, 12).unsqueeze(0);
  EXPECT_TRUE(at::equal(LatentsReader(encode.latents).latents(), codec.encode(video)[0]));

  int64_t last_done = 0, last_total = 0;
  const DecodeOrder decode{.latents = encode.latents, .video = folder.path() / "out"};
  const DecodedVideo decoded = decode_video(codec, decode, [&](int64_t done, int64_t total) {
    last_done = done;
    last_total = total;
  });
  EXPECT_EQ(decoded.pictures, 21);
  EXPECT_EQ(last_done, 21);
  EXPECT_EQ(last_total, 21);
  EXPECT_EQ(read_video(folder.path() / "out").size(0), 21);
  EXPECT_THROW(decode_video(codec, decode, say_nothing), Error);  // the folder is no longer empty
}

TEST(VaeFiles, PicturesAreCutOnlyWhereThatWasAskedFor) {
  const CropWindow window = crop_window(486, 854, 8, /*may_cut=*/true);
  EXPECT_EQ(window.height, 480);
  EXPECT_EQ(window.width, 848);
  EXPECT_EQ(window.top, 3);
  EXPECT_EQ(window.left, 3);
  EXPECT_THROW(crop_window(486, 854, 8, false), Error);
  EXPECT_NO_THROW(crop_window(480, 832, 8, false));
  EXPECT_THROW(crop_window(7, 854, 8, true), Error);
}

TEST(VaeReport, SaysWhatAFileHoldsAndLacks) {
  const testing::TemporaryFolder folder;
  NamedTensors tensors;
  for (const auto& [name, tensor] : random_vae_weights(testing::tiny_vae_config(), 1, at::kFloat).tensors)
    if (name != "decoder.head.2.bias") tensors.emplace_back(name, tensor);
  save_tensors(folder.path() / "vae.safetensors", tensors, {});
  const auto report = report_vae(open_tensor_file(folder.path() / "vae.safetensors"));
  ASSERT_TRUE(report.has_value());
  EXPECT_FALSE(report->is_whole());
  EXPECT_EQ(report->faults.missing, std::vector<std::string>{"decoder.head.2.bias"});
  EXPECT_NE(architecture_of(*report).find("dim 8, z_dim 4, dim_mult [1, 2, 2]"), std::string::npos);
  EXPECT_FALSE(report_vae(open_tensor_file(SGF_TEST_DATA "/weights/nested.pt")).has_value());
}

TEST(VaeBoundary, WindowsEndWithTheVideoAndTheWholePrefixIsNoErrorAtAll) {
  const WanVaeCodec codec = tiny_codec();
  const auto rows = measure_vae_boundary(codec, test_video({1, 13, 3, 8, 8}), 3);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].begin, 9);  // fresh: the last four pictures
  EXPECT_EQ(rows[1].begin, 8);  // W=0: and the one before them
  EXPECT_EQ(rows[3].begin, 0);  // W=2 is everything here
  EXPECT_EQ(rows[3].relative_l2, 0);
  EXPECT_GT(rows[0].relative_l2, rows[2].relative_l2);
  EXPECT_GT(rows[1].relative_l2, rows[2].relative_l2);
  EXPECT_THROW(measure_vae_boundary(codec, test_video({1, 13, 3, 8, 8}), 4), Error);
  EXPECT_THROW(measure_vae_boundary(codec, test_video({1, 12, 3, 8, 8}), 1), Error);
}

}  // namespace
}  // namespace sgf

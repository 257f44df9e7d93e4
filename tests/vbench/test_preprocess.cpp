// Preparing pictures: sizes and crops as torchvision and VBench compute them. Pixels are held by a recording.
#include "sgf/vbench/preprocess.h"

#include "tests/core/refusal.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

at::Tensor ramp(int64_t frames, int64_t height, int64_t width) {
  return at::arange(frames * height * width * 3, at::kLong)
      .remainder(251)
      .to(at::kByte)
      .view({frames, height, width, 3});
}

TEST(Preprocess, TheLongSideIsTruncated) {
  EXPECT_EQ(with_shorter_side({480, 832}, 224), (PictureSize{224, 388}));  // 388.27
  EXPECT_EQ(with_shorter_side({1080, 1919}, 224), (PictureSize{224, 398}));
  EXPECT_EQ(with_shorter_side({832, 480}, 224), (PictureSize{388, 224}));
}

TEST(Preprocess, AHalfPixelGoesToTheEvenNeighbour) {
  EXPECT_EQ(crop_corner({224, 399}, 224), (PictureSize{0, 88}));  // 87.5
  EXPECT_EQ(crop_corner({224, 401}, 224), (PictureSize{0, 88}));  // 88.5
  EXPECT_EQ(crop_corner({224, 400}, 224), (PictureSize{0, 88}));
}

TEST(Preprocess, SomeLongSidesLoseAPixelOf512) {
  EXPECT_EQ(imaging_size({448, 784}), (PictureSize{292, 511}));
  EXPECT_EQ(imaging_size({480, 832}), (PictureSize{295, 512}));
  EXPECT_EQ(imaging_size({300, 512}), (PictureSize{300, 512}));
}

TEST(Preprocess, EveryTransformGivesTheShapeOfItsNetwork) {
  const at::Tensor pictures = ramp(2, 30, 50);
  const auto shape = [&](const at::Tensor& x) { return x.sizes().vec(); };
  EXPECT_EQ(shape(clip_transform(pictures, at::kFloat)), (std::vector<int64_t>{2, 3, 224, 224}));
  EXPECT_EQ(shape(dino_transform(pictures, at::kFloat)), (std::vector<int64_t>{2, 3, 224, 373}));
  EXPECT_EQ(shape(dinov2_transform(pictures, at::kFloat)), (std::vector<int64_t>{2, 3, 224, 224}));
  EXPECT_EQ(shape(dreamsim_transform(pictures, at::kFloat)), (std::vector<int64_t>{2, 3, 224, 224}));
  EXPECT_EQ(shape(imaging_transform(pictures, at::kFloat)), (std::vector<int64_t>{2, 3, 30, 50}));
}

TEST(Preprocess, APictureIsPreparedTheSameInAnyCompany) {
  const at::Tensor pictures = ramp(3, 31, 47);
  for (const auto transform : {clip_transform, dino_transform, dinov2_transform, dreamsim_transform, imaging_transform})
    EXPECT_TRUE(at::equal(transform(pictures, at::kFloat)[1], transform(pictures.slice(0, 1, 2), at::kFloat)[0]));
}

TEST(Preprocess, OnlyPicturesOfBytesAreTaken) {
  EXPECT_THAT(refusal_of([] {
                dino_transform(at::zeros({1, 3, 8, 8}, at::kByte), at::kFloat);
              }),
              ::testing::HasSubstr("uint8 [F, H, W, 3], got Byte [1, 3, 8, 8]"));
  EXPECT_THAT(refusal_of([] {
                dino_transform(at::zeros({1, 8, 8, 3}), at::kFloat);
              }),
              ::testing::HasSubstr("got Float"));
}

}  // namespace
}  // namespace sgf

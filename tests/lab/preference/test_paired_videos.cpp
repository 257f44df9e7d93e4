// What videos to compare say of themselves.
#include "lab/preference/paired_videos.h"

#include <gtest/gtest.h>

#include <string>

namespace sgf {
namespace {

std::string nested() { return std::string(100'000, '[') + std::string(100'000, ']'); }

TEST(VideoNotes, NestedOnesAreSomebodyElses) {
  PairedVideo video;
  take_note(video, R"({"prompts":)" + nested() + R"(,"seed":1})");
  EXPECT_FALSE(video.identity.has_value());
  take_note(video, R"({"prompts":[{"at":0,"prompt":"a ball"}],"seed":1})");
  EXPECT_EQ(video.caption, "a ball");
}

}  // namespace
}  // namespace sgf

// Captions say the captioned factors and nothing else, and can be read back; strangers are refused with a hint.
#include "sgf/world/caption.h"

#include "../core/refusal.h"
#include "sgf/world/scene.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::HasSubstr;

TEST(Caption, ReadsAsASentence) {
  const WorldCaption caption{.objects = {{SpeedWord::kFast, ColourWord::kRed, ShapeWord::kDisc},
                                         {SpeedWord::kSlow, ColourWord::kBlue, ShapeWord::kSquare}},
                             .background = BackgroundWord::kGrey};
  EXPECT_EQ(caption_text(caption), "a fast red disc and a slow blue square on a grey field");
}

TEST(Caption, IsParsedBackToItsFactors) {
  for (const std::string& name : world_preset_names()) {
    for (int64_t clip = 0; clip < 200; ++clip) {
      const WorldCaption caption = draw_caption(world_preset(name), 3, clip);
      ASSERT_EQ(parse_caption(caption_text(caption)), caption);
    }
  }
}

TEST(Caption, DoesNotMindCapitalsCommasAndSpaces) {
  EXPECT_EQ(parse_caption("  A fast  Red disc, on a grey field. "), parse_caption("a fast red disc on a grey field"));
}

TEST(Caption, RefusesAnUnknownWordAndNamesTheNearest) {
  EXPECT_THAT(refusal_of([] { parse_caption("a fast red dusc on a grey field"); }),
              HasSubstr("unknown word 'dusc' in a caption; did you mean disc?"));
  EXPECT_THAT(refusal_of([] { world_tokens("elephant"); }), HasSubstr("unknown word 'elephant'"));
}

TEST(Caption, RefusesAnotherFormAndSaysWhereItLeaves) {
  EXPECT_THAT(refusal_of([] { parse_caption("a red fast disc on a grey field"); }),
              HasSubstr("word 2 must be slow, fast, got 'red'"));
  EXPECT_THAT(refusal_of([] { parse_caption("a fast red disc"); }), HasSubstr("word 5 must be 'on', got the end"));
  EXPECT_THAT(refusal_of([] { parse_caption("a fast red disc on a grey field field"); }), HasSubstr("the end"));
  EXPECT_THAT(refusal_of([] { parse_caption(""); }), HasSubstr("got the end"));
}

TEST(Caption, RefusesAColourThatNamesTwoObjects) {
  EXPECT_THAT(refusal_of([] { parse_caption("a fast red disc and a slow red square on a grey field"); }),
              HasSubstr("two objects are red"));
}

// Models are trained on these places: a word that moved would be another word to them.
TEST(Caption, SaysHowManyObjectsATextNames) {
  EXPECT_EQ(count_named_objects("a fast red disc and a slow blue square on a grey field"), 2);
  EXPECT_EQ(count_named_objects("a Red Disc."), 1);
  EXPECT_EQ(count_named_objects("on a grey field"), 0);
}

TEST(Caption, VocabularyNeverChangesItsOrder) {
  EXPECT_EQ(world_vocabulary(),
            (std::vector<std::string>{"a", "and", "on", "field", "red", "yellow", "green", "cyan", "blue", "magenta",
                                      "disc", "square", "triangle", "slow", "fast", "black", "grey", "brown", "navy"}));
}

}  // namespace
}  // namespace sgf

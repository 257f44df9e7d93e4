// Text in pages: escaped, encoded, and filled into assets by name.
#include "sgf/report/html_text.h"

#include "tests/core/refusal.h"

namespace sgf {
namespace {

using ::testing::HasSubstr;

TEST(HtmlText, EscapesAllThatCouldEndATextOrAnAttribute) {
  EXPECT_EQ(escape_html("<a href=\"x\">&'é"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;é");
}

TEST(HtmlText, Base64IsThatOfTheRfc) {  // RFC 4648, section 10
  EXPECT_EQ(encode_base64(""), "");
  EXPECT_EQ(encode_base64("f"), "Zg==");
  EXPECT_EQ(encode_base64("fo"), "Zm8=");
  EXPECT_EQ(encode_base64("foo"), "Zm9v");
  EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encode_base64("\xff\xfe\xfd"), "//79");
}

TEST(HtmlText, APageIsFilledByNameAndItsTextsAreNotSearched) {
  EXPECT_EQ(fill_page("<b>{{a}}</b>{{b}}{{a}}", {{"a", "{{b}}"}, {"b", "2"}}), "<b>{{b}}</b>2{{b}}");
  EXPECT_THAT(refusal_of([] { fill_page("<b>{{c}}</b>", {{"a", ""}}); }), HasSubstr("has a placeholder 'c'"));
  EXPECT_THAT(refusal_of([] { fill_page("<b>{{a", {{"a", ""}}); }), HasSubstr("placeholder without end: '{{a'"));
}

TEST(HtmlText, PartsOfAPageBringTheirOwnLineBreaks) {
  EXPECT_EQ(fill_page("{{part}}\n{{none}}\n{{word}}\n", {{"part", "1\n2\n"}, {"none", ""}, {"word", "3"}}),
            "1\n2\n3\n");
}

}  // namespace
}  // namespace sgf

// Prompts as anyone may type them: cleaning, and each part of it on its own.
#include "fuzz/fuzz_target.h"

#include "sgf/files/text_file.h"
#include "sgf/text/code_points.h"
#include "sgf/text/html_unescape.h"
#include "sgf/text/mojibake.h"
#include "sgf/text/mojibake_signs.h"
#include "sgf/text/nfc.h"
#include "sgf/text/prompt_cleaning.h"

#include <algorithm>

namespace sgf::fuzz {
namespace {

// NUL, which is UTF-8, is none of a text file's characters.
bool is_text(std::string text) {
  std::ranges::replace(text, '\0', ' ');
  return is_utf8(text);
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

void clean(std::string_view input) {
  const std::string fixed = fix_text(input), cleaned = clean_prompt(input);
  must(is_text(fixed) && is_text(cleaned), "cleaned text is UTF-8");
  // Unescaping comes last, as in Wan, and refuses to make controls.
  must(std::ranges::none_of(cleaned, is_control), "a cleaned prompt holds no control characters");
  must(!cleaned.starts_with(' ') && !cleaned.ends_with(' '), "no space stays at either end");
  must(cleaned.find("  ") == std::string::npos, "no two spaces stay together");
}

void unescape(std::string_view input) {
  const std::u32string text = decode_utf8(input);
  must(text.size() <= input.size(), "no byte becomes two characters");
  must(unescape_html(text).size() <= text.size(), "an escape is no shorter than what it stands for");
  must(unescape_whole_entities(text).size() <= text.size(), "an entity is no shorter than what it stands for");
}

void mend(std::string_view input) {
  const std::u32string text = decode_utf8(input);
  const std::u32string mended = mend_mojibake(text);
  must(mended.size() <= text.size(), "mending joins characters, and makes none");
  must(mend_mojibake(mended) == mended, "mended text is left alone");
  must(read_c1_as_1252(mended).size() == mended.size(), "a control becomes one character");
}

void compose(std::string_view input) {
  const std::u32string text = decode_utf8(input);
  const std::u32string composed = to_nfc(text);
  must(to_nfc(composed) == composed, "normal form C of itself is itself");
  must(is_text(encode_utf8(composed)), "text is encoded as UTF-8");
  if (const auto strict = decode_strict_utf8(input))
    must(strict->size() <= text.size(), "both readings are of one text");
}

const Registered cleaning("prompt_cleaning", clean);
const Registered html("html_unescape", unescape);
const Registered mojibake("mojibake", mend);
const Registered nfc("nfc", compose);

}  // namespace
}  // namespace sgf::fuzz

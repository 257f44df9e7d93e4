// SentencePiece models, and prompts through one that is whole.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/text/prompt_cleaning.h"
#include "sgf/text/tokenizer.h"

namespace sgf::fuzz {
namespace {

constexpr int64_t kShort = 8, kLong = 4'000'000;

void must_be_in_range(const Tokens& tokens, const Tokenizer& tokenizer, int64_t limit) {
  must(!tokens.ids.empty() && tokens.ids.back() == kEndId, "ids end with the end");
  must(static_cast<int64_t>(tokens.ids.size()) <= limit && tokens.cut >= 0, "no more ids than asked for");
  for (const int64_t id : tokens.ids) must(id >= 0 && id < tokenizer.vocabulary(), "an id is a piece's");
}

void encode(std::string_view text, const Tokenizer& tokenizer) {
  const Tokens whole = tokenizer.encode(text, kLong), part = tokenizer.encode(text, kShort);
  must_be_in_range(whole, tokenizer, kLong);
  must_be_in_range(part, tokenizer, kShort);
  must(part.ids.size() + static_cast<size_t>(part.cut) == whole.ids.size(), "what is cut is counted");
}

void read_model(std::string_view input) {
  const char* name = "outside.model";
  const auto path = scratch_file(name, input);
  const auto model = read_or_refuse(name, [&] { return std::make_unique<Tokenizer>(path); });
  if (!model) return;
  encode("a fast red disc\xe2\x80\xa6 on a \xe7\x81\xb0 field", **model);
  encode(input.substr(0, 256), **model);
}

void encode_text(std::string_view input) {
  static const Tokenizer plain(std::filesystem::path(SGF_TEST_DATA) / "text/plain_unigram.model");
  static const Tokenizer with_table(std::filesystem::path(SGF_TEST_DATA) / "text/tiny_unigram.model");
  encode(input, plain);
  encode(input, with_table);
  encode(clean_prompt(input), with_table);
}

const Registered model("spiece_model", read_model);
const Registered text("tokenizer_text", encode_text);

}  // namespace
}  // namespace sgf::fuzz

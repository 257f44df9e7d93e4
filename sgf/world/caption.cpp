#include "sgf/world/caption.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace sgf {
namespace {

template <NamedEnum E>
void append_names(std::vector<std::string>& words) {
  for (const auto& known : enum_names(E{})) words.emplace_back(known.name);
}

std::vector<std::string> make_vocabulary() {
  std::vector<std::string> words = {"a", "and", "on", "field"};
  append_names<ColourWord>(words);
  append_names<ShapeWord>(words);
  append_names<SpeedWord>(words);
  append_names<BackgroundWord>(words);
  return words;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isspace(byte) || c == ',' || c == '.') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += static_cast<char>(std::tolower(byte));
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

int64_t token_of(const std::string& word) {
  const std::vector<std::string>& known = world_vocabulary();
  const auto found = std::ranges::find(known, word);
  if (found != known.end()) return found - known.begin();
  const std::optional<std::string> nearest = nearest_name(word, known);
  fail("unknown word {} in a caption{}", in_quotes(word),
       nearest ? fmt::format("; did you mean {}?", *nearest)
               : fmt::format("; the known words are {}", fmt::join(known, ", ")));
}

// Walks over the words of a caption and reports where the sentence has the wrong form.
class Sentence {
 public:
  explicit Sentence(std::string_view text) : text_(text), words_(split_words(text)) {
    for (const std::string& word : words_) token_of(word);
  }

  bool is_at(std::string_view word) const { return next_ < words_.size() && words_[next_] == word; }

  void expect(std::string_view word) {
    if (!is_at(word)) fail_expecting(fmt::format("'{}'", word));
    ++next_;
  }

  template <NamedEnum E>
  E take() {
    const auto value = next_ < words_.size() ? enum_from_name<E>(words_[next_]) : std::nullopt;
    if (!value) fail_expecting(all_enum_names<E>());
    ++next_;
    return *value;
  }

  void expect_end() const {
    if (next_ < words_.size()) fail_expecting("the end");
  }

 private:
  [[noreturn]] void fail_expecting(const std::string& what) const {
    fail(
        "caption {}: word {} must be {}, got {}; write for example 'a fast red "
        "disc on a grey field'",
        in_quotes(text_), next_ + 1, what, next_ < words_.size() ? in_quotes(words_[next_]) : "the end");
  }

  std::string text_;
  std::vector<std::string> words_;
  size_t next_ = 0;
};

ObjectWords take_object(Sentence& sentence) {
  sentence.expect("a");
  ObjectWords words{.speed = sentence.take<SpeedWord>()};
  words.colour = sentence.take<ColourWord>();
  words.shape = sentence.take<ShapeWord>();
  return words;
}

void add_object(WorldCaption& caption, const ObjectWords& words) {
  const auto same = [&](const ObjectWords& other) { return other.colour == words.colour; };
  SGF_CHECK(std::ranges::none_of(caption.objects, same), "two objects are {}; each object needs a different colour",
            enum_name(words.colour));
  caption.objects.push_back(words);
}

}  // namespace

std::string caption_text(const WorldCaption& caption) {
  std::string text;
  for (const ObjectWords& words : caption.objects) {
    text += fmt::format("{}a {} {} {}", text.empty() ? "" : " and ", enum_name(words.speed), enum_name(words.colour),
                        enum_name(words.shape));
  }
  return fmt::format("{} on a {} field", text, enum_name(caption.background));
}

WorldCaption parse_caption(std::string_view text) {
  Sentence sentence(text);
  WorldCaption caption;
  add_object(caption, take_object(sentence));
  while (sentence.is_at("and")) {
    sentence.expect("and");
    add_object(caption, take_object(sentence));
  }
  sentence.expect("on");
  sentence.expect("a");
  caption.background = sentence.take<BackgroundWord>();
  sentence.expect("field");
  sentence.expect_end();
  return caption;
}

const std::vector<std::string>& world_vocabulary() {
  static const std::vector<std::string> words = make_vocabulary();
  return words;
}

int64_t count_named_objects(std::string_view text) {
  return std::ranges::count_if(split_words(text),
                               [](const std::string& word) { return enum_from_name<ShapeWord>(word).has_value(); });
}

std::vector<int64_t> world_tokens(std::string_view text) {
  std::vector<int64_t> tokens;
  for (const std::string& word : split_words(text)) tokens.push_back(token_of(word));
  return tokens;
}

}  // namespace sgf

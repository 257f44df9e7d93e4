#include "sgf/dataset/captions.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/strict_json.h"
#include "sgf/files/text_file.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace sgf {
namespace {

using Json = nlohmann::json;
using Row = std::vector<std::string>;

const std::vector<std::string> kFileNames{"file", "video", "file_name", "path"};
const std::vector<std::string> kCaptionNames{"caption", "text", "prompt"};

// Collects captions; errors say where the list is wrong.
class CaptionList {
 public:
  explicit CaptionList(std::string name) : name_(std::move(name)) {}

  void add(const std::string& file, const std::string& caption, size_t place) {
    SGF_CHECK(!trimmed(file).empty(), "{}: entry {} has no file name", name_, place);
    const auto [found, is_new] = captions_.emplace(trimmed(file), trimmed(caption));
    SGF_CHECK(is_new || found->second == trimmed(caption), "{}: entry {}: {} already has another caption: {}", name_,
              place, found->first, in_quotes(found->second));
  }

  void add(const Json& entry, size_t place) {
    SGF_CHECK(entry.is_object(), R"({}: entry {} is not an object {{"file": ..., "caption": ...}})", name_, place);
    add(text_of(entry, kFileNames, place), text_of(entry, kCaptionNames, place), place);
  }

  const std::string& name() const { return name_; }

  [[noreturn]] void refuse(std::string_view why) const { fail("{}: {}", name_, why); }

  Captions take() { return std::move(captions_); }

 private:
  std::string text_of(const Json& entry, const std::vector<std::string>& names, size_t place) const {
    for (const std::string& name : names)
      if (const auto found = entry.find(name); found != entry.end() && found->is_string())
        return found->get<std::string>();
    fail("{}: entry {} has no text under any of the keys {}", name_, place, fmt::join(names, ", "));
  }

  std::string name_;
  Captions captions_;
};

void add_json(const std::string& text, CaptionList& list) {
  const Json json = parse_strict_json(text, list.name());
  size_t place = 0;
  if (json.is_array()) {
    for (const Json& entry : json) list.add(entry, ++place);
    return;
  }
  if (!json.is_object())
    list.refuse(R"(is not a list of captions; expected {"a.mp4": "a caption", ...} or a list of objects)");
  for (const auto& [file, caption] : json.items()) {
    if (!caption.is_string()) list.refuse(fmt::format("the caption of {} is not text", in_quotes(file)));
    list.add(file, caption.get<std::string>(), ++place);
  }
}

void add_json_lines(const std::string& text, CaptionList& list) {
  size_t place = 0;
  for (size_t at = 0; at < text.size(); ++place) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (line.empty()) continue;
    list.add(parse_strict_json(line, fmt::format("{}: line {}", list.name(), place + 1)), place + 1);
  }
}

// Fields separated by commas. Inside quotes commas, line breaks and doubled quotes are text.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  // The next row, or nullopt after the last; empty lines are skipped.
  std::optional<Row> next() {
    while (at_ < text_.size() && is_break()) ++at_;
    if (at_ >= text_.size()) return std::nullopt;
    Row row{field()};
    while (at_ < text_.size() && text_[at_] == ',') {
      ++at_;
      row.push_back(field());
    }
    return row;
  }

  bool is_open() const { return is_open_; }  // a quote is not closed

 private:
  bool is_break() const { return text_[at_] == '\n' || text_[at_] == '\r'; }

  std::string field() {
    std::string value;
    if (at_ < text_.size() && text_[at_] == '"') value = quoted();
    while (at_ < text_.size() && text_[at_] != ',' && !is_break()) value += text_[at_++];
    return value;
  }

  std::string quoted() {
    std::string value;
    is_open_ = true;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != '"') {
        value += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        value += text_[++at_];
      } else {
        is_open_ = false;
        ++at_;
        break;
      }
    }
    return value;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool is_open_ = false;
};

std::optional<size_t> column_of(const Row& header, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    for (size_t i = 0; i < header.size(); ++i)
      if (trimmed(header[i]) == name) return i;
  return std::nullopt;
}

void add_csv(const std::string& text, CaptionList& list) {
  CsvReader reader(text);
  const Row header = reader.next().value_or(Row{});
  const std::optional<size_t> file = column_of(header, kFileNames), caption = column_of(header, kCaptionNames);
  if (!file || !caption)
    list.refuse(fmt::format("its first line must name the columns, including file and caption, got {}",
                            in_quotes(fmt::format("{}", fmt::join(header, ",")))));
  size_t place = 1;
  while (const std::optional<Row> row = reader.next()) {
    ++place;
    if (reader.is_open()) list.refuse(fmt::format("row {} has an opening quote without a closing one", place));
    if (row->size() != header.size())
      list.refuse(fmt::format("row {} has {} fields, expected {}; put captions with commas in quotes", place,
                              row->size(), header.size()));
    list.add((*row)[*file], (*row)[*caption], place);
  }
}

}  // namespace

Captions read_captions(const std::filesystem::path& path) {
  const std::string text = read_text_file(path, "captions");
  const std::string kind = path.extension().string();
  CaptionList list(path.string());
  if (kind == ".json") {
    add_json(text, list);
  } else if (kind == ".jsonl") {
    add_json_lines(text, list);
  } else if (kind == ".csv") {
    add_csv(text, list);
  } else {
    list.refuse("captions must be a .json, .jsonl or .csv file; or put a .txt file beside each video");
  }
  return list.take();
}

}  // namespace sgf

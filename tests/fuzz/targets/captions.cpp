// Lists of captions: one input as .json, .jsonl and .csv.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/dataset/captions.h"
#include "sgf/files/text_file.h"

namespace sgf::fuzz {
namespace {

void read(std::string_view input) {
  for (const char* name : {"captions.json", "captions.jsonl", "captions.csv"}) {
    const auto captions = read_or_refuse(name, [&] { return read_captions(scratch_file(name, input)); });
    if (!captions) continue;
    for (const auto& [file, caption] : *captions) {
      must(!file.empty(), "a caption names its file");
      must(trimmed(file) == file && trimmed(caption) == caption, "no blanks stay at either end");
      must(is_utf8(file) && is_utf8(caption), "captions are UTF-8");
    }
  }
}

const Registered target("captions", read);

}  // namespace
}  // namespace sgf::fuzz

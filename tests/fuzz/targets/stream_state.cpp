// The state of a stream that --continue takes up: the order inside it, and where its files end.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/files/checkpoint_format.h"
#include "sgf/files/safetensors.h"
#include "sgf/streaming/stream_note.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.state";

StreamNote written_and_read(const StreamNote& note) {
  std::map<std::string, std::string> metadata = to_metadata(note);
  stamp(metadata, "stream");
  const std::filesystem::path again = scratch_folder() / kName;
  write_safetensors(again, {}, metadata);
  return read_stream_note(open_checkpoint(again, "stream"), again);
}

// The input is the note's words, of which a random change to a whole file would rarely leave two in place.
void read_words(std::string_view input) {
  const size_t cut = std::min(input.find('\n'), input.size());
  TensorFile file;
  file.metadata = {{"order", std::string(input.substr(0, cut))},
                   {"places", std::string(input.substr(std::min(cut + 1, input.size())))}};
  const auto note = read_or_refuse(kName, [&] { return read_stream_note(file, kName); });
  if (!note) return;
  must(note->pictures.pictures >= 0 && note->pictures.bytes >= 0, "no file ends before it begins");
  must(written_and_read(*note) == *note, "written and read again, a note is equal");
}

void read_file(std::string_view input) {
  const auto path = scratch_file(kName, input);
  do_or_refuse(kName, [&] { read_stream_note(open_checkpoint(path, "stream"), path); });
}

const Registered words("stream_words", read_words);
const Registered whole("stream_state", read_file);

}  // namespace
}  // namespace sgf::fuzz

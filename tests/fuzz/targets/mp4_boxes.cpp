// mp4 files by their boxes: how far one has grown, and the same without the words in it.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "lab/preference/blinding.h"
#include "sgf/media/video_fragments.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.mp4";

void must_fit(const GrownVideo& video, int64_t bytes) {
  must(video.head_bytes > 0 && video.head_bytes <= video.bytes && video.bytes <= bytes, "a video lies within its file");
  must(video.pictures >= 0 && video.last_fragment >= 0, "nothing is counted below zero");
}

void read(std::string_view input) {
  const auto path = scratch_file(kName, input);
  const auto size = static_cast<int64_t>(input.size());
  const auto video = read_or_refuse(kName, [&] { return scan_grown_video(path); });
  if (video) must_fit(*video, size);
  if (const auto part = find_grown_video(path, size / 2)) must_fit(*part, size / 2);
  std::string blind(input);
  forget_words(blind);
  must(blind.size() == input.size(), "a file without its words is as long as before");
  std::string twice = blind;
  forget_words(twice);
  must(twice == blind, "words are forgotten at once");
}

const Registered target("mp4_boxes", read);

}  // namespace
}  // namespace sgf::fuzz

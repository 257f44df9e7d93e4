// The note that a video carries: what made it, read for making it again and for pairing it with another.
#include "fuzz/fuzz_target.h"

#include "lab/preference/paired_videos.h"
#include "sgf/files/strict_json.h"
#include "sgf/streaming/generate_order.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.mp4";

void read(std::string_view input) {
  PairedVideo video;
  take_note(video, std::string(input));
  const auto json =
      read_or_refuse(kName, [&] { return parse_strict_json(input, kName, {.depth = 16, .array_length = 100'000}); });
  if (!json) return;
  const auto order = read_or_refuse(kName, [&] { return order_from_json(*json, kName); });
  if (!order) return;
  must(order_from_json(to_json(*order), kName) == *order, "written and read again, an order is equal");
  must(differences(*order, *order).empty(), "an order differs from itself in nothing");
}

const Registered target("video_note", read);

}  // namespace
}  // namespace sgf::fuzz

// A folder of encoded videos: one input as the mark of a shard and as the manifest.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/dataset/clip_manifest.h"

namespace sgf::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVideo = "a.mp4";

std::string in_folder(const fs::path& path) { return "clips/" + path.filename().string(); }

void read(std::string_view input) {
  const fs::path folder = scratch_folder() / "clips";
  [[maybe_unused]] static const fs::path order = scratch_file("clips/order.json", "{}");
  [[maybe_unused]] static const fs::path shard = scratch_file(in_folder(clip_shard(folder, kVideo)), "12345678");
  scratch_file(in_folder(clip_mark(folder, kVideo)), input);
  if (const auto mark = read_clip_mark(folder, kVideo)) {
    scratch_file(in_folder(clip_mark(folder, kVideo)), to_json(*mark).dump());
    must(to_json(read_clip_mark(folder, kVideo).value()) == to_json(*mark), "a mark, written and read again, is equal");
  }
  scratch_file("clips/manifest.json", input);
  const auto manifest = read_or_refuse(folder.string(), [&] { return read_clip_manifest(folder); });
  if (!manifest) return;
  must(manifest->clips() > 0, "a manifest without clips is refused");
  must(clip_identity(*manifest).size() == 64, "an identity has 64 digits");
  scratch_file("clips/manifest.json", to_json(*manifest).dump());
  must(to_json(read_clip_manifest(folder)) == to_json(*manifest), "written and read again, it is equal");
}

const Registered target("clip_manifest", read);

}  // namespace
}  // namespace sgf::fuzz

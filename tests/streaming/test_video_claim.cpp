// --continue touches only what is its own, two processes do not write one file, and nothing changes before all is
// checked.
#include "sgf/core/error.h"
#include "sgf/files/tensors.h"
#include "sgf/media/latent_file.h"
#include "sgf/media/video_reader.h"
#include "sgf/media/video_writer.h"
#include "sgf/streaming/compare_videos.h"
#include "sgf/streaming/generate.h"
#include "sgf/streaming/stream_file.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/streaming/tiny_video.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <utility>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

using Tree = std::map<std::string, std::string>;  // bytes by path

Tree tree_of(const fs::path& folder) {
  Tree tree;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    tree[entry.path().string()] =
        entry.is_regular_file() ? std::string{std::istreambuf_iterator<char>(file), {}} : "folder";
  }
  return tree;
}

std::vector<std::string> targets() {
  std::vector<std::string> names{"video.y4m", "video/"};
  if (can_write_videos()) names.emplace_back("video.mp4");
  return names;
}

RgbImage grey_image() { return {.height = 32, .width = 32, .pixels = std::vector<uint8_t>(3 * 32 * 32, 128)}; }

// A video of the same size that somebody else made.
void make_foreign(const fs::path& target) {
  if (target.extension() == ".mp4") {
    VideoWriter writer(target, {.width = 32, .height = 32, .note = "holiday"});
    writer.add(grey_image());
    writer.finish();
  } else if (target.extension() == ".y4m") {
    std::ofstream(target) << "YUV4MPEG2 W32 H32 F16000:1000 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n";
  } else {
    fs::create_directories(target);
    write_png(target / "frame_00000000.png", grey_image());
  }
}

GenerateOutput output_of(const fs::path& target) { return {.target = target.string(), .resume = true}; }

TEST(Continue, LeavesAForeignVideoAsItIs) {
  const TinyVideo video;
  for (const std::string& name : targets()) {
    const TemporaryFolder folder;
    make_foreign(folder / name);
    const Tree before = tree_of(folder.path());
    EXPECT_THAT(refusal_of([&] { generate_video(video.order, video.parts, 3, output_of(folder / name)); }),
                HasSubstr("was not made by this command"))
        << name;
    EXPECT_EQ(tree_of(folder.path()), before) << name;
  }
}

TEST(Continue, LeavesForeignLatentsAsTheyAre) {
  const TinyVideo video;
  for (const char* name : {"latents.safetensors", "latents.safetensors.part"}) {
    const TemporaryFolder folder;
    save_tensors(folder / name, {{"latents", at::zeros({2, 2})}}, {});
    const Tree before = tree_of(folder.path());
    GenerateOutput output = output_of(folder / "video.y4m");
    output.latents = folder / "latents.safetensors";
    EXPECT_THAT(refusal_of([&] { generate_video(video.order, video.parts, 3, output); }),
                HasSubstr(std::string(name) + " was not made by this command"));
    EXPECT_EQ(tree_of(folder.path()), before);
  }
}

// Programs that cut a video, or add sound, keep the note inside and write an ordinary file.
TEST(Continue, LeavesAnEditOfItsOwnVideoAsItIs) {
  const TinyVideo video;
  const TemporaryFolder folder;
  if (can_write_videos()) {
    VideoWriter writer(folder / "cut.mp4", {.width = 32, .height = 32, .note = to_json(video.order).dump()});
    writer.add(grey_image());
    writer.finish();
  }
  std::ofstream(folder / "cut.y4m") << "YUV4MPEG2 W32 H32 F30:1 XSGF=" << mark_of(video.order) << "\nFRAME\n";
  const Tree before = tree_of(folder.path());
  for (const char* name : {"cut.mp4", "cut.y4m"}) {
    if (!fs::exists(folder / name)) continue;
    EXPECT_THAT(refusal_of([&] { generate_video(video.order, video.parts, 3, output_of(folder / name)); }),
                HasSubstr(std::string(name) + " was not made by this command"));
  }
  EXPECT_EQ(tree_of(folder.path()), before);
}

TEST(Continue, KeepsTheStateBesideTheFileThatALinkNames) {
  const TinyVideo video;
  const TemporaryFolder folder;
  fs::create_directory(folder / "disk");
  fs::create_symlink("disk/video.y4m", folder / "link.y4m");
  EXPECT_EQ(state_file(output_of(folder / "link.y4m")), folder / "disk" / "video.y4m.state");
  GenerateOutput output{.target = (folder / "link.y4m").string()};
  int64_t asked = 0;
  output.should_stop = [&] { return ++asked == 4; };
  generate_video(video.order, video.parts, 11, output);
  EXPECT_GT(generate_video(video.order, video.parts, 11, output_of(folder / "disk" / "video.y4m")).resumed_from, 0);
  EXPECT_EQ(tree_of(folder / "disk").size(), 1U) << "no state stays";
}

void cut_copy(const fs::path& from, const fs::path& to, std::uintmax_t bytes) {
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  fs::resize_file(to, bytes);
}

// A lock that a kill left does not make everything of that name its own.
TEST(Continue, LeavesWhatNoKillLeavesThoughItsOwnLockNamesIt) {
  const TinyVideo video;
  const std::string no_header = std::string(
      "\0\0\0\x10"
      "ftypisom\0\0\0\0\0\0\0\x09mdat",
      25);  // another program's recording
  for (const auto& [name, content] : std::vector<std::pair<std::string, std::string>>{
           {"video.y4m", "my diary"}, {"video.mp4", "my diary"}, {"video.mp4", no_header + "x"}}) {
    if (name == "video.mp4" && !can_write_videos()) continue;
    const TemporaryFolder folder;
    const GenerateOutput output = output_of(folder / name);
    VideoClaim(output).begin(video.order);  // and killed
    std::ofstream(folder / name, std::ios::binary) << content;
    const Tree before = tree_of(folder.path());
    EXPECT_THAT(refusal_of([&] { generate_video(video.order, video.parts, 3, output); }),
                HasSubstr("was not made by this command"));
    EXPECT_EQ(tree_of(folder.path()), before) << name;
  }
}

// The control: a beginning of its own, known by the order inside or by the lock beside it, may go.
TEST(Continue, BeginsAnewWhatItsOwnLockNames) {
  const TinyVideo video;
  for (const std::string& name : targets()) {
    const TemporaryFolder folder, whole;
    generate_video(video.order, video.parts, 3, {.target = (whole / name).string()});
    const GenerateOutput output = output_of(folder / name);
    VideoClaim(output).begin(video.order);  // and killed
    if (name.ends_with('/'))
      make_foreign(folder / name);  // frames without their order
    else
      cut_copy(whole / name, folder / name, 20);  // half a header
    GenerateOrder other = video.order;
    other.config.run.seed = 77;
    EXPECT_THROW(generate_video(other, video.parts, 3, output), Error) << name;
    EXPECT_TRUE(generate_video(video.order, video.parts, 3, output).is_whole);
    const auto files = [](const TemporaryFolder& place) {
      std::vector<std::string> bytes;
      for (const auto& [path, content] : tree_of(place.path())) bytes.push_back(content);
      return bytes;
    };
    EXPECT_EQ(files(folder), files(whole)) << name << ": and no lock is left";
  }
}

TEST(Continue, ChangesNothingWhereTheStateIsDamaged) {
  const TinyVideo video;
  for (const std::string& name : targets()) {
    const TemporaryFolder folder;
    GenerateOutput output{.target = (folder / name).string(), .latents = folder / "latents.safetensors"};
    int64_t asked = 0;
    output.should_stop = [&] { return ++asked == 4; };
    generate_video(video.order, video.parts, 11, output);
    SavedStream saved = load_stream(state_file(output));
    saved.snapshot.latents.pop_back();
    save_stream(state_file(output), saved);
    const Tree before = tree_of(folder.path());
    output.resume = true;
    output.should_stop = {};
    EXPECT_THROW(generate_video(video.order, video.parts, 11, output), Error) << name;
    EXPECT_EQ(tree_of(folder.path()), before) << name;
  }
}

TEST(Continue, OffersToStartAgainWhereTheStateIsRotten) {
  const TinyVideo video;
  const TemporaryFolder folder;
  GenerateOutput output{.target = (folder / "video.y4m").string()};
  int64_t asked = 0;
  output.should_stop = [&] { return ++asked == 4; };
  generate_video(video.order, video.parts, 11, output);
  {
    std::fstream state(state_file(output), std::ios::binary | std::ios::in | std::ios::out);
    state.seekg(-1, std::ios::end);
    const auto last = static_cast<char>(state.get() ^ 1);
    state.seekp(-1, std::ios::end);
    state.put(last);
  }
  output.resume = true;
  output.should_stop = {};
  const std::string refusal = refusal_of([&] { generate_video(video.order, video.parts, 11, output); });
  EXPECT_THAT(refusal, HasSubstr("is damaged"));
  EXPECT_THAT(refusal, HasSubstr("use --overwrite"));
  EXPECT_THAT(refusal, ::testing::Not(HasSubstr("checkpoint")));  // a video has no earlier ones
  output.resume = false;
  output.overwrite = true;
  EXPECT_TRUE(generate_video(video.order, video.parts, 11, output).is_whole);
}

TEST(Continue, ChangesNoFramesWhereTheLatentsAreGone) {
  const TinyVideo video;
  for (const std::string& name : targets()) {
    const TemporaryFolder folder;
    GenerateOutput output{.target = (folder / name).string(), .latents = folder / "latents.safetensors"};
    int64_t asked = 0;
    output.should_stop = [&] { return ++asked == 4; };
    generate_video(video.order, video.parts, 11, output);
    fs::remove(latent_part_of(output.latents));
    const Tree before = tree_of(folder.path());
    output.resume = true;
    output.should_stop = {};
    EXPECT_THAT(refusal_of([&] { generate_video(video.order, video.parts, 11, output); }),
                HasSubstr("latents.safetensors cannot be continued"));
    EXPECT_EQ(tree_of(folder.path()), before) << name;
  }
}

TEST(Continue, FindsACounterThatDoesNotFitTheRest) {
  const TinyVideo video;
  const TemporaryFolder folder;
  GenerateOutput output{.target = (folder / "video.y4m").string()};
  int64_t asked = 0;
  output.should_stop = [&] { return ++asked == 4; };
  generate_video(video.order, video.parts, 11, output);
  SavedStream saved = load_stream(state_file(output));
  for (auto& [name, tensor] : saved.snapshot.latents)
    if (name == "counters") tensor[0] += 4;
  save_stream(state_file(output), saved);
  output.resume = true;
  output.should_stop = {};
  EXPECT_THAT(refusal_of([&] { generate_video(video.order, video.parts, 11, output); }), HasSubstr("is damaged"));
}

TEST(Generate, IsRefusedWhileAnotherProcessWritesThere) {
  const TinyVideo video;
  const TemporaryFolder folder;
  const GenerateOutput output{.target = (folder / "video.y4m").string()};
  {
    const VideoClaim other(output);
    EXPECT_THAT(refusal_of([&] { generate_video(video.order, video.parts, 3, output); }),
                HasSubstr("another process is writing this file"));
    fs::create_symlink(folder / "video.y4m", folder / "link.y4m");
    EXPECT_THROW(VideoClaim({.target = (folder / "link.y4m").string()}), Error) << "by whatever name";
    fs::remove(folder / "link.y4m");
  }
  EXPECT_TRUE(fs::is_empty(folder.path())) << "a claim that began nothing leaves nothing";
  EXPECT_TRUE(generate_video(video.order, video.parts, 3, output).is_whole);
}

TEST(Generate, SaysThatItsVideoWasDeletedUnderIt) {
  const TinyVideo video;
  for (const std::string& name : targets()) {
    const TemporaryFolder folder;
    GenerateOutput output{.target = (folder / name).string()};
    output.progress = [&](int64_t) { fs::remove_all(folder / name); };
    EXPECT_THROW(generate_video(video.order, video.parts, 3, output), Error) << name;
  }
}

// What was written went to the file that had the name before, and is lost.
TEST(Generate, SaysThatItsVideoWasReplacedUnderItAndLeavesTheOther) {
  const TinyVideo video;
  for (const std::string& name : targets()) {
    if (name.ends_with('/')) continue;  // each frame is a file of its own
    const TemporaryFolder folder;
    GenerateOutput output{.target = (folder / name).string()};
    output.progress = [&](int64_t) {
      std::ofstream(folder / "other") << "of somebody else";
      fs::rename(folder / "other", folder / name);
    };
    EXPECT_THAT(refusal_of([&] { generate_video(video.order, video.parts, 3, output); }),
                HasSubstr(name + " was replaced by another file"));
    EXPECT_EQ(tree_of(folder.path())[(folder / name).string()], "of somebody else") << name;
  }
}

// Another program opened it to write. A file with a hole in place of the first frames would not play.
TEST(Generate, SaysThatItsFilesWereTruncatedUnderIt) {
  const TinyVideo video;
  for (const std::string& name : targets()) {
    if (name.ends_with('/')) continue;  // each frame is a file of its own
    for (const std::string& lost : {name, std::string("latents.safetensors.part")}) {
      const TemporaryFolder folder;
      GenerateOutput output{.target = (folder / name).string(), .latents = folder / "latents.safetensors"};
      bool is_truncated = false;
      output.progress = [&](int64_t) {
        if (!std::exchange(is_truncated, true)) fs::resize_file(folder / lost, 10);
      };
      EXPECT_THAT(refusal_of([&] { generate_video(video.order, video.parts, 3, output); }),
                  HasSubstr(lost + " was changed by another program while it was being written"));
    }
  }
}

TEST(Generate, ReplacesNothingUnasked) {
  const TinyVideo video;
  const TemporaryFolder folder;
  GenerateOutput output{.target = (folder / "video.y4m").string()};
  std::ofstream(folder / "video.y4m") << "mine";
  const Tree before = tree_of(folder.path());
  EXPECT_THAT(refusal_of([&] { generate_video(video.order, video.parts, 3, output); }), HasSubstr("--overwrite"));
  EXPECT_EQ(tree_of(folder.path()), before);
  output.overwrite = true;
  EXPECT_TRUE(generate_video(video.order, video.parts, 3, output).is_whole);
}

// A name beside the video may be that of somebody else's file: `Cargo.lock` beside `--out Cargo/`.
TEST(Generate, LeavesAForeignFileUnderTheNameOfALock) {
  const TinyVideo video;
  for (const char* lock : {"video.y4m.lock", "latents.safetensors.lock"}) {
    const TemporaryFolder folder;
    GenerateOutput output{.target = (folder / "video.y4m").string(), .latents = folder / "latents.safetensors"};
    std::ofstream(folder / lock) << "{\"version\": 4}";
    const Tree before = tree_of(folder.path());
    EXPECT_THAT(refusal_of([&] { generate_video(video.order, video.parts, 3, output); }),
                HasSubstr(std::string(lock) + ": is not a lock of sgf"));
    EXPECT_THROW(remove_stale_locks(output), Error);
    output.overwrite = true;
    EXPECT_THROW(generate_video(video.order, video.parts, 3, output), Error) << "--overwrite is for the video alone";
    EXPECT_EQ(tree_of(folder.path()), before) << lock;
  }
}

// A kill can cut the text of a lock at any byte; nothing of the video had been written then.
TEST(Generate, GoesOnWhereAKillCutItsLock) {
  TinyVideo video;
  video.order.build = "sgf 0.1.0";
  const std::string whole = order_text(video.order);
  for (const size_t bytes : {size_t{1}, size_t{9}, size_t{40}, whole.size() - 1}) {
    const TemporaryFolder folder;
    const GenerateOutput output{.target = (folder / "video.y4m").string(), .resume = true};
    std::ofstream(folder / "video.y4m.lock") << whole.substr(0, bytes);
    EXPECT_TRUE(generate_video(video.order, video.parts, 1, output).is_whole) << bytes;
    EXPECT_FALSE(fs::exists(folder / "video.y4m.lock"));
  }
  const TemporaryFolder folder;  // the control
  std::ofstream(folder / "video.y4m.lock") << "{\"built by\": \"somebody else\"";
  EXPECT_THAT(refusal_of([&] {
                generate_video(video.order, video.parts, 1,
                               {.target = (folder / "video.y4m").string(), .resume = true});
              }),
              HasSubstr("is not a lock of sgf"));
}

TEST(Generate, LeavesAForeignFileUnderTheNameOfTheState) {
  const TinyVideo video;
  const TemporaryFolder folder;
  GenerateOutput output{.target = (folder / "video.y4m").string()};
  save_tensors(folder / "video.y4m.state", {{"income", at::zeros({2, 2})}}, {});
  const Tree before = tree_of(folder.path());
  for (const bool overwrite : {false, true}) {
    output.overwrite = overwrite;
    EXPECT_THAT(refusal_of([&] { generate_video(video.order, video.parts, 3, output); }),
                HasSubstr("video.y4m.state: is not a state of sgf"));
    EXPECT_EQ(tree_of(folder.path()), before);
  }
}

TEST(Generate, ReplacesTheStateOfAnotherVideoOnlyIfAsked) {
  const TinyVideo video;
  const TemporaryFolder folder;
  GenerateOutput output{.target = (folder / "video.y4m").string()};
  GenerateOrder other = video.order;
  other.config.run.seed = 77;
  save_stream(state_file(output), {.note = {.order = other}, .snapshot = {}});
  const Tree before = tree_of(folder.path());
  EXPECT_THAT(refusal_of([&] { generate_video(video.order, video.parts, 3, output); }),
              HasSubstr("belongs to another video: run.seed: 77 in the file, 1 in this command; use --overwrite"));
  EXPECT_EQ(tree_of(folder.path()), before);
  output.overwrite = true;
  EXPECT_TRUE(generate_video(video.order, video.parts, 3, output).is_whole);
  EXPECT_FALSE(fs::exists(state_file(output)));
}

}  // namespace
}  // namespace sgf

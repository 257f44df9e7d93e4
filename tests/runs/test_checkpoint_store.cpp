// Checkpoints are whole or not taken: after errors, after damage, and after kill -9 at random moments.
#include "sgf/runs/checkpoint_store.h"

#include "sgf/files/checkpoint_format.h"
#include "sgf/files/safetensors.h"
#include "sgf/files/tensor_hash.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <span>

namespace sgf::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using nlohmann::literals::operator""_json;

std::string contents_of(int64_t step, int file) {
  return std::string(20'000 + 7'000 * static_cast<size_t>(file), static_cast<char>('a' + (step * 5 + file) % 26));
}

// Four files in a folder and one in a folder within.
void write_checkpoint(const fs::path& folder, int64_t step) {
  fs::create_directories(folder / "optimizer");
  for (int file = 0; file < 4; ++file) write_text(folder / std::to_string(file), contents_of(step, file));
  write_text(folder / "optimizer" / "4", contents_of(step, 4));
}

void save(const CheckpointStore& store, int64_t step) {
  store.save(step, [&](const fs::path& folder) { write_checkpoint(folder, step); });
}

void expect_whole(const CheckpointStore& store, int64_t step) {
  for (int file = 0; file < 4; ++file)
    EXPECT_EQ(text_of(store.folder_of(step) / std::to_string(file)), contents_of(step, file));
  EXPECT_EQ(text_of(store.folder_of(step) / "optimizer" / "4"), contents_of(step, 4));
}

CheckpointStore store_with(const TemporaryFolder& folder, std::initializer_list<int64_t> steps) {
  CheckpointStore store(folder.path());
  for (const int64_t step : steps) save(store, step);
  return store;
}

TEST(CheckpointStore, ASavedCheckpointIsFoundWholeUnderItsName) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20});
  EXPECT_EQ(store.newest(), 20);
  EXPECT_EQ(store.folder_of(20), folder / "step_00000020");
  expect_whole(store, 10);
  expect_whole(store, 20);
}

// Its files may be whole: they are not removed without a word.
TEST(CheckpointStore, AFolderWithoutItsMarkIsNotTakenButDamagedAndKept) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20});
  fs::remove(folder / "step_00000020" / "DONE");
  EXPECT_EQ(store.newest(), 10);
  EXPECT_TRUE(store.remove_leftovers().empty());
  expect_whole(store, 20);
  EXPECT_THAT(store.choose().passed_over, ElementsAre("step_00000020: its mark DONE is missing"));
  fs::remove(folder / "step_00000010" / "DONE");
  EXPECT_THAT(store.choose().damaged, ::testing::UnorderedElementsAre(10, 20));
}

TEST(CheckpointStore, AHalfRemovedFolderIsCleanedUp) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20, 30});
  fs::rename(folder / "step_00000010" / "DONE", folder / "step_00000010" / "REMOVED");
  fs::remove_all(folder / "step_00000020");
  fs::create_directory(folder / "step_00000020");
  EXPECT_TRUE(store.choose().damaged.empty());
  EXPECT_THAT(store.remove_leftovers(),
              ::testing::UnorderedElementsAre(folder / "step_00000010", folder / "step_00000020"));
  EXPECT_FALSE(fs::exists(folder / "step_00000010"));
  expect_whole(store, 30);
}

TEST(CheckpointStore, ATemporaryFolderIsNotTakenEvenWithAMark) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20});
  fs::rename(folder / "step_00000020", folder / ".step_00000020.tmp");
  EXPECT_EQ(store.newest(), 10);
  EXPECT_EQ(store.survey().leftovers.size(), 1u);
}

TEST(CheckpointStore, FoldersOfOtherNamesAreLeftAlone) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10});
  for (const char* name : {"step_best", "step_00000099x", "notes", "step_1", "step_0000000012"})
    fs::create_directories(folder / name);
  EXPECT_EQ(store.newest(), 10);
  EXPECT_TRUE(store.remove_leftovers().empty());
}

TEST(CheckpointStore, AFileCutShortAfterTheMarkIsDamageAndTheOneBeforeIsTaken) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20, 30});
  fs::resize_file(folder / "step_00000030" / "optimizer" / "4", 100);
  fs::remove(folder / "step_00000020" / "2");
  EXPECT_EQ(store.newest(), 10);
  std::map<int64_t, std::string> damaged;
  for (const auto& [step, description] : store.survey().damaged) damaged[step] = description;
  EXPECT_THAT(damaged, ElementsAre(::testing::Pair(20, "step_00000020: 2 is missing"),
                                   ::testing::Pair(30, "step_00000030: optimizer/4 has 100 bytes of 48000")));
}

TEST(CheckpointStore, AWriterThatFailsLeavesTheEarlierOnesAndNothingElse) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10});
  const auto fill_the_disk = [](const fs::path& path) {
    write_text(path / "0", "half");
    fail("the disk is full");
  };
  EXPECT_THAT(refusal_of([&] { store.save(20, fill_the_disk); }), HasSubstr("the disk is full"));
  EXPECT_EQ(store.newest(), 10);
  EXPECT_TRUE(store.survey().leftovers.empty());
  expect_whole(store, 10);
}

TEST(CheckpointStore, ASavedStepIsNotSavedAgainButOneWithoutItsMarkIs) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20});
  EXPECT_THAT(refusal_of([&] { save(store, 10); }), HasSubstr("already saved"));
  fs::remove(folder / "step_00000020" / "DONE");
  save(store, 20);
  expect_whole(store, 20);
  EXPECT_EQ(text_of(folder / "step_00000020.damaged" / "1"), contents_of(20, 1));
}

// A run that passed over it comes to that step again. Its other files may be all that is left of the step.
TEST(CheckpointStore, ADamagedStepIsSavedAgainAndTheDamagedOneKept) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20});
  fs::resize_file(folder / "step_00000020" / "2", 1);
  EXPECT_EQ(store.newest(), 10);
  save(store, 20);
  expect_whole(store, 20);
  EXPECT_EQ(store.newest(), 20);
  EXPECT_EQ(text_of(folder / "step_00000020.damaged" / "1"), contents_of(20, 1));
}

TEST(CheckpointStore, DamageOfEveryKindIsThereToBeSetAside) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20, 30, 40, 50});
  write_text(folder / "step_00000020" / "DONE", "{");
  fs::remove(folder / "step_00000030" / "2");
  fs::resize_file(folder / "step_00000040" / "2", 7);
  write_text(folder / "step_00000050" / "1", contents_of(49, 1));
  const CheckpointChoice choice = store.choose();
  EXPECT_EQ(choice.step, 10);
  EXPECT_THAT(choice.damaged, ::testing::UnorderedElementsAre(20, 30, 40, 50));
  for (const int64_t step : choice.damaged) store.set_aside(step);
  EXPECT_EQ(text_of(folder / "step_00000020.damaged" / "3"), contents_of(20, 3));
  EXPECT_TRUE(store.choose().damaged.empty());
}

// It would be resumed at the wrong step, or end the run where an older one is whole.
TEST(CheckpointStore, OneThatWasCopiedOrRenamedToAnotherStepIsPassedOver) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20});
  fs::copy(folder / "step_00000010", folder / "step_00000015", fs::copy_options::recursive);
  fs::rename(folder / "step_00000020", folder / "step_99999999");
  fs::create_directory_symlink("step_00000010", folder / "step_00000030");
  EXPECT_EQ(store.newest(), 10);
  const CheckpointChoice choice = store.choose();
  EXPECT_EQ(choice.step, 10);
  EXPECT_THAT(choice.damaged, ::testing::UnorderedElementsAre(15, 30, 99999999));
  EXPECT_THAT(choice.passed_over, ::testing::Contains(HasSubstr("step_99999999: it was saved as step 20")));
  for (const int64_t step : choice.damaged) store.set_aside(step);
  expect_whole(store, 10);
}

TEST(CheckpointStore, WhatIsNoFolderAndAMarkThatIsNoFileArePassedOver) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20});
  fs::create_symlink("nowhere", folder / "step_00000030");
  write_text(folder / "step_00000040", "x");
  fs::remove(folder / "step_00000020" / "DONE");
  fs::create_directory(folder / "step_00000020" / "DONE");
  const CheckpointChoice choice = store.choose();
  EXPECT_EQ(choice.step, 10);
  EXPECT_THAT(choice.damaged, ::testing::UnorderedElementsAre(20, 30, 40));
  for (const int64_t step : choice.damaged) store.set_aside(step);
  EXPECT_TRUE(store.choose().damaged.empty());
}

TEST(CheckpointStore, AMarkWithValuesOfOtherTypesIsDamage) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20});
  const auto put = [&](nlohmann::json mark) {
    mark.erase("hash");
    const std::string text = mark.dump();
    if (mark.contains("hashes")) mark["hash"] = tensor_hash_of(std::as_bytes(std::span(text)));
    write_text(folder / "step_00000020" / "DONE", mark.dump());
  };
  const auto mark = nlohmann::json::parse(text_of(folder / "step_00000020" / "DONE"));
  put(mark);
  EXPECT_EQ(store.choose().step, 20) << "the control";
  for (const nlohmann::json& patch : {R"({"hashes": {"1": 5}})"_json, R"({"hashes": 5})"_json, R"({"files": 5})"_json,
                                      R"({"files": {"1": "a"}})"_json, R"({"files": [27000]})"_json}) {
    nlohmann::json crafted = mark;
    for (const auto& [key, value] : patch.items()) crafted[key] = value;
    put(crafted);
    EXPECT_EQ(store.choose().step, 10) << patch;
  }
}

// Files of every kind that a checkpoint holds: tensors with hashes of their own, and text.
void save_weights(const CheckpointStore& store, int64_t step) {
  store.save(step, [&](const fs::path& folder) {
    const std::vector<std::byte> bytes(40, static_cast<std::byte>(step));
    std::map<std::string, std::string> metadata;
    stamp(metadata, "dit");
    write_safetensors(folder / "generator.safetensors", {outgoing_bytes("w", DType::kF32, {10}, bytes)}, metadata);
    write_text(folder / "state.json", "{\"step\":" + std::to_string(step) + "}\n");
  });
}

TEST(CheckpointStore, AByteChangedAnywhereInACheckpointIsFoundAndTheOneBeforeIsChosen) {
  const TemporaryFolder made, folder;
  save_weights(CheckpointStore(made.path()), 10);
  save_weights(CheckpointStore(made.path()), 20);
  int64_t changes = 0;
  for (const char* name : {"generator.safetensors", "state.json", "DONE"}) {
    const std::string whole = text_of(CheckpointStore(made.path()).folder_of(20) / name);
    for (size_t at = 0; at < whole.size(); at += name[0] == 'g' ? 3 : 1) {
      const fs::path place = folder / std::to_string(changes++);  // a name of its own: nothing is remembered of it
      fs::copy(made.path(), place, fs::copy_options::recursive);
      const CheckpointStore store(place);
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      write_text(store.folder_of(20) / name, damaged);
      const CheckpointChoice choice = store.choose();
      EXPECT_EQ(choice.step, 10) << name << " byte " << at << " of " << whole.size();
      ASSERT_EQ(choice.passed_over.size(), 1U);
      EXPECT_THAT(choice.passed_over.front(), HasSubstr("step_00000020: "));
      fs::remove_all(place);
    }
  }
  EXPECT_GT(changes, 300);
  EXPECT_EQ(CheckpointStore(made.path()).choose().step, 20) << "the control";
  EXPECT_TRUE(CheckpointStore(made.path()).choose().passed_over.empty());
}

TEST(CheckpointStore, OnlyTheContentOfWantedFilesIsLookedAt) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20});
  write_text(folder / "step_00000020" / "1", contents_of(19, 1));
  const auto wanting = [](const char* name) {
    return [name](const fs::path&) { return [name](const std::string& file) { return file == name; }; };
  };
  EXPECT_EQ(store.choose(wanting("0")).step, 20);
  EXPECT_EQ(store.choose(wanting("1")).step, 10);
}

TEST(CheckpointStore, OneThatIsSetAsideIsKeptAndNeitherTakenNorCounted) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20});
  write_text(folder / "step_00000020" / "1", contents_of(19, 1));
  for (const int64_t step : store.choose().damaged) store.set_aside(step);
  EXPECT_EQ(text_of(folder / "step_00000020.damaged" / "1"), contents_of(19, 1));
  EXPECT_TRUE(store.prune({.last = 1}).empty()) << "the whole one stays until there is a newer one";
  EXPECT_TRUE(store.remove_leftovers().empty());
  save(store, 20);
  expect_whole(store, 20);
  EXPECT_EQ(store.set_aside(20), folder / "step_00000020.damaged-2");
  EXPECT_EQ(store.newest(), 10);
}

TEST(CheckpointStore, AMarkOfAnEarlierVersionIsTakenByItsSizes) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10});
  nlohmann::json mark = nlohmann::json::parse(text_of(folder / "step_00000010" / "DONE"));
  mark.erase("hash");
  mark.erase("hashes");
  write_text(folder / "step_00000010" / "DONE", mark.dump());
  EXPECT_EQ(store.choose().step, 10);
  fs::resize_file(folder / "step_00000010" / "2", 1);
  EXPECT_EQ(store.choose().step, std::nullopt);
}

TEST(CheckpointStore, PruningKeepsTheLastAndEveryMth) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20, 30, 40, 50, 60});
  EXPECT_THAT(store.prune({.last = 2, .every = 30}), ElementsAre(10, 20, 40));
  EXPECT_THAT(store.survey().complete, ElementsAre(30, 50, 60));
  EXPECT_THAT(store.prune({.last = 1}), ElementsAre(30, 50));
  EXPECT_THAT(store.survey().complete, ElementsAre(60));
}

TEST(CheckpointStore, PruningNeverRemovesTheNewestWholeOne) {
  const TemporaryFolder folder;
  const CheckpointStore store = store_with(folder, {10, 20, 30});
  fs::remove(folder / "step_00000030" / "DONE");
  EXPECT_THAT(store.prune({.last = 1}), ElementsAre(10));
  EXPECT_EQ(store.newest(), 20);
  EXPECT_TRUE(store.prune({.last = 1}).empty());
  EXPECT_THAT(refusal_of([&] { store.prune({.last = 0}); }), HasSubstr("got 0"));
}

// Saves and prunes until it is killed; says each step that it has saved.
[[noreturn]] void save_forever(const CheckpointStore& store, int64_t step, int report) {
  for (;; ++step) {
    save(store, step);
    if (::write(report, &step, sizeof step) != sizeof step) ::_exit(1);
    store.prune({.last = 2, .every = 7});
  }
}

// The last step that the child said it saved, or `before`.
int64_t last_report(int pipe, int64_t before) {
  for (int64_t step = 0; ::read(pipe, &step, sizeof step) == sizeof step;) before = step;
  return before;
}

// Lets a child work from the newest checkpoint on and kills it after a while, which begins at its start or, however
// busy the machine is, once it has saved. Gives the last step it said it saved.
enum class ClockStarts { kAtOnce, kAfterASave };

int64_t work_and_kill(const CheckpointStore& store, std::chrono::microseconds lifetime, ClockStarts clock) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe(ends), 0);
  int64_t before = store.newest().value_or(0);
  const pid_t child = ::fork();
  if (child == 0) save_forever(store, before + 1, ends[1]);
  ::close(ends[1]);
  if (clock == ClockStarts::kAfterASave) {
    EXPECT_EQ(::read(ends[0], &before, sizeof before), static_cast<ssize_t>(sizeof before));
  }
  ::usleep(static_cast<useconds_t>(lifetime.count()));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const int64_t reported = last_report(ends[0], before);
  ::close(ends[0]);
  return reported;
}

// A save and its pruning, on this disk.
std::chrono::microseconds time_of_a_save(const CheckpointStore& store) {
  const auto begin = std::chrono::steady_clock::now();
  save(store, 1);
  store.prune({.last = 2, .every = 7});
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
}

TEST(CheckpointStore, KillAtFiftyRandomMomentsNeverLeavesAHalfCheckpointThatIsTaken) {
  const TemporaryFolder folder;
  const CheckpointStore store(folder.path());
  const int64_t longest = 2 * time_of_a_save(store).count() + 1;
  std::mt19937_64 random(7);
  int64_t with_leftovers = 0;
  for (int kill = 0; kill < 50; ++kill) {
    const std::chrono::microseconds lifetime(static_cast<int64_t>(random() >> 1) % longest);
    const ClockStarts clock = kill % 2 == 0 ? ClockStarts::kAtOnce : ClockStarts::kAfterASave;
    const int64_t reported = work_and_kill(store, lifetime, clock);
    const CheckpointSurvey survey = store.survey();
    EXPECT_TRUE(survey.damaged.empty()) << survey.damaged.front().description;
    for (const int64_t step : survey.complete) expect_whole(store, step);
    EXPECT_GE(store.newest().value_or(0), reported) << "a checkpoint that was said to be saved is gone";
    with_leftovers += survey.leftovers.empty() ? 0 : 1;
    store.remove_leftovers();
    EXPECT_TRUE(store.survey().leftovers.empty());
  }
  EXPECT_GT(with_leftovers, 0) << "no kill fell into a save: the test shows nothing";
  EXPECT_GT(store.newest().value_or(0), 1) << "no save came through: the test shows nothing";
}

}  // namespace
}  // namespace sgf::testing

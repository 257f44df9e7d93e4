// One process at a time at a name, and half-written files that are swept only where nobody writes them.
#include "sgf/files/atomic_file.h"
#include "sgf/files/file_lock.h"

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace sgf {
namespace {

using sgf::testing::TemporaryFolder;
using ::testing::HasSubstr;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(FileLock, IsHeldByOneAtATime) {
  const TemporaryFolder folder;
  const auto path = folder / "a.lock";
  {
    const std::optional<FileLock> first = FileLock::try_take(path);
    ASSERT_TRUE(first.has_value());
    EXPECT_FALSE(FileLock::try_take(path).has_value());
  }
  EXPECT_TRUE(FileLock::try_take(path).has_value()) << "released with its holder";
}

TEST(FileLock, KeepsTheWordsOfAHolderThatWasKilled) {
  const TemporaryFolder folder;
  const auto path = folder / "a.lock";
  FileLock::try_take(path)->write("a long first word");
  {
    std::optional<FileLock> second = FileLock::try_take(path);
    EXPECT_EQ(text_of(path), "a long first word");
    second->remove_new_file();  // made by the first
    EXPECT_TRUE(std::filesystem::exists(path));
    second->write("short");
  }
  EXPECT_EQ(text_of(path), "short");
  FileLock::try_take(path)->remove_file();
  EXPECT_FALSE(std::filesystem::exists(path));
  FileLock::try_take(path)->remove_new_file();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(FileLock, NamesTheFileThatCannotBeMade) {
  EXPECT_THAT(refusal_of([] { FileLock::try_take("/nowhere/at/all/a.lock"); }), HasSubstr("/nowhere/at/all/a.lock"));
}

// It was tried again for ever: a link that leads nowhere exists, and cannot be opened.
TEST(FileLock, RefusesALinkAndEnds) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("nowhere", folder / "a.lock");
  const auto refuse_in_time = [&] {
    ::alarm(20);
    const std::string said = refusal_of([&] { FileLock::try_take(folder / "a.lock"); });
    std::_Exit(said.find("a.lock: the lock file cannot be used: it is a symbolic link") == std::string::npos ? 1 : 0);
  };
  EXPECT_EXIT(refuse_in_time(), ::testing::ExitedWithCode(0), "");
  EXPECT_FALSE(std::filesystem::exists(folder / "nowhere"));
}

// What a kill in the middle of a write leaves.
void be_killed_while_writing(const std::filesystem::path& target) {
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(target);
    file.write("half");
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

size_t files_in(const std::filesystem::path& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(Sweep, RemovesWhatAKillLeftAndNothingElse) {
  const TemporaryFolder folder;
  be_killed_while_writing(folder / "a.png");
  be_killed_while_writing(folder / "b.png");
  for (const char* other : {".bashrc", ".a.png.tmp", ".tmp", "a.12-3.tmp", ".a.12-x.tmp", ".12-3.tmp"})
    std::ofstream(folder / other) << "mine";
  ASSERT_EQ(files_in(folder.path()), 8U);
  sweep_half_written(folder.path(), [](const std::string& name) { return name == "a.png"; });
  EXPECT_EQ(files_in(folder.path()), 7U);
  sweep_half_written(folder.path());
  EXPECT_EQ(files_in(folder.path()), 6U);
  sweep_half_written(folder / "nowhere");
}

TEST(Sweep, LeavesWhatIsBeingWritten) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a.png");
  file.write("all of it");
  sweep_half_written(folder.path());
  file.commit();
  EXPECT_EQ(text_of(folder / "a.png"), "all of it");
}

// The sweeper may look between the making of a file and its lock.
TEST(Sweep, IsNoticedByAWriterWhoseNewFileItTook) {
  const TemporaryFolder folder;
  const auto path = folder / ".a.1-1.tmp";
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT, 0666);
  remove_unheld(path);
  EXPECT_FALSE(hold_new_file(fd, path));
  ::close(fd);
}

}  // namespace
}  // namespace sgf

// A mapped file that is cut short under the reader is named, instead of a death by SIGBUS without a word.
#include "sgf/files/atomic_file.h"
#include "sgf/files/lost_map.h"
#include "sgf/files/mapped_file.h"

#include "tests/core/temporary_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace sgf {
namespace {

using sgf::testing::TemporaryFolder;

int last_byte_after_a_cut(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  std::filesystem::resize_file(path, 0);
  return std::to_integer<int>(file->bytes()[file->bytes().size() - 1]);
}

void write_marked(std::string_view line) {
  for (const std::string_view part : {std::string_view("<"), line, std::string_view(">")})
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) std::_Exit(3);
}

TEST(LostMap, IsNamedInOneLineByTheWriterOfTheProgram) {
  const TemporaryFolder folder;
  const auto path = folder / "some weights.safetensors";
  std::ofstream(path) << std::string(100'000, 'x');
  EXPECT_EXIT(
      {
        explain_lost_maps(write_marked);
        std::_Exit(last_byte_after_a_cut(path));
      },
      ::testing::ExitedWithCode(1), "<.*some weights.safetensors was cut short[^\n]*>");
}

// The system itself reads the bytes of a write, and only says that it cannot.
TEST(LostMap, IsNamedWhereItsBytesAreWrittenToAnotherFile) {
  const TemporaryFolder folder;
  const auto path = folder / "cut.safetensors";
  std::ofstream(path) << std::string(100'000, 'x');
  EXPECT_EXIT(
      {
        explain_lost_maps(write_marked);
        const auto file = MappedFile::open(path);
        std::filesystem::resize_file(path, 0);
        AtomicFile copy(folder / "copy");
        copy.write(file->bytes());
      },
      ::testing::ExitedWithCode(1), "cut.safetensors was cut short");
}

TEST(LostMap, IsNamedWithoutControlCharacters) {
  const TemporaryFolder folder;
  const auto path = folder / "a\x1b[31m\u202e\u0085é.pt";
  std::ofstream(path) << std::string(100'000, 'x');
  EXPECT_EXIT(
      {
        explain_lost_maps(write_marked);
        std::_Exit(last_byte_after_a_cut(path));
      },
      ::testing::ExitedWithCode(1), "a.\\[31m..é.pt was cut short");
}

// The control: without it the process dies, and says nothing of the file.
TEST(LostMap, IsFatalWithoutAnExplanation) {
  const TemporaryFolder folder;
  const auto path = folder / "weights";
  std::ofstream(path) << std::string(100'000, 'x');
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, SIG_DFL);
        std::_Exit(last_byte_after_a_cut(path));
      },
      ::testing::KilledBySignal(SIGBUS), "");
}

TEST(LostMap, IsFoundByItsAddressAlone) {
  const std::string_view line = "7f0a1000-7f0a3000 r--s 00000000 fe:01 1234                      /a b/c";
  EXPECT_EQ(mapped_path(line, 0x7f0a1000), "/a b/c");
  EXPECT_EQ(mapped_path(line, 0x7f0a2fff), "/a b/c");
  EXPECT_EQ(mapped_path(line, 0x7f0a3000), "");
  EXPECT_EQ(mapped_path("7f0a1000-7f0a3000 rw-p 00000000 00:00 0 [heap]", 0x7f0a1000), "");
  EXPECT_EQ(mapped_path("", 0), "");
}

}  // namespace
}  // namespace sgf

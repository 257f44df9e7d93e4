// Twenty thousand damaged files per reader. Each must be read or refused with an Error; under the sanitizers
// this also says that no byte outside the file is touched.
#include "sgf/files/torch_archive.h"
#include "tests/files/weight_files.h"

#include <algorithm>
#include <random>

namespace sgf::testing {
namespace {

constexpr int kMutations = 20'000;

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  // One change of a random kind, and in a third of the cases up to three more.
  std::string mutate(std::string text) {
    const size_t more = below(3) == 0 ? below(4) : 0;
    for (size_t i = 0; i < 1 + more && text.size() > 8; ++i) change(text);
    return text;
  }

 private:
  size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random_); }

  void change(std::string& text) {
    const size_t kind = below(12);  // cutting and inserting seldom leave a file that can be read
    if (kind < 3) return flip_bit(text);
    if (kind < 6) return set_byte(text);
    if (kind < 8) return copy_block(text);
    if (kind < 10) return overwrite_integer(text);
    if (kind < 11) return insert(text);
    text.resize(text.size() - below(text.size() / 4) - 1);
  }

  void flip_bit(std::string& text) { text[below(text.size())] ^= static_cast<char>(1 << below(8)); }

  void set_byte(std::string& text) { text[below(text.size())] = static_cast<char>(below(256)); }

  void insert(std::string& text) {
    text.insert(below(text.size()), std::string(below(16) + 1, static_cast<char>(below(256))));
  }

  void copy_block(std::string& text) {
    const std::string block = text.substr(below(text.size()), below(32) + 1);
    text.replace(below(text.size() - block.size() + 1), block.size(), block);
  }

  // Numbers at which lengths, counts and offsets go wrong.
  void overwrite_integer(std::string& text) {
    static constexpr uint64_t kEdges[] = {0,          1,          0x7f,       0x80,        0xff,       0xffff,
                                          0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 1ull << 60, UINT64_MAX};
    const uint64_t value = below(2) ? kEdges[below(std::size(kEdges))] : text.size() + below(16) - 8;
    const size_t width = size_t{1} << below(4);
    if (text.size() >= width) std::memcpy(&text[below(text.size() - width + 1)], &value, width);
  }

  std::mt19937 random_;
};

struct Outcomes {
  int read = 0;
  int refused = 0;
};

// Touches every byte of every entry and unfolds every view.
void read_everything(const TensorFile& file, size_t file_size) {
  for (const TensorEntry& entry : file.entries) {
    ASSERT_LE(static_cast<size_t>(entry.element_count() * byte_size(entry.dtype)), file_size);
    ASSERT_EQ(elements(file, entry).size(), numbers_of(entry));
  }
}

using Open = TensorFile (*)(const std::string& name, const std::string& text);

Outcomes open_mutations(Open open, const std::string& original, uint32_t seed, int count) {
  Mutator mutator(seed);
  Outcomes outcomes;
  for (int i = 0; i < count; ++i) {
    const std::string text = mutator.mutate(original);
    try {
      read_everything(open("mutated.bin", text), text.size());
      ++outcomes.read;
    } catch (const Error& error) {
      EXPECT_NE(std::string_view(error.what()).find("mutated.bin"), std::string_view::npos) << error.what();
      ++outcomes.refused;
    }
  }
  return outcomes;
}

// Both outcomes must be common, or the mutations say nothing about one of them.
void expect_survival(std::initializer_list<const char*> files, Open open = open_text) {
  Outcomes total;
  uint32_t seed = 1;
  for (const char* name : files) {
    const std::string original = file_text(weights_path(name));
    ASSERT_NO_THROW(open(name, original));
    const Outcomes outcomes = open_mutations(open, original, seed++, kMutations / static_cast<int>(files.size()));
    total.read += outcomes.read;
    total.refused += outcomes.refused;
  }
  EXPECT_GT(total.read, kMutations / 10);
  EXPECT_GT(total.refused, kMutations / 10);
  ::testing::Test::RecordProperty("read", total.read);
  ::testing::Test::RecordProperty("refused", total.refused);
}

TEST(Mutations, SafetensorsIsReadOrRefused) { expect_survival({"dtypes.safetensors"}); }

TEST(Mutations, TorchZipIsReadOrRefused) { expect_survival({"nested.pt", "views.pt", "parameters.pt", "zip64.pt"}); }

TEST(Mutations, TorchLegacyIsReadOrRefused) {
  expect_survival({"nested_legacy.pt", "views_legacy.pt", "state_dict_legacy.pt"});
}

// Modules are taken as data where a caller asks for that, as with CLIP's archives.
TensorFile open_script(const std::string& name, const std::string& text) {
  return read_torch_archive(MappedFile::from_bytes(name, bytes_of(text)), {.torchscript = true});
}

TEST(Mutations, TorchScriptIsReadOrRefused) { expect_survival({"torchscript.pt", "clip_script.pt"}, open_script); }

}  // namespace
}  // namespace sgf::testing

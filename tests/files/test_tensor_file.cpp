// Opening by content: files, folders, shards, and the words for what cannot be opened.
#include "sgf/files/tensor_file.h"

#include "tests/files/weight_files.h"

#include <sys/stat.h>
#include <unistd.h>

namespace sgf::testing {
namespace {

class TensorFolder : public ::testing::Test {
 protected:
  TensorFolder() { std::filesystem::create_directories(folder_); }
  ~TensorFolder() override { std::filesystem::remove_all(folder_); }

  void put(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  void put_copy(const std::string& name, const std::string& recorded_file) {
    put(name, file_text(weights_path(recorded_file)));
  }
  void put_index(const std::string& weight_map) { put("m.index.json", "{\"weight_map\":" + weight_map + "}"); }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("sgf_tensor_folder_{}", ::getpid());
};

TEST(TensorFile, OpensByContentWhateverTheName) {
  expect_as_recorded(open_text("weights.txt", file_text(weights_path("dtypes.safetensors"))), "dtypes.safetensors");
  expect_as_recorded(open_text("weights.safetensors", file_text(weights_path("nested.pt"))), "nested.pt");
  expect_as_recorded(open_text("weights.zip", file_text(weights_path("nested_legacy.pt"))), "nested_legacy.pt");
}

TEST(TensorFile, SaysWhatIsWrongWithAPath) {
  expect_error([] { open_tensor_file("/no/such/file.pt"); }, {"/no/such/file.pt", "No such file"});
  expect_error([] { MappedFile::open("/tmp"); }, {"/tmp", "is a folder"});
  expect_error([] { open_tensor_file("/dev/null"); }, {"/dev/null", "not a regular file"});
  expect_error([] { open_text("e.pt", ""); }, {"e.pt", "is empty"});
}

// Nobody writes to the pipe: a reader that waited for a writer would hang here.
TEST_F(TensorFolder, RefusesAPipeWithoutWaitingForItsWriter) {
  const std::filesystem::path pipe = folder_ / "p.safetensors";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_error([&] { open_tensor_file(pipe); }, {"p.safetensors", "is a pipe", "save it to a file"});
  expect_error([&] { open_tensor_file(folder_); }, {"p.safetensors", "is a pipe"});
}

TEST(TensorFile, NamesTheFormatsItDoesNotRead) {
  expect_error([] { open_text("m.gguf", "GGUF\x03\x01\x02\x03\x04\x05\x06\x07"); }, {"m.gguf", "GGUF"});
  expect_error([] { open_text("m.pt", "version https://git-lfs.github.com/spec/v1\n"); }, {"m.pt", "git lfs pull"});
  expect_error([] { open_text("m.pt", "<!DOCTYPE html><html>"); }, {"m.pt", "'<!DOCTYPE html><'"});
  expect_error([] { open_text("m.pt", std::string(257, 'x') + "ustar" + std::string(99, 'x')); }, {"m.pt", "tar"});
}

TEST(TensorFile, KnowsAViewFromADenseTensor) {
  TensorEntry entry;
  entry.shape = {2, 1, 3};
  entry.strides = {3, 99, 1};
  EXPECT_TRUE(entry.is_contiguous());
  entry.strides = {1, 99, 2};
  EXPECT_FALSE(entry.is_contiguous());
  EXPECT_EQ(entry.element_count(), 6);
}

TEST(TensorFile, RefusesAnEntryOutsideItsFile) {
  TensorFile file;
  file.files.push_back(MappedFile::from_bytes("f", bytes_of("12345678")));
  TensorEntry entry;
  entry.name = "x";
  entry.offset = 4;
  entry.extent = 4;
  EXPECT_NO_THROW(file.add(entry));
  entry.name = "y";
  entry.extent = 5;
  expect_error([&] { file.add(entry); }, {"f: tensor 'y'"});
  entry.extent = UINT64_MAX;
  expect_error([&] { file.add(entry); }, {"f: tensor 'y'"});
}

TEST(TensorFile, JoinsTheShardsThatAnIndexNames) {
  const TensorFile file = open_tensor_file(weights_path("sharded"));
  expect_as_recorded(file, "sharded");
  EXPECT_EQ(file.files.size(), 2u);
  EXPECT_NE(file.find("a.weight")->file, file.find("b.weight")->file);
}

TEST(TensorFile, OpensAnIndexLikeItsFolder) {
  expect_as_recorded(open_tensor_file(weights_path("sharded") / "model.safetensors.index.json"), "sharded");
}

TEST_F(TensorFolder, OpensOneOfSeveralIndicesByName) {
  put_copy("s.safetensors", "dtypes.safetensors");
  for (const std::string name : {"a.index.json", "b.index.json"}) {
    put(name, R"({"weight_map":{"scalar":"s.safetensors"}})");
  }
  expect_error([&] { open_tensor_file(folder_); }, {"pass one of them: a.index.json, b.index.json"});
  EXPECT_NE(open_tensor_file(folder_ / "b.index.json").find("scalar"), nullptr);
}

TEST_F(TensorFolder, OpensTheOneWeightFile) {
  put_copy("only.pth", "nested.pt");
  put("config.json", "{}");
  expect_as_recorded(open_tensor_file(folder_), "nested.pt");
}

TEST_F(TensorFolder, ListsWhatIsThereIfNoneOrSeveralCouldBeMeant) {
  put("config.json", "{}");
  expect_error([&] { open_tensor_file(folder_); }, {folder_.string(), "no *.safetensors", "config.json"});
  put_copy("one.pt", "nested.pt");
  put_copy("two.safetensors", "dtypes.safetensors");
  expect_error([&] { open_tensor_file(folder_); }, {folder_.string(), "one.pt, two.safetensors"});
}

TEST_F(TensorFolder, RefusesAnIndexThatNamesAMissingShardOrTensor) {
  put_copy("s.safetensors", "dtypes.safetensors");
  put_index(R"({"scalar":"s.safetensors"})");
  EXPECT_NO_THROW(open_tensor_file(folder_));
  put_index(R"({"scalar":"t.safetensors"})");
  expect_error([&] { open_tensor_file(folder_); },
               {"m.index.json: 1 of its 1 shards is missing: t.safetensors; repeat the download"});
  put_index(R"({"scalar":"s.safetensors","more":"s.safetensors"})");
  expect_error([&] { open_tensor_file(folder_); }, {"m.index.json", "'s.safetensors'", "'more'"});
}

TEST_F(TensorFolder, NamesWhatLiesInAShardAndNotInItsIndex) {
  put_copy("s.safetensors", "dtypes.safetensors");
  put_index(R"({"scalar":"s.safetensors"})");
  const TensorFile file = open_tensor_file(folder_);
  EXPECT_EQ(file.unindexed.size() + 1, file.entries.size());
  EXPECT_EQ(std::ranges::count(file.unindexed, "scalar"), 0);
  EXPECT_TRUE(open_tensor_file(weights_path("sharded")).unindexed.empty()) << "the control";
}

TEST_F(TensorFolder, RefusesAShardThatLiesElsewhere) {
  for (const std::string shard : {"../s.safetensors", "/etc/passwd", "a/b", "..", ""}) {
    put_index("{\"x\":\"" + shard + "\"}");
    expect_error([&] { open_tensor_file(folder_); }, {"m.index.json", "beside it"});
  }
}

TEST_F(TensorFolder, RefusesAnIndexThatIsNone) {
  for (const std::string text :
       {"", "[]", "{}", "{\"weight_map\":[]}", "{\"weight_map\":{}}", "{\"weight_map\":{\"a\":1}}"}) {
    put("m.index.json", text);
    expect_error([&] { open_tensor_file(folder_); }, {"m.index.json"});
  }
}

TEST_F(TensorFolder, RefusesTheSameNameInTwoShards) {
  put_copy("s.safetensors", "dtypes.safetensors");
  put_copy("t.safetensors", "dtypes.safetensors");
  put_index(R"({"scalar":"s.safetensors","empty":"t.safetensors"})");
  expect_error([&] { open_tensor_file(folder_); }, {"two tensors are named"});
}

}  // namespace
}  // namespace sgf::testing

// The safetensors reader against files of the official library and against damaged ones; the writer against
// the reader.
#include "sgf/files/safetensors.h"

#include "tests/files/weight_files.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

namespace sgf::testing {
namespace {

// A file of this header and so many zero bytes of data.
std::string with_header(std::string header, size_t data_bytes) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + std::string(data_bytes, '\0');
}

std::string two_tensors(const std::string& first, const std::string& second) {
  return R"({"a":{"dtype":"F32","shape":[2],"data_offsets":)" + first +
         R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}";
}

std::string one_tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

void expect_refused(const std::string& text, std::initializer_list<std::string_view> parts) {
  expect_error([&] { read_safetensors(MappedFile::from_bytes("weights/bad.safetensors", bytes_of(text))); },
               {"weights/bad.safetensors"});
  expect_error([&] { read_safetensors(MappedFile::from_bytes("weights/bad.safetensors", bytes_of(text))); }, parts);
}

TEST(Safetensors, ReadsEveryElementTypeAndTheMetadataOfTheOfficialLibrary) {
  const TensorFile file = open_tensor_file(weights_path("dtypes.safetensors"));
  expect_as_recorded(file, "dtypes.safetensors");
  const auto metadata = recorded("dtypes.safetensors")["metadata"].get<std::map<std::string, std::string>>();
  EXPECT_EQ(file.metadata, metadata);
  EXPECT_EQ(file.entries.size(), 21u);
}

TEST(Safetensors, EntriesComeInTheOrderOfTheirBytesAndLieInARow) {
  const TensorFile file = open_tensor_file(weights_path("dtypes.safetensors"));
  for (size_t i = 1; i < file.entries.size(); ++i) {
    EXPECT_EQ(file.entries[i].offset, file.entries[i - 1].offset + file.entries[i - 1].extent);
    EXPECT_TRUE(file.entries[i].is_contiguous());
  }
}

TEST(Safetensors, FindsByNameAndGivesNothingForAnother) {
  const TensorFile file = open_tensor_file(weights_path("dtypes.safetensors"));
  ASSERT_NE(file.find("x.BF16"), nullptr);
  EXPECT_EQ(file.find("x.BF16")->name, "x.BF16");
  EXPECT_EQ(file.find("x.BF17"), nullptr);
}

TEST(Safetensors, AcceptsTensorsThatTileTheData) {
  const TensorFile file = open_text("good", with_header(two_tensors("[4,12]", "[0,4]"), 12));
  EXPECT_EQ(file.entries.at(0).name, "b");
  EXPECT_EQ(file.entries.at(1).name, "a");
}

// A header of 640 bytes: the file begins 80 02, as a pickle does.
TEST(Safetensors, IsToldFromAPickleWhateverTheLengthOfItsHeader) {
  for (const size_t length : {0x280, 0x380, 0x480, 0x580, 0x288}) {
    std::string header = two_tensors("[0,8]", "[8,12]");
    header.resize(length, ' ');
    EXPECT_EQ(open_text("good", with_header(header, 12)).container, Container::kSafetensors) << length;
  }
}

TEST(Safetensors, RefusesOverlappingOffsetsAndNamesTheFile) {
  expect_refused(with_header(two_tensors("[0,8]", "[6,10]"), 10), {"'b' begins at byte 6", "inside"});
}

TEST(Safetensors, RefusesAHoleBetweenTensors) {
  expect_refused(with_header(two_tensors("[0,8]", "[9,13]"), 13), {"'b' begins at byte 9", "gap"});
}

TEST(Safetensors, RefusesDataThatIsCutShort) {
  expect_refused(with_header(two_tensors("[0,8]", "[8,12]"), 11), {"cut short", "'b'", "which has 11"});
}

TEST(Safetensors, RefusesTrailingBytes) {
  expect_refused(with_header(two_tensors("[0,8]", "[8,12]"), 13), {"1 bytes after the last tensor"});
}

TEST(Safetensors, RefusesAHeaderThatIsTooShortTooLongOrPastTheFile) {
  expect_refused("1234567", {"too few"});
  expect_refused(std::string("\xff\xff\xff\xff\xff\xff\xff\xff{", 9), {"the format allows"});
  expect_refused(with_header(two_tensors("[0,8]", "[8,12]"), 12).substr(0, 40), {"cut short", "header"});
}

TEST(Safetensors, RefusesAHeaderThatIsNotAJsonObject) {
  expect_refused(with_header("[1,2]   ", 0), {"not a JSON object"});
  expect_refused(with_header("{\"a\":", 0), {"not valid JSON"});
  expect_refused(with_header("{\"a\xff\":1}", 0), {"not valid JSON"});
  EXPECT_EQ(open_text("empty", with_header("{}      ", 0)).entries.size(), 0u);  // the control
}

TEST(Safetensors, RefusesANameThatAppearsTwice) {
  expect_refused(with_header(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                             R"("a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                             2),
                 {"'a' appears twice"});
}

TEST(Safetensors, RefusesASizeThatDoesNotFollowFromTheShape) {
  expect_refused(with_header(one_tensor("\"F32\"", "[3]", "[0,8]"), 8), {"takes 12 bytes", "give 8"});
}

TEST(Safetensors, RefusesShapesThatOverflow) {
  const std::string large = "[4294967296,4294967296]";
  expect_refused(with_header(one_tensor("\"F32\"", large, "[0,0]"), 0), {"too large"});
  expect_refused(with_header(one_tensor("\"F32\"", "[0,4294967296,4294967296]", "[0,0]"), 0), {"too large"});
  expect_refused(with_header(one_tensor("\"F32\"", "[18446744073709551615]", "[0,0]"), 0), {"shape"});
}

TEST(Safetensors, RefusesDimensionsAndOffsetsThatAreNoCounts) {
  for (const std::string shape : {"[-1]", "[1.0]", "[\"1\"]", "[true]", "1", "null", "{}"}) {
    expect_refused(with_header(one_tensor("\"U8\"", shape, "[0,1]"), 1), {"'a'", "shape"});
  }
  for (const std::string offsets : {"[1,0]", "[0]", "[0,1,2]", "[-1,0]", "[0,1e0]", "\"0,1\""}) {
    expect_refused(with_header(one_tensor("\"U8\"", "[1]", offsets), 1), {"'a'", "data_offsets"});
  }
}

TEST(Safetensors, RefusesAnUnknownElementTypeByItsName) {
  expect_refused(with_header(one_tensor("\"F128\"", "[2]", "[0,32]"), 32), {"'a'", "'F128'"});
  expect_refused(with_header(one_tensor("7", "[2]", "[0,1]"), 1), {"dtype"});
}

TEST(Safetensors, RefusesElementsNarrowerThanAByteAndSaysSo) {
  for (const std::string dtype : {"F4", "F6_E2M3", "F6_E3M2"}) {
    expect_refused(with_header(one_tensor('"' + dtype + '"', "[4]", "[0,2]"), 2),
                   {"tensor 'a'", "type " + dtype, "narrower than a byte"});
  }
  expect_error([] { open_tensor_file(weights_path("float4.safetensors")); }, {"float4.safetensors", "'w'", "type F4"});
}

TEST(Safetensors, OpensAHeaderOfAHundredThousandTensors) {
  constexpr size_t kCount = 100'000;
  std::string header = "{";
  for (size_t i = 0; i < kCount; ++i) {
    header += fmt::format(R"({}"blocks.{}.weight":{{"dtype":"U8","shape":[2],"data_offsets":[{},{}]}})", i ? "," : "",
                          i, 2 * i, 2 * i + 2);
  }
  std::string text = with_header(header + "}", 2 * kCount);
  text.back() = 7;
  const TensorFile file = open_text("many.safetensors", text);
  ASSERT_EQ(file.entries.size(), kCount);
  EXPECT_EQ(elements(file, *file.find("blocks.99999.weight")), (std::vector<double>{0, 7}));
  EXPECT_EQ(file.find("blocks.100000.weight"), nullptr);
}

TEST(Safetensors, RefusesDeepNestingAndLongArraysWhileParsing) {
  expect_refused(with_header("{\"a\":" + std::string(100'000, '['), 0), {"nested deeper than 3"});
  std::string ones = "1";
  for (int i = 0; i < 64; ++i) ones += ",1";
  expect_refused(with_header(one_tensor("\"U8\"", "[" + ones + "]", "[0,1]"), 1), {"longer than 64"});
}

TEST(Safetensors, RefusesMetadataThatIsNotText) {
  expect_refused(with_header(R"({"__metadata__":{"a":1}})", 0), {"__metadata__", "'a'"});
  expect_refused(with_header(R"({"__metadata__":[]})", 0), {"__metadata__"});
}

// --- the writer ---

class SafetensorsWriter : public ::testing::Test {
 protected:
  SafetensorsWriter() { std::filesystem::create_directories(folder_); }
  ~SafetensorsWriter() override { std::filesystem::remove_all(folder_); }

  size_t files_in_folder() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::vector<OutgoingTensor> tensors() const {
    return {outgoing_bytes("z", DType::kF32, {3}, std::as_bytes(std::span(floats_))),
            outgoing_bytes("a \"b\"", DType::kU8, {2, 2}, std::as_bytes(std::span(bytes_))),
            outgoing_bytes("none", DType::kF64, {0, 7}, {})};
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("sgf_safetensors_{}", ::getpid());
  const std::filesystem::path path_ = folder_ / "out.safetensors";
  const std::vector<float> floats_{1.5f, -2.0f, 3.25f};
  const std::vector<uint8_t> bytes_{1, 2, 3, 4};
};

TEST_F(SafetensorsWriter, WritesWhatTheReaderReadsInTheOrderGiven) {
  write_safetensors(path_, tensors(), {{"step", "7"}, {"note", "\"quoted\"\n"}});
  const TensorFile file = open_tensor_file(path_);
  ASSERT_EQ(file.entries.size(), 3u);
  EXPECT_EQ(file.entries[0].name, "z");
  EXPECT_EQ(file.entries[1].name, "a \"b\"");
  EXPECT_EQ(elements(file, file.entries[0]), (std::vector<double>{1.5, -2.0, 3.25}));
  EXPECT_EQ(elements(file, file.entries[1]), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(file.metadata.at("note"), "\"quoted\"\n");
  EXPECT_EQ(file.entries[0].offset % 8, 0u);
}

TEST_F(SafetensorsWriter, EqualInputMakesEqualFiles) {
  write_safetensors(path_, tensors(), {{"step", "7"}});
  write_safetensors(folder_ / "again", tensors(), {{"step", "7"}});
  write_safetensors(folder_ / "other", tensors(), {{"step", "8"}});
  EXPECT_EQ(file_text(path_), file_text(folder_ / "again"));
  EXPECT_NE(file_text(path_), file_text(folder_ / "other"));
}

TEST_F(SafetensorsWriter, TakesATensorInPieces) {
  OutgoingTensor pieces{.name = "p", .dtype = DType::kU8, .shape = {4}, .produce = [this](const ByteSink& sink) {
                          for (const uint8_t& byte : bytes_) sink(std::as_bytes(std::span(&byte, 1)));
                        }};
  write_safetensors(path_, {pieces});
  const TensorFile file = open_tensor_file(path_);
  EXPECT_EQ(elements(file, file.entries[0]), (std::vector<double>{1, 2, 3, 4}));
}

TEST_F(SafetensorsWriter, GrowsATensorByRowsWithTheOthersBehindIt) {
  const OutgoingTensor other = outgoing_bytes("other", DType::kU8, {2, 2}, std::as_bytes(std::span(bytes_)));
  GrowingSafetensors growing(path_, {.name = "rows", .dtype = DType::kF32, .shape = {3}}, {other}, {{"step", "7"}});
  for (int i = 0; i < 12; ++i) growing.add(std::as_bytes(std::span(floats_)));
  EXPECT_FALSE(std::filesystem::exists(path_));
  growing.finish();
  const TensorFile file = open_tensor_file(path_);
  EXPECT_EQ(file.find("rows")->shape, (std::vector<int64_t>{12, 3}));
  EXPECT_EQ(elements(file, *file.find("rows")).back(), 3.25);
  EXPECT_EQ(elements(file, *file.find("other")), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(file.metadata.at("step"), "7");
  EXPECT_EQ(file.find("rows")->offset % 8, 0u);
}

TEST_F(SafetensorsWriter, AGrowingFileThatIsLeftLeavesNothingAndTakesWholeRows) {
  {
    GrowingSafetensors growing(path_, {.name = "rows", .dtype = DType::kF32, .shape = {3}}, {}, {});
    growing.add(std::as_bytes(std::span(floats_)));
    expect_error([&] { growing.add(std::as_bytes(std::span(bytes_))); },
                 {"a row must have 12 bytes, got 4 after 1 rows"});
  }
  EXPECT_EQ(files_in_folder(), 0u);
}

TEST_F(SafetensorsWriter, AFailingProducerLeavesTheEarlierFileAndNoOther) {
  write_safetensors(path_, tensors());
  const std::string before = file_text(path_);
  OutgoingTensor failing{.name = "p", .dtype = DType::kU8, .shape = {4}, .produce = [](const ByteSink&) {
                           throw std::runtime_error("device lost");
                         }};
  EXPECT_THROW(write_safetensors(path_, {failing}), std::runtime_error);
  EXPECT_EQ(file_text(path_), before);
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(SafetensorsWriter, RefusesBytesThatDoNotFillTheShape) {
  const auto three = std::as_bytes(std::span(bytes_)).first(3);
  expect_error([&] { write_safetensors(path_, {outgoing_bytes("t", DType::kU8, {4}, three)}); },
               {"'t'", "needs 4 bytes, got 3"});
  EXPECT_EQ(files_in_folder(), 0u);
}

TEST_F(SafetensorsWriter, RefusesNamesThatAreTakenReservedOrNotUtf8) {
  const auto tensor = [](const char* name) { return outgoing_bytes(name, DType::kU8, {0}, {}); };
  expect_error([&] { write_safetensors(path_, {tensor("t"), tensor("t")}); }, {"'t' is already used"});
  expect_error([&] { write_safetensors(path_, {tensor("__metadata__")}); }, {"'__metadata__' is already used"});
  expect_error([&] { write_safetensors(path_, {tensor("\xff")}); }, {"UTF-8"});
  EXPECT_EQ(files_in_folder(), 0u);
}

TEST_F(SafetensorsWriter, SaysWhichFolderIsMissing) {
  expect_error([&] { write_safetensors(folder_ / "no" / "x", tensors()); }, {"/no/x", "the folder does not exist"});
}

// A limit on file sizes stands in for a full disk: both fail in the middle of a write.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit before_{};
  void (*old_handler_)(int) = nullptr;
};

TEST_F(SafetensorsWriter, AWriteThatRunsOutOfRoomLeavesTheEarlierFileAndNoOther) {
  write_safetensors(path_, tensors());
  const std::string before = file_text(path_);
  const std::vector<std::byte> large(100'000);
  {
    const FileSizeLimit limit(5000);
    expect_error([&] { write_safetensors(path_, {outgoing_bytes("t", DType::kU8, {100'000}, large)}); },
                 {"out.safetensors: cannot be written", "after 5000 bytes", "is unchanged"});
  }
  EXPECT_EQ(file_text(path_), before);
  EXPECT_EQ(files_in_folder(), 1u);
}

}  // namespace
}  // namespace sgf::testing

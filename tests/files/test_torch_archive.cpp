// Both torch.save formats against what Python reads from the same files, and what must be refused.
#include "sgf/files/torch_archive.h"

#include "tests/files/weight_files.h"

namespace sgf::testing {
namespace {

class RecordedArchive : public ::testing::TestWithParam<const char*> {};

TEST_P(RecordedArchive, HoldsTheTensorsAndSettingsThatPythonReads) {
  const TensorFile file = open_tensor_file(weights_path(GetParam()));
  expect_as_recorded(file, GetParam());
  const auto metadata = recorded(GetParam())["metadata"].get<std::map<std::string, std::string>>();
  EXPECT_EQ(file.metadata, metadata);
}

INSTANTIATE_TEST_SUITE_P(TorchArchive, RecordedArchive,
                         ::testing::Values("state_dict.pt", "state_dict_legacy.pt", "nested.pt", "nested_legacy.pt",
                                           "views.pt", "views_legacy.pt", "dtypes.pt", "lone_tensor.pt",
                                           "parameters.pt", "with_settings.pt", "protocol5.pt", "streamed_zip.pt",
                                           "zip64.pt"));

TEST(TorchArchive, KnowsNestedDictsFromFlatOnes) {
  EXPECT_TRUE(open_tensor_file(weights_path("nested.pt")).is_flattened);
  EXPECT_FALSE(open_tensor_file(weights_path("state_dict.pt")).is_flattened);
}

TEST(TorchArchive, ViewsOfOneStorageShareItsBytes) {
  for (const std::string name : {"views.pt", "views_legacy.pt"}) {
    const TensorFile file = open_tensor_file(weights_path(name));
    const TensorEntry& base = *file.find("base");
    EXPECT_EQ(file.find("tail")->offset, base.offset + 8 * sizeof(float));
    EXPECT_EQ(file.find("transposed")->offset, base.offset);
    EXPECT_NE(file.find("expanded")->offset, base.offset);
  }
}

TEST(TorchArchive, StridesAndExtentsAreThoseOfTheView) {
  const TensorFile file = open_tensor_file(weights_path("views.pt"));
  EXPECT_FALSE(file.find("transposed")->is_contiguous());
  EXPECT_EQ(file.find("transposed")->strides, (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(file.find("every_third")->extent, 10 * sizeof(float));
  EXPECT_EQ(file.find("expanded")->extent, sizeof(float));
  EXPECT_EQ(file.find("empty")->extent, 0u);
}

TEST(TorchArchive, RefusesAFunctionByItsNameAndRunsNothing) {
  for (const std::string name : {"evil.pt", "evil_legacy.pt"}) {
    expect_error([&] { open_tensor_file(weights_path(name)); }, {name, "'posix.system'", "state dict"});
  }
  EXPECT_FALSE(std::filesystem::exists("/tmp/sgf_was_run"));
}

TEST(TorchArchive, RefusesAnUnknownClassByItsName) {
  expect_error([] { open_tensor_file(weights_path("unknown_class.pt")); },
               {"unknown_class.pt", "'fractions.Fraction'"});
}

TEST(TorchArchive, RefusesAnElementTypeItCannotHoldByItsNameAndTensor) {
  expect_error([] { open_tensor_file(weights_path("complex128.pt")); },
               {"complex128.pt", "tensor 'w'", "'torch.ComplexDoubleStorage'"});
}

TEST(TorchArchive, ReadsTorchScriptModulesOnlyWhenAsked) {
  for (const std::string name : {"torchscript.pt", "clip_script.pt"}) {
    const auto file = MappedFile::open(weights_path(name));
    expect_error([&] { read_torch_archive(file); }, {name, "'__torch__."});
    expect_as_recorded(read_torch_archive(file, {.torchscript = true}), name);
  }
}

TEST(TorchArchive, RefusesCompressedRecordsAndSaysWhatToDo) {
  expect_error([] { open_tensor_file(weights_path("deflated.pt")); }, {"deflated.pt", "compressed", "torch.save"});
}

TEST(TorchArchive, RefusesBigEndianFiles) {
  const std::string zip = file_text(weights_path("nested.pt"));
  expect_error([&] { open_text("big.pt", replaced(zip, "little", "bigger")); }, {"big.pt", "'bigger'"});
  const std::string legacy = file_text(weights_path("nested_legacy.pt"));
  const std::string little = std::string("little_endianq") + '\x02' + '\x88';
  const std::string big = std::string("little_endianq") + '\x02' + '\x89';
  expect_error([&] { open_text("big.pt", replaced(legacy, little, big)); }, {"big.pt", "big-endian"});
}

TEST(TorchArchive, RefusesAViewThatLeavesItsStorage) {
  const std::string zip = file_text(weights_path("lone_tensor.pt"));  // shape (2, 2), strides (2, 1), offset 0
  const std::string shape = "K\x02K\x02\x86";
  EXPECT_NO_THROW(open_text("t.pt", zip));
  expect_error([&] { open_text("t.pt", replaced(zip, shape, "K\x03K\x02\x86")); }, {"'tensor'", "exceeds its storage"});
  expect_error([&] { open_text("t.pt", replaced(zip, "K\x02K\x01\x86", "K\x7fK\x01\x86")); },
               {"t.pt", "exceeds its storage"});
}

// The legacy file's pickles can change in length. "expanded" has shape (2, 3) and strides (0, 0).
TEST(TorchArchive, RefusesAnExpandedViewThatUnfoldsToMoreThanTheFile) {
  const std::string legacy = file_text(weights_path("views_legacy.pt"));
  const std::string shape = "K\x02K\x03\x86", twenty = "K\x14K\x03\x86", billion("J\0\0\0\x40K\x03\x86", 8);
  EXPECT_EQ(open_text("t.pt", replaced(legacy, shape, twenty)).find("expanded")->element_count(), 60);
  expect_error([&] { open_text("t.pt", replaced(legacy, shape, billion)); },
               {"t.pt: tensor 'expanded'", "unfolds to more", "contiguous()"});
}

TEST(TorchArchive, RefusesNegativeStridesAndDimensions) {
  const std::string legacy = file_text(weights_path("views_legacy.pt"));
  const std::string shape = "K\x04K\x03\x86", strides = "K\x01K\x04\x86";  // of "transposed"
  expect_error([&] { open_text("t.pt", replaced(legacy, shape, "J\xff\xff\xff\xffK\x03\x86")); },
               {"t.pt: tensor 'transposed'", "shape must not be negative, got -1"});
  expect_error([&] { open_text("t.pt", replaced(legacy, strides, "J\xff\xff\xff\xffK\x04\x86")); },
               {"t.pt: tensor 'transposed'", "stride must not be negative, got -1"});
}

TEST(TorchArchive, RefusesAStorageLargerThanItsRecord) {
  const std::string zip = file_text(weights_path("lone_tensor.pt"));
  expect_error([&] { open_text("t.pt", replaced(zip, "cpuq\x04K\x04", "cpuq\x04K\x05")); }, {"t.pt", "5 elements"});
}

TEST(TorchArchive, RefusesAStorageThatIsMissing) {
  const std::string zip = file_text(weights_path("lone_tensor.pt"));
  const std::string key("X\x01\0\0\0000q", 7), other("X\x01\0\0\0007q", 7);
  expect_error([&] { open_text("t.pt", replaced(zip, key, other)); }, {"t.pt", "storage '7' is missing"});
}

TEST(TorchArchive, RefusesNamesThatCollideOnceFlattened) {
  const std::string legacy = file_text(weights_path("views_legacy.pt"));
  expect_error([&] { open_text("t.pt", replaced(legacy, "tail", "base")); }, {"t.pt", "two tensors", "'base'"});
}

TEST(TorchArchive, RefusesALegacyFileThatIsCutShort) {
  const std::string legacy = file_text(weights_path("views_legacy.pt"));
  expect_error([&] { open_text("t.pt", legacy.substr(0, legacy.size() - 1)); }, {"t.pt", "cut short"});
  expect_error([&] { open_text("t.pt", legacy.substr(0, 200)); }, {"t.pt"});
}

TEST(TorchArchive, RefusesAPickleThatTorchDidNotWrite) {
  expect_error([] { open_text("p.pkl", "\x80\x02K\x01."); }, {"p.pkl", "was not written by torch.save"});
}

TEST(TorchArchive, RefusesAZipThatTorchDidNotWrite) {
  const std::string zip = file_text(weights_path("nested.pt"));
  std::string other = zip;
  for (size_t at = 0; (at = other.find("data.pkl", at)) != std::string::npos;) other.replace(at, 8, "data.txt");
  expect_error([&] { open_text("z.pt", other); }, {"z.pt", "no data.pkl"});
}

// --- the zip directory ---

TEST(TorchArchive, RefusesAZipThatIsCutShort) {
  const std::string zip = file_text(weights_path("nested.pt"));
  for (const size_t length : {size_t{4}, size_t{21}, zip.size() / 2, zip.size() - 1}) {
    expect_error([&] { open_text("z.pt", zip.substr(0, length)); }, {"z.pt"});
  }
}

TEST(TorchArchive, RefusesLocalAndCentralHeadersThatDisagree) {
  const std::string zip = file_text(weights_path("nested.pt"));
  expect_error([&] { open_text("z.pt", replaced(zip, "nested/data/0", "nested/data/9")); }, {"z.pt", "disagree"});
}

TEST(TorchArchive, RefusesSizesThatLie) {
  const std::string zip = file_text(weights_path("streamed_zip.pt"));
  const size_t central = zip.find("PK\x01\x02");
  for (const size_t field : {size_t{20}, size_t{24}, size_t{42}}) {  // compressed size, size, local offset
    std::string lying = zip;
    lying[central + field + 2] = '\x7f';
    expect_error([&] { open_text("z.pt", lying); }, {"z.pt"});
  }
}

TEST(TorchArchive, RefusesTwoRecordsOverTheSameBytes) {
  std::string zip = file_text(weights_path("streamed_zip.pt"));
  const size_t first = zip.find("PK\x01\x02");
  const size_t second = zip.find("PK\x01\x02", first + 4);
  zip.replace(second + 20, 4, std::string("\x00\x01\x00\x00", 4));  // reaches into the records that follow
  zip.replace(second + 24, 4, std::string("\x00\x01\x00\x00", 4));
  expect_error([&] { open_text("z.pt", zip); }, {"z.pt", "overlap"});
}

}  // namespace
}  // namespace sgf::testing

// The pickle reader on single values, on what it must refuse, and on small pickles that pretend to be large.
#include "sgf/files/pickle.h"

#include "sgf/files/torch_state.h"
#include "tests/files/weight_files.h"

namespace sgf::testing {
namespace {

Pickle read(const std::string& text, bool torchscript = false) {
  return read_pickle(std::as_bytes(std::span(text)), {.source = "p.pkl", .torchscript = torchscript});
}

void expect_refused(const std::string& text, std::initializer_list<std::string_view> parts) {
  expect_error([&] { read(text); }, {"p.pkl"});
  expect_error([&] { read(text); }, parts);
}

template <class Kind>
Kind value(const std::string& text) {
  const Pickle pickle = read(text);
  const Kind* kind = pickle.root->as<Kind>();
  EXPECT_NE(kind, nullptr);
  return kind ? *kind : Kind{};
}

std::string repeat(const std::string& text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

TensorFile flatten(const Pickle& pickle) {
  TensorFile file;
  file.files.push_back(MappedFile::from_bytes("p.pkl", {}));
  flatten_torch_state(
      pickle, [](const TorchStorage&) { return ByteRange{}; }, file);
  return file;
}

TEST(Pickle, ReadsIntegersOfEveryWidthAndSign) {
  EXPECT_EQ(value<int64_t>("K\xff."), 255);
  EXPECT_EQ(value<int64_t>("M\x01\x02."), 513);
  EXPECT_EQ(value<int64_t>("J\xfe\xff\xff\xff."), -2);
  EXPECT_EQ(value<int64_t>(std::string("\x8a\x00.", 3)), 0);
  EXPECT_EQ(value<int64_t>("\x8a\x01\xff."), -1);
  EXPECT_EQ(value<int64_t>(std::string("\x8a\x02\xff\x00.", 5)), 255);
  EXPECT_EQ(value<int64_t>("I-12\n."), -12);
  EXPECT_EQ(value<int64_t>("L12L\n."), 12);
  EXPECT_EQ(value<PickleLong>("\x8a\011123456789.").data, "123456789");
}

TEST(Pickle, ReadsFloatsBooleansAndNone) {
  EXPECT_EQ(value<double>(std::string("G\x3f\xf8\0\0\0\0\0\0.", 10)), 1.5);
  EXPECT_EQ(value<double>("F-2.5\n."), -2.5);
  EXPECT_TRUE(value<bool>("\x88."));
  EXPECT_FALSE(value<bool>("\x89."));
  EXPECT_TRUE(value<bool>("I01\n."));
  value<PickleNone>("N.");
}

TEST(Pickle, ReadsTextAndBytesOfEverySpelling) {
  EXPECT_EQ(value<std::string>(std::string("X\x02\0\0\0hi.", 8)), "hi");
  EXPECT_EQ(value<std::string>("\x8c\x02hi."), "hi");
  EXPECT_EQ(value<std::string>(std::string("\x8d\x02\0\0\0\0\0\0\0hi.", 12)), "hi");
  EXPECT_EQ(value<std::string>("U\x02hi."), "hi");
  EXPECT_EQ(value<std::string>("S'hi'\n."), "hi");
  EXPECT_EQ(value<std::string>("Vhi\n."), "hi");
  EXPECT_EQ(value<PickleBytes>("C\x02hi.").data, "hi");
}

TEST(Pickle, ReadsContainers) {
  EXPECT_EQ(value<PickleList>("](K\x01K\002e.").items.size(), 2u);
  EXPECT_EQ(value<PickleList>("]K\001a.").items.size(), 1u);
  EXPECT_EQ(value<PickleTuple>("K\x01K\x02\x86.").items.size(), 2u);
  EXPECT_EQ(value<PickleDict>("}(K\x01K\x02u.").items.size(), 1u);
  EXPECT_EQ(value<PickleDict>("(K\x01K\002d.").items.size(), 1u);
}

TEST(Pickle, ReadsAnOrderedDictFilledLaterOrFromPairs) {
  EXPECT_EQ(value<PickleDict>("ccollections\nOrderedDict\n)R(K\x01K\x02u.").items.size(), 1u);
  EXPECT_EQ(value<PickleDict>("ccollections\nOrderedDict\n](](K\x01K\002ee\x85R.").items.size(), 1u);
}

TEST(Pickle, RemembersValuesWithoutCopyingThem) {
  const Pickle pickle = read("]q\x01h\x01\x86.");
  const auto& items = pickle.root->as<PickleTuple>()->items;
  EXPECT_EQ(items[0], items[1]);
}

TEST(Pickle, StopsAtTheFirstStop) { EXPECT_EQ(read("K\x01.K\x02.").byte_count, 3u); }

TEST(Pickle, RefusesGlobalsByNameInEverySpelling) {
  expect_refused("cos\nsystem\n.", {"'os.system'", "nothing was run"});
  expect_refused("\x8c\x02os\x8c\x06system\x93.", {"'os.system'"});
  expect_refused("cbuiltins\neval\n.", {"'builtins.eval'"});
  expect_refused("ctorch\nload\n.", {"'torch.load'"});
  EXPECT_NO_THROW(read("ctorch\nFloatStorage\n."));
}

TEST(Pickle, TakesTorchScriptClassesOnlyWhenAsked) {
  const std::string module = "c__torch__.net\nModule\n)\x81.";
  expect_refused(module, {"'__torch__.net.Module'"});
  EXPECT_NO_THROW(read(module, true));
}

TEST(Pickle, RefusesInstancesByTheNameOfTheirClass) {
  expect_refused("(S'x'\nios\nsystem\n.", {"'os.system'", "nothing was run"});
  expect_refused("(icollections\nOrderedDict\n.", {"'collections.OrderedDict'", "never writes"});
}

TEST(Pickle, RefusesOperationsThatCouldLoadCode) {
  for (const std::string code : {"o", "\x82\x01", "\x97", "\x92"}) expect_refused(code + ".", {"operation 0x"});
}

TEST(Pickle, RefusesToTakeWhatIsNotThere) {
  for (const std::string text : {".", "a.", "K\001a.", "t.", "(K\x01\x86.", "h\x05.", "R.", "Q.", "0.", "(.", "u."}) {
    expect_refused(text, {"damaged pickle"});
  }
}

TEST(Pickle, RefusesToFillWhatIsNoContainer) {
  expect_refused("K\x01K\002a.", {"a list to append to"});
  expect_refused("K\x01K\x02K\x03s.", {"a dict to fill"});
  expect_refused("}(K\x01u.", {"a key without a value"});
  expect_refused("K\x01)R.", {"a name to call"});
  expect_refused("K\x01}b.", {"an object to give state to"});
}

TEST(Pickle, RefusesLengthsPastTheEndBeforeAllocating) {
  expect_refused("\x8d\xff\xff\xff\xff\xff\xff\xff\017hi.", {"ends early"});
  expect_refused("\x8e\xff\xff\xff\xff\xff\xff\xff\377hi.", {"ends early"});
  expect_refused("X\xff\xff\xff\x7fhi.", {"ends early"});
  expect_refused("\x8b\xff\xff\xff\x7fhi.", {"ends early"});
  expect_refused("\x95\xff\xff\xff\xff\xff\xff\xff\x0f.", {"frame"});
  expect_refused("K", {"ends early"});
  expect_refused("", {"ends early"});
  expect_refused("Sabc", {"ends inside a line"});
}

// Each of these bytes costs dozens: a list, a tuple around the last value, a place in the memo.
TEST(Pickle, RefusesMillionsOfTinyOperations) {
  for (const std::string tiny : {"]", "]0", ")", "\x85", "\x94"}) {
    EXPECT_NO_THROW(read("N" + repeat(tiny, 10'000) + "N.")) << tiny;
    expect_refused("N" + repeat(tiny, 3'000'000) + "N.", {"more and smaller parts"});
  }
  expect_refused(repeat("N", 5'000'000) + ".", {"more and smaller parts"});
}

TEST(Pickle, KeepsOneOfEachSmallValueHoweverLongTheList) {
  const Pickle pickle = read("](" + repeat("NK\x07\x88\x89", 100'000) + "e.");
  EXPECT_EQ(pickle.root->as<PickleList>()->items.size(), 400'000u);
  EXPECT_EQ(pickle.values.size(), 5u);
}

// What torch writes for one tensor, with a name and a storage of its own.
std::string described_tensor(size_t index) {
  const std::string name = fmt::format("generator.model.blocks.{:05}.self_attn.q.weight", index);
  const std::string key = fmt::format("{:05}", index), memo = "r" + std::string("\1\0\0\0", 4);
  const std::string storage = "(h\1h\2U\5" + key + memo + "U\3cpu" + memo + std::string("M\0\4t", 4) + memo + "Q";
  const std::string call = "h\3(" + storage + std::string("K\0K K \x86", 7) + memo + "K K\1\x86" + memo + "\x89h\4)R";
  return "U" + std::string(1, static_cast<char>(name.size())) + name + memo + call + memo + "t" + memo + "R" + memo;
}

TEST(Pickle, ReadsTheManyTensorsOfALargeCheckpoint) {
  std::string text = "U\7storageq\1ctorch\nFloatStorage\nq\2ctorch._utils\n_rebuild_tensor_v2\nq\3";
  text += "ccollections\nOrderedDict\nq\4}(";
  for (size_t i = 0; i < 30'000; ++i) text += described_tensor(i);
  EXPECT_EQ(read(text + "u.").root->as<PickleDict>()->items.size(), 30'000u);
}

// Each OrderedDict copies the one list of a thousand pairs: the copies count.
TEST(Pickle, RefusesToCopyOneListOverAndOver) {
  const std::string pairs = "](" + repeat("NN\x86", 1000) + "eq\0010";
  const std::string copy = "ccollections\nOrderedDict\nh\x01\x85R0";
  EXPECT_NO_THROW(read(pairs + repeat(copy, 10) + "N."));
  expect_refused(pairs + repeat(copy, 9000) + "N.", {"more and smaller parts"});
}

TEST(Pickle, DestroysADeepTreeAndACycleWithoutRecursing) {
  const std::string room = "T" + std::string("\0\0\x40\0", 4) + std::string(0x400000, 'x') + "0";
  EXPECT_NO_THROW(read(room + "N" + repeat("\x85", 500'000) + "."));
  EXPECT_NO_THROW(read("]q\x01h\001a."));
}

// --- flattening ---

TEST(Pickle, FlattensToDottedNames) {
  const TensorFile file = flatten(read("}(U\001a}(U\001bK\x01K\x07](NK\002euU\001cG" + std::string(8, '\0') + "u."));
  const std::map<std::string, std::string> expected{{"a.b", "1"}, {"a.7.0", "None"}, {"a.7.1", "2"}, {"c", "0"}};
  EXPECT_EQ(file.metadata, expected);
}

TEST(Pickle, SaysOnlyTheLengthOfALongListOfNumbers) {
  EXPECT_EQ(flatten(read("](" + repeat("K\x01", 1024) + "e.")).metadata.size(), 1024u);
  const TensorFile file = flatten(read("}(U\001a](" + repeat("K\x01", 100'000) + "eu."));
  EXPECT_EQ(file.metadata, (std::map<std::string, std::string>{{"a", "<100000 values>"}}));
}

TEST(Pickle, RefusesToFlattenACycle) {
  const std::string long_text = "T" + std::string("\0\x10\0\0", 4) + std::string(0x1000, 'x') + "0";  // room to unfold
  const Pickle pickle = read(long_text + "]q\x01h\001a.");
  expect_error([&] { flatten(pickle); }, {"p.pkl", "nested deeper than 64"});
}

// Forty dicts, each twice inside the next: a terabyte of paths from two hundred bytes. With empty keys the
// paths have no length either.
TEST(Pickle, RefusesToUnfoldSharedDictsWithoutEnd) {
  const std::string named = "U\x01?%U\x01!%", unnamed("U\0%U\0%", 6);
  for (const std::string& keys : {named, unnamed}) {
    std::string text = "}q\0010";
    const std::string filled = replaced(replaced(keys, "%", "h\x01"), "%", "h\x01");
    for (int i = 0; i < 40; ++i) text += "}(" + filled + "uq\0010";
    const Pickle pickle = read(text + "h\x01.");
    expect_error([&] { flatten(pickle); }, {"p.pkl", "unfold"});
  }
}

TEST(Pickle, RefusesToRepeatALongTextWithoutEnd) {
  const std::string text = std::string("X\x00\x00\x10\x00", 5) + std::string(0x100000, 'x') + "q\0010";
  const Pickle few = read(text + "](" + repeat("h\x01", 10) + "e.");
  const Pickle many = read(text + "](" + repeat("h\x01", 1000) + "e.");
  EXPECT_EQ(flatten(few).metadata.size(), 10u);
  expect_error([&] { flatten(many); }, {"p.pkl", "unfold"});
}

// Six bytes an item, each of which would be a long name and a text of its own.
TEST(Pickle, RefusesToListMillionsOfSettings) {
  const auto numbered = [](uint32_t count) {
    std::string text = "}(U\xc8" + std::string(200, 'x') + "}(";
    for (uint32_t i = 0; i < count; ++i) text += "J" + std::string(reinterpret_cast<const char*>(&i), 4) + "N";
    return text + "uu.";
  };
  const Pickle few = read(numbered(10'000)), many = read(numbered(300'000));
  EXPECT_EQ(flatten(few).metadata.size(), 10'000u);
  expect_error([&] { flatten(many); }, {"p.pkl", "unfold"});
}

TEST(Pickle, RefusesAMillionParametersAroundNothing) {
  const std::string text = "N" + repeat("\x85q\0020ctorch._utils\n_rebuild_parameter\nh\x02R", 100'000) + ".";
  const Pickle pickle = read(text);
  expect_error([&] { flatten(pickle); }, {"p.pkl", "a parameter's tensor"});
}

}  // namespace
}  // namespace sgf::testing

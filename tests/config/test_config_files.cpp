// Config files and trees: bases and their order, overrides, and the YAML that is refused.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sgf/config/config.h"
#include "sgf/config/config_files.h"
#include "tests/core/refusal.h"

namespace sgf {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

ConfigNode parse(std::string_view yaml) { return parse_yaml(yaml, {.source = "my.yaml", .line = 1, .column = 1}); }

std::string refusal_of_yaml(std::string_view yaml) {
  return refusal_of([&] { parse(yaml); });
}

class ConfigFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / fmt::format("sgf_{}_{}", test->name(), getpid());
    fs::create_directories(folder_ / "presets");
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const fs::path& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  Config load(const fs::path& file, const std::vector<std::string>& overrides = {}) const {
    return load_config(file, overrides, {folder_ / "presets"});
  }
  std::string refusal_of_load(const fs::path& file, const std::vector<std::string>& overrides = {}) const {
    return refusal_of([&] { load(file, overrides); });
  }

  fs::path folder_;
};

TEST_F(ConfigFiles, LaterBasesWinOverEarlierAndTheFileOverAll) {
  write("a.yaml", "name: a\nmodel: {dim: 48, ffn_dim: 1, text_dim: 1}\n");
  write("b.yaml", "model: {ffn_dim: 2, text_dim: 2}\n");
  const Config config = load(write("top.yaml", "base: [a, b]\nmodel: {text_dim: 3}\n"));
  EXPECT_EQ(config.name, "a");
  EXPECT_EQ(config.model.dim, 48);
  EXPECT_EQ(config.model.ffn_dim, 2);
  EXPECT_EQ(config.model.text_dim, 3);
  EXPECT_EQ(config.model.num_layers, Config{}.model.num_layers);  // in none of them
}

TEST_F(ConfigFiles, TheOrderOfBasesMatters) {
  write("a.yaml", "name: a\n");
  write("b.yaml", "name: b\n");
  EXPECT_EQ(load(write("ab.yaml", "base: [a, b]\n")).name, "b");
  EXPECT_EQ(load(write("ba.yaml", "base: [b, a]\n")).name, "a");
}

TEST_F(ConfigFiles, ABaseBringsItsOwnBasesFirst) {
  write("root.yaml", "name: root\ndescription: root\nrun: {seed: 5}\n");
  write("middle.yaml", "name: middle\nbase: root\ndescription: middle\n");
  const Config config = load(write("top.yaml", "base: middle\nname: top\n"));
  EXPECT_EQ(config.name, "top");
  EXPECT_EQ(config.description, "middle");
  EXPECT_EQ(config.run.seed, 5);
}

TEST_F(ConfigFiles, SequencesReplaceWhereMappingsMerge) {
  write("a.yaml", "schedule: {shift: 3, denoising_steps: [900, 600, 300]}\n");
  const Config config = load(write("top.yaml", "base: a\nschedule: {denoising_steps: [500]}\n"));
  EXPECT_EQ(config.schedule.denoising_steps, std::vector<double>{500});
  EXPECT_EQ(config.schedule.shift, 3);
}

TEST_F(ConfigFiles, AnEmptySectionChangesNothing) {
  write("a.yaml", "model: {dim: 48}\n");
  EXPECT_EQ(load(write("top.yaml", "base: a\nmodel:\n  # dim: 24\n")).model.dim, 48);
}

TEST_F(ConfigFiles, NullClearsAnOptionalOfTheBase) {
  write("a.yaml", "context: {first_block_frames: 1}\n");
  EXPECT_EQ(load(write("kept.yaml", "base: a\n")).context.first_block_frames, 1);
  EXPECT_EQ(load(write("gone.yaml", "base: a\ncontext: {first_block_frames: null}\n")).context.first_block_frames,
            std::nullopt);
}

TEST_F(ConfigFiles, ABaseIsFoundBesideTheFileBeforeThePresets) {
  write("presets/both.yaml", "name: preset\n");
  write("presets/only.yaml", "name: preset\n");
  write("both.yaml", "name: beside\n");
  EXPECT_EQ(load(write("x.yaml", "base: both\n")).name, "beside");
  EXPECT_EQ(load(write("y.yaml", "base: only.yaml\n")).name, "preset");
}

TEST_F(ConfigFiles, ABareNameIsAPresetAndAPathIsAFile) {
  write("presets/small-1.3b.yaml", "name: preset\n");
  EXPECT_EQ(load("small-1.3b").name, "preset");
  EXPECT_EQ(load(folder_ / "presets/small-1.3b.yaml").name, "preset");
}

TEST_F(ConfigFiles, AMissingBaseSaysWhereItLooked) {
  write("presets/tiny.yaml", "{}");
  const fs::path top = write("top.yaml", "name: x\nbase: tinny\n");
  EXPECT_EQ(refusal_of_load(top), fmt::format("{0}/top.yaml:2: base 'tinny' was not found, looked for {0}/tinny.yaml, "
                                              "{0}/presets/tinny.yaml; did you mean tiny?",
                                              folder_.string()));
}

TEST_F(ConfigFiles, AMissingPresetOrFileSaysWhereItLooked) {
  write("presets/tiny.yaml", "{}");
  EXPECT_THAT(refusal_of_load("tiyn"), HasSubstr("preset 'tiyn' was not found, looked for "));
  EXPECT_THAT(refusal_of_load("tiyn"), HasSubstr("did you mean tiny?"));
  EXPECT_THAT(refusal_of_load("nothing-like-it"), HasSubstr("; expected one of tiny"));
  EXPECT_THAT(refusal_of_load("no/such.yaml"), HasSubstr("config 'no/such.yaml' was not found"));
  EXPECT_THAT(refusal_of([] { load_config("tiny", {}, {}); }), HasSubstr("there is no preset folder"));
}

TEST_F(ConfigFiles, APipeOrAFolderOfABareNameIsNoMisspeltPreset) {
  write("presets/tiny.yaml", "name: preset\n");
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  for (const char* name : {"tiny", "folder"}) fs::create_directory(name);
  const int made = ::mkfifo("ff", 0600);
  const std::string of_pipe = refusal_of_load("ff"), of_folder = refusal_of_load("folder");
  const std::string name = load("tiny").name, of_neither = refusal_of_load("tiyn");
  fs::current_path(before);
  ASSERT_EQ(made, 0);
  EXPECT_EQ(of_pipe, "ff is a pipe, expected a YAML file; save it to a file first");
  EXPECT_EQ(of_folder, "folder is a folder, expected a YAML file");
  EXPECT_EQ(name, "preset");  // a preset goes before a folder of its name
  EXPECT_THAT(of_neither, HasSubstr("preset 'tiyn' was not found"));
}

TEST_F(ConfigFiles, ACycleOfBasesIsRefusedWithItsChain) {
  write("a.yaml", "base: b\n");
  write("b.yaml", "base: c\n");
  write("c.yaml", "base: a\n");
  EXPECT_EQ(
      refusal_of_load(folder_ / "a.yaml"),
      fmt::format("base files form a cycle: {0}/a.yaml -> {0}/b.yaml -> {0}/c.yaml -> {0}/a.yaml", folder_.string()));
  EXPECT_THAT(refusal_of_load(write("self.yaml", "base: self\n")), HasSubstr("self.yaml -> "));
}

TEST_F(ConfigFiles, ADiamondOfBasesIsNoCycle) {
  write("tip.yaml", "name: tip\n");
  write("left.yaml", "base: tip\n");
  write("right.yaml", "base: tip\n");
  EXPECT_EQ(load(write("top.yaml", "base: [left, right]\n")).name, "tip");
}

TEST_F(ConfigFiles, DiamondsOnDiamondsAreBounded) {
  write("b0.yaml", "name: tip\n");
  for (int i = 1; i <= 30; ++i) write(fmt::format("b{}.yaml", i), fmt::format("base: [b{0}, b{0}]\n", i - 1));
  EXPECT_THAT(refusal_of_load(folder_ / "b30.yaml"), HasSubstr("more than 100 base files"));
}

TEST_F(ConfigFiles, ABaseMustBeANameOrNames) {
  EXPECT_THAT(refusal_of_load(write("a.yaml", "base: {x: 1}\n")),
              HasSubstr("a.yaml:1: base must be a name or a list of names, got a mapping"));
  EXPECT_THAT(refusal_of_load(write("b.yaml", "base: [[x]]\n")), HasSubstr("got a list"));
  EXPECT_THAT(refusal_of_load(write("c.yaml", "base:\n")), HasSubstr("got nothing"));
}

TEST_F(ConfigFiles, FoldersAndHugeFilesAreRefused) {
  fs::create_directory(folder_ / "dir.yaml");
  EXPECT_THAT(refusal_of_load(folder_ / "dir.yaml"), HasSubstr("is a folder"));
  EXPECT_THAT(refusal_of_load(write("big.yaml", std::string((1 << 20) + 1, '#'))), HasSubstr("is larger than"));
}

TEST_F(ConfigFiles, AFileWithoutSettingsIsRefused) {
  for (const char* text : {"", "# nothing yet\n", "%s", "---\n"})
    EXPECT_THAT(refusal_of_load(write("empty.yaml", text)), HasSubstr("empty.yaml")) << text;
  EXPECT_THAT(refusal_of_load(write("empty.yaml", "")), HasSubstr("holds no settings"));
  EXPECT_EQ(load(write("defaults.yaml", "{}")), Config{}) << "the control: a mapping of nothing means it";
}

TEST_F(ConfigFiles, AFileThatIsNoMappingIsRefused) {
  EXPECT_THAT(refusal_of_load(write("list.yaml", "# a\n- 1\n")),
              HasSubstr("list.yaml:2: a config must be a mapping of keys to values, got a list"));
  EXPECT_THAT(refusal_of_load(write("word.yaml", "hello\n")), HasSubstr("got 'hello'"));
}

TEST_F(ConfigFiles, OverridesComeLastAndInOrder) {
  const fs::path file = write("a.yaml", "run: {seed: 1}\n");
  EXPECT_EQ(load(file).run.seed, 1);
  const Config config = load(file, {"run.seed=2", "run.seed=3", "schedule.denoising_steps=[800, 200]", "name=a = b"});
  EXPECT_EQ(config.run.seed, 3);
  EXPECT_EQ(config.schedule.denoising_steps, (std::vector<double>{800, 200}));
  EXPECT_EQ(config.name, "a = b");
}

TEST_F(ConfigFiles, WhatIsLoadedIsValidatedAfterTheOverrides) {
  const fs::path file = write("a.yaml", "model: {num_heads: 5}\n");
  EXPECT_THAT(refusal_of_load(file), HasSubstr("model.num_heads must divide model.dim"));
  EXPECT_NO_THROW(load(file, {"model.num_heads=8"}));
}

TEST_F(ConfigFiles, WhatIsOutOfRangeIsNamedWithItsPlace) {
  const fs::path base = write("base.yaml", "name: b\ntrain:\n  global_batch: 2\n");
  const fs::path file = write("a.yaml", "base: base\n\nschedule:\n  shift: -1\n");
  EXPECT_THAT(refusal_of_load(file), HasSubstr(file.string() + ":4: schedule.shift must be positive"));
  EXPECT_THAT(refusal_of([&] { load(file, {"schedule.shift=-2"}); }),
              HasSubstr("--set schedule.shift=-2: schedule.shift must be positive, got -2"));
  EXPECT_THAT(refusal_of([&] {
                load(file, {"schedule.shift=5", "train.micro_batch=9"});
              }),
              HasSubstr("--set train.micro_batch=9, " + base.string() +
                        ":3: train.micro_batch must be at most train.global_batch"));
  // A word of the message that is a key, but none that is meant; and a default, which lies nowhere.
  EXPECT_THAT(refusal_of([&] { load(base, {"schedule.denoising_steps=[]"}); }),
              HasSubstr("--set schedule.denoising_steps=[]: schedule.denoising_steps must hold at least one step"));
  EXPECT_THAT(refusal_of([&] { load(base, {"model.num_heads=7"}); }),
              HasSubstr("--set model.num_heads=7: model.num_heads must divide model.dim"));
}

TEST_F(ConfigFiles, OverridesAreReadAsYaml) {
  const fs::path file = write("a.yaml", "{}");
  EXPECT_EQ(load(file, {"name=\"\""}).name, "");
  EXPECT_EQ(load(file, {"context.first_block_frames=1"}).context.first_block_frames, 1);
  EXPECT_EQ(load(file, {"context.first_block_frames=null"}).context.first_block_frames, std::nullopt);
  const Config config = load(file, {"model={dim: 48, ffn_dim: 7}"});
  EXPECT_EQ(config.model.ffn_dim, 7);
  EXPECT_EQ(config.model.num_layers, 3);  // a mapping merges here too
}

TEST_F(ConfigFiles, ARefusedOverrideIsNamedInFull) {
  const fs::path file = write("a.yaml", "{}");
  EXPECT_EQ(refusal_of_load(file, {"model.dmi=96"}),
            "--set model.dmi=96: unknown key model.dmi, did you mean model.dim?");
  EXPECT_EQ(refusal_of_load(file, {"model.dim=wide"}),
            "--set model.dim=wide: model.dim expects an integer, got 'wide'");
  EXPECT_EQ(refusal_of_load(file, {"modle.dim=96"}), "--set modle.dim=96: unknown key modle, did you mean model?");
  EXPECT_EQ(refusal_of_load(file, {"model.dim.x=1"}),
            "--set model.dim.x=1: model.dim expects an integer, got a mapping");
  EXPECT_EQ(refusal_of_load(file, {"model=3"}), "--set model=3: model expects a mapping of keys to values, got '3'");
}

TEST_F(ConfigFiles, AnOverrideMustBeAnAssignment) {
  const fs::path file = write("a.yaml", "{}");
  EXPECT_EQ(refusal_of_load(file, {"model.dim"}), "--set model.dim: expected key=value");
  EXPECT_THAT(refusal_of_load(file, {"=3"}), HasSubstr("expected a dotted key"));
  EXPECT_THAT(refusal_of_load(file, {"model..dim=3"}), HasSubstr("expected a dotted key"));
  std::string deep = "a";
  for (int i = 0; i < 32; ++i) deep += ".a";
  EXPECT_THAT(refusal_of_load(file, {deep + "=3"}), HasSubstr("a key must have at most 32 parts, got 33"));
  EXPECT_THAT(refusal_of_load(file, {"model.dim=[1"}), HasSubstr("is a bracket left open?"));
  EXPECT_THAT(refusal_of_load(file, {"model.dim=a: b: c"}), HasSubstr("--set model.dim=a: b: c: not valid YAML: "));
}

TEST(YamlTree, RemembersWhereEveryValueStands) {
  const ConfigNode tree = parse("a:\n  b: 1\n  c: [2,\n   3]\nd:\ne: x\n");
  EXPECT_EQ(tree.find("a")->find("b")->origin.where(), "my.yaml:2");
  EXPECT_EQ(tree.find("a")->find("b")->origin.column, 6);
  EXPECT_EQ(tree.find("a")->find("c")->items[1].origin.where(), "my.yaml:4");
  EXPECT_EQ(tree.find("d")->origin.where(), "my.yaml:5");  // nothing stands where its key does
}

TEST(YamlTree, ADuplicateKeyIsRefusedWithBothLines) {
  EXPECT_EQ(refusal_of_yaml("model:\n  dim: 1\n  eps: 2\n  dim: 3\n"),
            "my.yaml:4: model.dim is given twice, first at my.yaml:2");
  EXPECT_THAT(refusal_of_yaml("{a: 1, \"a\": 2}"), HasSubstr("a is given twice"));
  EXPECT_NO_THROW(parse("model: {dim: 1}\nother: {dim: 1}\n"));
}

TEST(YamlTree, SyntaxErrorsNameTheLine) {
  EXPECT_THAT(refusal_of_yaml("a: 1\nb: [1, 2\nc: 3\n"), HasSubstr("my.yaml:3: not valid YAML: "));
  EXPECT_THAT(refusal_of_yaml("a: b: c\n"), HasSubstr("my.yaml:1: not valid YAML: "));
}

TEST(YamlTree, SeveralDocumentsAreRefusedAndOneWithMarksIsNot) {
  EXPECT_EQ(refusal_of_yaml("---\na: 1\n---\nb: 2\n"), "my.yaml:3: a second YAML document starts here, expected one");
  EXPECT_EQ(parse("%YAML 1.2\n---\na: 1\n...\n").find("a")->text, "1");
}

TEST(YamlTree, AnchorsAliasesAndTagsAreRefusedByName) {
  EXPECT_THAT(refusal_of_yaml("a: &x 1\nb: 2\n"), HasSubstr("my.yaml:1: anchors and aliases"));
  EXPECT_THAT(refusal_of_yaml("a: &x {}\n"), HasSubstr("anchors and aliases"));
  EXPECT_THAT(refusal_of_yaml("a: !!str 1\n"), HasSubstr("YAML tags are not supported"));
  EXPECT_THAT(refusal_of_yaml("a: !x {}\n"), HasSubstr("YAML tags are not supported, got '!x'"));
}

TEST(YamlTree, KeysMustBeWords) {
  EXPECT_THAT(refusal_of_yaml("? [1]\n: 2\n"), HasSubstr("a key must be a word, got a list"));
  EXPECT_THAT(refusal_of_yaml("null: 2\n"), HasSubstr("a key must be a word, got nothing"));
}

TEST(YamlTree, BombsAreBounded) {
  const std::string brackets = std::string(10000, '[') + std::string(10000, ']');
  EXPECT_THAT(refusal_of_yaml("a: " + brackets), HasSubstr("nested at most 32 levels deep"));
  EXPECT_THAT(refusal_of_yaml(std::string(100000, '[')), HasSubstr("is a bracket left open?"));
  std::string staircase;
  for (size_t i = 0; i < 200; ++i) staircase += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(refusal_of_yaml(staircase), HasSubstr("nested at most 32 levels deep"));
  std::string wide = "[";
  for (int i = 0; i < 20000; ++i) wide += "1,";
  EXPECT_THAT(refusal_of_yaml(wide + "]"), HasSubstr("at most 10000 values"));
}

TEST_F(ConfigFiles, OtherEncodingsAreNamedWithTheCommandThatConverts) {
  using namespace std::string_literals;
  const auto refusal = [&](const std::string& text) { return refusal_of_load(write("wide.yaml", text)); };
  for (const std::string& text : {"\xFF\xFE"s
                                  "a\0:\0 \0"
                                  "1\0"s,
                                  "\xFE\xFF\0a\0:\0 \0"
                                  "1"s})
    EXPECT_THAT(refusal(text),
                HasSubstr("wide.yaml: is UTF-16 text, expected UTF-8 (YAML); convert it: iconv -f UTF-16 -t UTF-8"));
  EXPECT_THAT(refusal("a\0:\0 \0"
                      "1\0"s),
              HasSubstr("iconv -f UTF-16LE -t UTF-8"))
      << "without a mark, iconv needs the order of the bytes";
  EXPECT_THAT(refusal_of_load(write("wide.yaml", "\xFF\xFE\0\0a\0\0\0"s)), HasSubstr("iconv -f UTF-32"));
  EXPECT_EQ(load(write("narrow.yaml", "\xEF\xBB\xBFname: caf\xC3\xA9\n")).name, "caf\xC3\xA9");
}

TEST(YamlTree, BrokenBytesAreRefusedWithTheirLine) {
  EXPECT_EQ(refusal_of_yaml("a: 1\nb: caf\xE9\n"), "my.yaml:2: expected UTF-8 text, got byte 0xE9");
  EXPECT_THAT(refusal_of_yaml(std::string("a: 1\n\0b: 2\n", 11)),
              HasSubstr("my.yaml:2: expected UTF-8 text, got byte"));
  EXPECT_THAT(refusal_of_yaml("a: 1\n\x04\nb: 2\n"), HasSubstr("got byte 0x04"));  // yaml-cpp would stop reading here
  EXPECT_EQ(parse("\xEF\xBB\xBF"
                  "a: 1\r\nb: 2\r\n")
                .find("b")
                ->text,
            "2");
}

}  // namespace
}  // namespace sgf

// Config: what is read, what is refused and how it is said, what is printed, and the presets.
#include "sgf/config/config.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "tests/core/refusal.h"

namespace sgf {
namespace {

using testing::HasSubstr;

Config parse(std::string_view yaml) { return parse_config(yaml, "my.yaml"); }

std::string refusal_of_yaml(std::string_view yaml) {
  return refusal_of([&] { parse(yaml); });
}

void expect_prints_the_same_twice(const Config& config) {
  const std::string once = to_yaml(config);
  const Config back = parse_config(once, "printed");
  EXPECT_EQ(back, config) << once;
  EXPECT_EQ(to_yaml(back), once);
}

TEST(Config, IsTheSameAsJson) {
  const Config config =
      parse("name: 'yes'\ncontext: {first_block_frames: 2, positions: top_aligned}\nrun: {seed: 7}\n");
  const nlohmann::json json = nlohmann::json::parse(to_json(config));
  EXPECT_EQ(json["name"], "yes");
  EXPECT_EQ(json["context"]["positions"], "top_aligned");
  EXPECT_EQ(json["context"]["first_block_frames"], 2);
  EXPECT_EQ(json["model"]["patch_size"], nlohmann::json::array({1, 2, 2}));
  EXPECT_EQ(json["schedule"]["warp_denoising_steps"], true);
  EXPECT_TRUE(nlohmann::json::parse(to_json(Config{}))["context"]["first_block_frames"].is_null());
  EXPECT_EQ(parse_config(to_json(config), "json"), config);  // JSON is YAML too: nothing is left out
}

TEST(Config, UnknownKeyIsRefusedWithTheNearestOne) {
  EXPECT_EQ(refusal_of_yaml("model:\n  dim: 96\n  num_haeds: 4\n"),
            "my.yaml:3: unknown key model.num_haeds, did you mean model.num_heads?");
  EXPECT_EQ(refusal_of_yaml("contxt: {}\n"), "my.yaml:1: unknown key contxt, did you mean context?");
}

TEST(Config, AKeyInTheWrongSectionIsSentToTheRightOne) {
  EXPECT_EQ(refusal_of_yaml("sink_frames: 4\n"),
            "my.yaml:1: unknown key sink_frames, did you mean context.sink_frames?");
  EXPECT_EQ(refusal_of_yaml("model: {fsp: 16}\n"), "my.yaml:1: unknown key model.fsp, did you mean video.fps?");
}

TEST(Config, AKeyNearNoneIsAnsweredWithThoseThatExist) {
  EXPECT_EQ(refusal_of_yaml("video: {colourspace: 1}\n"),
            "my.yaml:1: unknown key video.colourspace; video has frames, height, width, fps");
  EXPECT_THAT(refusal_of_yaml("colourspace: 1\n"), HasSubstr("the top level has name, description, model, "));
}

TEST(Config, ADottedKeyInAFileIsToldToNest) {
  EXPECT_THAT(refusal_of_yaml("model.dim: 96\n"), HasSubstr("nest the parts of a dotted key"));
}

TEST(Config, WrongTypesNameFileLineAndExpectation) {
  EXPECT_EQ(refusal_of_yaml("# a\nmodel:\n  dim: wide\n"), "my.yaml:3: model.dim expects an integer, got 'wide'");
  EXPECT_EQ(refusal_of_yaml("model: 3\n"), "my.yaml:1: model expects a mapping of keys to values, got '3'");
  EXPECT_EQ(refusal_of_yaml("model: {dim: [1]}\n"), "my.yaml:1: model.dim expects an integer, got a list");
  EXPECT_EQ(refusal_of_yaml("model: {dim: }\n"), "my.yaml:1: model.dim expects an integer, got nothing");
  EXPECT_EQ(refusal_of_yaml("- 1\n"), "my.yaml:1: a config expects a mapping of keys to values, got a list");
  EXPECT_EQ(refusal_of_yaml("context: {first_block_frames: x}\n"),
            "my.yaml:1: context.first_block_frames expects an integer, got 'x'");
}

TEST(Config, IntegersAreWrittenAsIntegers) {
  EXPECT_EQ(parse("model: {dim: +96}\n").model.dim, 96);
  EXPECT_EQ(parse("run: {seed: 9223372036854775807}\n").run.seed, INT64_MAX);
  EXPECT_THAT(refusal_of_yaml("model: {dim: 1e3}\n"), HasSubstr("expects an integer, got '1e3'; write 1000"));
  EXPECT_THAT(refusal_of_yaml("model: {dim: 96.0}\n"), HasSubstr("got '96.0'; write 96"));
  EXPECT_THAT(refusal_of_yaml("model: {dim: 1_536}\n"), HasSubstr("got '1_536'; write 1536"));
  EXPECT_THAT(refusal_of_yaml("model: {dim: \"96\"}\n"), HasSubstr("got the text '96'; write 96"));
  for (const char* wrong : {"010", "0x10", "96.5", "1e400", "true", "--5", "+-5", "+", "5 5"}) {
    EXPECT_THAT(refusal_of_yaml(fmt::format("model: {{dim: {}}}\n", wrong)), HasSubstr("expects an integer, got "));
  }
}

TEST(Config, IntegersThatDoNotFitAreRefused) {
  EXPECT_THAT(refusal_of_yaml("run: {seed: 9223372036854775808}\n"), HasSubstr("expects an integer of 64 bits"));
  EXPECT_EQ(parse("run: {seed: -9223372036854775808}\n").run.seed, INT64_MIN);
}

TEST(Config, NumbersMayBeIntegersOrScientific) {
  EXPECT_EQ(parse("video: {fps: 24}\n").video.fps, 24);
  EXPECT_EQ(parse("model: {eps: 1e-5}\n").model.eps, 1e-5);
  EXPECT_EQ(parse("model: {eps: +.5E+0}\n").model.eps, 0.5);
  EXPECT_THAT(refusal_of_yaml("video: {fps: \"24\"}\n"), HasSubstr("got the text '24'; write 24"));
}

TEST(Config, NumbersThatAreNotFiniteAreRefused) {
  for (const char* wrong : {"nan", ".nan", "inf", "-.inf", "infinity", "0x1p3", "1,5", "fast"}) {
    EXPECT_THAT(refusal_of_yaml(fmt::format("video:\n  fps: {}\n", wrong)),
                HasSubstr("my.yaml:2: video.fps expects a finite number, got "));
  }
  EXPECT_THAT(refusal_of_yaml("video: {fps: 1e999}\n"), HasSubstr("expects a number that a double can hold"));
}

TEST(Config, BooleansAreTrueOrFalseOnly) {
  EXPECT_FALSE(parse("schedule: {warp_denoising_steps: false}\n").schedule.warp_denoising_steps);
  EXPECT_TRUE(parse("schedule: {warp_denoising_steps: true}\n").schedule.warp_denoising_steps);
  for (const auto& [wrong, hint] : {std::pair{"yes", "write true"},
                                    {"No", "write false"},
                                    {"True", "write true"},
                                    {"\"true\"", "write true"},
                                    {"0", "write false"},
                                    {"maybe", "'maybe'"}}) {
    const std::string message = refusal_of_yaml(fmt::format("schedule: {{warp_denoising_steps: {}}}\n", wrong));
    EXPECT_THAT(message, HasSubstr("expects true or false, got "));
    EXPECT_THAT(message, HasSubstr(hint));
  }
}

TEST(Config, ChoicesAreRefusedWithTheNearestName) {
  EXPECT_EQ(parse("run: {device: cuda}\n").run.device, DeviceKind::kCuda);
  EXPECT_EQ(refusal_of_yaml("run: {dtype: bfloat61}\n"),
            "my.yaml:1: run.dtype expects one of float64, float32, bfloat16, got 'bfloat61'; did you mean "
            "bfloat16?");
  EXPECT_THAT(refusal_of_yaml("run: {device: tpu}\n"), HasSubstr("expects one of auto, cpu, cuda, got 'tpu'"));
  EXPECT_THAT(refusal_of_yaml("run: {device: [cpu]}\n"), HasSubstr("got a list"));
}

TEST(Config, ListsNameTheItemThatIsWrong) {
  EXPECT_EQ(refusal_of_yaml("schedule:\n  denoising_steps: [1000,\n    750, slow]\n"),
            "my.yaml:3: schedule.denoising_steps[2] expects a finite number, got 'slow'");
  EXPECT_THAT(refusal_of_yaml("schedule: {denoising_steps: 5}\n"), HasSubstr("expects a list, each a number, got '5'"));
  EXPECT_THAT(refusal_of_yaml("model: {patch_size: [2, 2]}\n"),
              HasSubstr("expects a list of 3, each an integer, got a list of 2"));
}

TEST(Config, TextMayLookLikeAnythingButNothing) {
  EXPECT_EQ(parse("name: 1.0\n").name, "1.0");
  EXPECT_EQ(parse("name: yes\n").name, "yes");
  EXPECT_EQ(parse("name: |\n  two\n  lines\n").name, "two\nlines\n");
  EXPECT_EQ(parse("name: \"\"\n").name, "");
  EXPECT_THAT(refusal_of_yaml("name:\n"), HasSubstr("name expects text, got nothing; write \"\" for empty text"));
  EXPECT_THAT(refusal_of_yaml("name: {a: 1}\n"), HasSubstr("got a mapping; put the text in quotes"));
}

TEST(Config, PrintsEveryKnownKeyOnce) {
  const std::string yaml = "\n" + to_yaml(Config{});
  std::set<std::string> keys;
  for (const KeyHelp& known : known_keys()) {
    EXPECT_TRUE(keys.insert(known.key).second) << known.key;
    EXPECT_FALSE(known.help.empty() || known.type.empty()) << known.key;
    const std::string last = known.key.substr(known.key.rfind('.') + 1);
    EXPECT_THAT(yaml, HasSubstr(fmt::format("{}: {}\n", last, known.default_value)));
  }
  EXPECT_EQ(static_cast<size_t>(std::count(yaml.begin(), yaml.end(), '\n')), keys.size() + 1 + 12);  // twelve sections
}

TEST(Config, HelpTellsTypeAndDefault) {
  const std::vector<KeyHelp> keys = known_keys();
  const auto find = [&](const std::string& key) {
    return *std::find_if(keys.begin(), keys.end(), [&](const KeyHelp& known) { return known.key == key; });
  };
  EXPECT_EQ(find("run.device").type, "auto|cpu|cuda");
  EXPECT_EQ(find("run.device").default_value, "auto");
  EXPECT_EQ(find("model.patch_size").type, "[integer x 3]");
  EXPECT_EQ(find("context.first_block_frames").type, "integer|null");
  EXPECT_EQ(find("schedule.denoising_steps").default_value, "[1000.0, 750.0, 500.0, 250.0]");
}

TEST(Config, ChangedInEveryFieldItPrintsTheSameTwice) {
  expect_prints_the_same_twice({
      .name = "yes",
      .description = "a: \"b\"\n# not a comment\n",
      .model = {.dim = 1,
                .ffn_dim = 2,
                .freq_dim = 3,
                .text_dim = 4,
                .text_len = 5,
                .num_heads = 6,
                .num_layers = 7,
                .in_dim = 8,
                .out_dim = 9,
                .patch_size = {3, 4, 5},
                .eps = 1.0 / 3},
      .context = {.sink_frames = -1,
                  .fifo_frames = 0,
                  .block_frames = 3,
                  .first_block_frames = 2,
                  .positions = PositionKind::kTopAligned,
                  .train_frames = 12},
      .schedule = {.shift = 1e-300,
                   .table_size = 7,
                   .denoising_steps = {},
                   .warp_denoising_steps = false,
                   .sigma_lookup = SigmaLookup::kNearestTable},
      .video = {.frames = 1, .height = 2, .width = 3, .fps = 23.976},
      .run = {.device = DeviceKind::kCuda,
              .dtype = ComputeDtype::kFloat64,
              .attention = AttentionBackend::kMath,
              .threads = 3,
              .seed = INT64_MIN},
      .negative_prompt = "色调艳丽，过曝\u2028",
  });
}

TEST(Config, RandomConfigsPrintTheSameTwice) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    Config config;
    config.run.seed = static_cast<int64_t>(random());
    config.model.eps = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 100);
    if (i % 2 == 0) config.context.first_block_frames = static_cast<int64_t>(random());
    config.schedule.denoising_steps.assign(random() % 5, std::sqrt(static_cast<double>(random())));
    for (uint64_t n = random() % 20; n > 0; --n) config.name += static_cast<char>(random() % 128);
    expect_prints_the_same_twice(config);
  }
}

// Whatever a slip of the keyboard does to a file, it is read or refused by sgf::Error; another exception fails here.
TEST(Config, GarbledFilesAreReadOrRefused) {
  constexpr std::string_view kSlips = "[]{}:-#&*!|>'\"%@`,?~ \n\t\\0a";
  const std::string whole = to_yaml(Config{});
  std::mt19937_64 random(5);
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string yaml = whole;
    for (uint64_t n = random() % 4; n > 0; --n) yaml[random() % yaml.size()] = kSlips[random() % kSlips.size()];
    try {
      parse(yaml);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 300);
  EXPECT_LT(refused, 1000);  // the control: those without a slip are read
}

}  // namespace
}  // namespace sgf

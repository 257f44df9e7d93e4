// Event files parsed back by a reader written for this test, and by TensorBoard's own where it is installed.
#include "sgf/training/run/event_file.h"

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"
#include "tests/training/run/event_records.h"
#include "tests/training/tiny_png.h"

#include <sys/wait.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>

namespace sgf::testing {
namespace {

using ::testing::HasSubstr;

// Fields of one protobuf message by number: varints and fixed numbers as integers, the rest as bytes.
struct Fields {
  std::multimap<uint64_t, uint64_t> numbers;
  std::multimap<uint64_t, std::string> bytes;

  const std::string& text(uint64_t field) const { return bytes.find(field)->second; }
  uint64_t number(uint64_t field) const { return numbers.find(field)->second; }
};

uint64_t read_varint(std::string_view& rest) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(rest.at(0));
    rest.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

Fields parse_message(std::string_view rest) {
  Fields fields;
  while (!rest.empty()) {
    const uint64_t tag = read_varint(rest), wire = tag & 7;
    if (wire == 0) {
      fields.numbers.emplace(tag >> 3, read_varint(rest));
      continue;
    }
    const size_t length = wire == 2 ? read_varint(rest) : wire == 1 ? 8 : 4;
    const std::string value(rest.substr(0, length));
    rest.remove_prefix(length);
    uint64_t number = 0;
    std::memcpy(&number, value.data(), std::min<size_t>(value.size(), 8));
    wire == 2 ? (void)fields.bytes.emplace(tag >> 3, value) : (void)fields.numbers.emplace(tag >> 3, number);
  }
  return fields;
}

std::vector<Fields> events_in(const std::filesystem::path& path) {
  std::vector<Fields> events;
  for (const std::string& payload : read_records(text_of(path), path.string()).payloads)
    events.push_back(parse_message(payload));
  return events;
}

std::map<std::string, float> scalars_of(const Fields& event) {
  std::map<std::string, float> scalars;
  for (const auto& [field, bytes] : parse_message(event.text(5)).bytes) {
    const Fields value = parse_message(bytes);
    scalars[value.text(1)] = std::bit_cast<float>(static_cast<uint32_t>(value.number(2)));
  }
  return scalars;
}

MetricsRow row_of(int64_t step) {
  return {.step = step, .metrics = {{"generator_loss", 0.5 + static_cast<double>(step)}, {"critic_loss", 0.25}}};
}

TEST(EventRecord, ChecksumIsCastagnolis) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);            // the check value of the published catalogue
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);  // RFC 3720, B.4
}

TEST(EventFile, BeginsWithTheVersionAndCarriesScalarsStepAndTime) {
  const TemporaryFolder folder;
  EventFile file(folder.path(), std::nullopt, [] { return 1234.5; });
  file.add_scalars(row_of(300));
  const std::vector<Fields> events = events_in(file.path());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].text(3), "brain.Event:2");
  EXPECT_EQ(std::bit_cast<double>(events[1].number(1)), 1234.5);
  EXPECT_EQ(events[1].number(2), 300u);
  EXPECT_EQ(scalars_of(events[1]), (std::map<std::string, float>{{"generator_loss", 300.5f}, {"critic_loss", 0.25f}}));
}

TEST(EventFile, KeepsWhatIsNotFinite) {
  const TemporaryFolder folder;
  EventFile file(folder.path(), std::nullopt);
  file.add_scalars({.step = 1, .metrics = {{"a", std::nan("")}, {"b", -std::numeric_limits<double>::infinity()}}});
  const auto scalars = scalars_of(events_in(file.path()).at(1));
  EXPECT_TRUE(std::isnan(scalars.at("a")));
  EXPECT_EQ(scalars.at("b"), -std::numeric_limits<float>::infinity());
}

TEST(EventFile, CarriesImagesWithTheirSize) {
  const TemporaryFolder folder;
  EventFile file(folder.path(), std::nullopt);
  file.add_image(7, "samples/0", tiny_png());
  const Fields value = parse_message(parse_message(events_in(file.path()).at(1).text(5)).text(1));
  const Fields image = parse_message(value.text(4));
  EXPECT_EQ(value.text(1), "samples/0");
  EXPECT_EQ(image.number(1), kTinyPngHeight);
  EXPECT_EQ(image.number(2), kTinyPngWidth);
  EXPECT_EQ(image.number(3), 3u);
  EXPECT_EQ(image.text(4), tiny_png());
}

TEST(EventFile, RefusesAnImageThatIsNoPng) {
  const TemporaryFolder folder;
  EventFile file(folder.path(), std::nullopt);
  EXPECT_THAT(refusal_of([&] { file.add_image(1, "x", "GIF89a"); }), HasSubstr("expected a PNG image, got 6 bytes"));
  EXPECT_THAT(refusal_of([&] { file.add_image(1, "x", tiny_png().substr(0, 26)); }), HasSubstr("expected a PNG"));
  EXPECT_EQ(events_in(file.path()).size(), 1u);
}

TEST(EventFile, EveryEventIsInTheFileBeforeTheNextIsAdded) {
  const TemporaryFolder folder;
  EventFile file(folder.path(), std::nullopt);
  for (int64_t step = 1; step <= 3; ++step) {
    file.add_scalars(row_of(step));
    EXPECT_EQ(events_in(file.path()).size(), 1u + static_cast<size_t>(step));
  }
}

TEST(EventFile, LaterFilesSortAfterEarlierOnesEvenWhenTheClockWentBack) {
  const TemporaryFolder folder;
  const EventFile first(folder.path(), std::nullopt, [] { return 2e9; });
  const EventFile second(folder.path(), 5, [] { return 1e9; });
  EXPECT_LT(first.path().filename(), second.path().filename());
  EXPECT_THAT(second.path().filename().string(), ::testing::StartsWith("events.out.tfevents.2000000001."));
}

TEST(EventFile, AResumedFileSaysWhereItGoesOnAndAFreshOneDoesNot) {
  const TemporaryFolder folder;
  const EventFile fresh(folder.path(), std::nullopt);
  const EventFile resumed(folder.path(), 11);
  EXPECT_EQ(events_in(fresh.path()).size(), 1u);
  const Fields start = events_in(resumed.path()).at(1);
  EXPECT_EQ(start.number(2), 11u);
  EXPECT_EQ(parse_message(start.text(7)).number(1), 1u);
}

TEST(EventRecord, ATornEndIsReportedAndTheRestRead) {
  const std::string whole = frame_record("first") + frame_record("second");
  for (size_t cut = 1; cut < frame_record("second").size(); ++cut) {
    const EventRecords records = read_records(whole.substr(0, whole.size() - cut), "x");
    EXPECT_EQ(records.payloads, std::vector<std::string>{"first"}) << cut;
    EXPECT_EQ(records.torn_bytes, frame_record("second").size() - cut);
  }
  EXPECT_EQ(read_records(whole, "x").torn_bytes, 0u);
}

TEST(EventRecord, AFlippedBitIsRefused) {
  const std::string whole = frame_record("first") + frame_record("second");
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_THAT(refusal_of([&] { read_records(damaged, "x"); }), HasSubstr("does not match")) << at;
  }
}

// What check_events.py expects: steps 1 to 6, resumed at step 4 and on to 8 with other numbers, an image.
void write_resumed_run(const std::filesystem::path& folder) {
  EventFile first(folder, std::nullopt);
  for (int64_t step = 1; step <= 6; ++step) first.add_scalars(row_of(step));
  EventFile second(folder, 4);
  for (int64_t step = 4; step <= 8; ++step)
    second.add_scalars({.step = step, .metrics = {{"generator_loss", 100.0 + static_cast<double>(step)}}});
  second.add_image(8, "samples/0", tiny_png());
}

TEST(EventFile, IsReadByTensorBoard) {
  constexpr int kNotInstalled = 77;
  const TemporaryFolder folder;
  write_resumed_run(folder.path());
  const char* python = std::getenv("SGF_TENSORBOARD_PYTHON");
  const std::string command = std::string(python ? python : "python3") +
                              " '" SGF_SOURCE_DIR "/tests/training/run/check_events.py' '" + folder.path().string() +
                              "' 2>&1";
  const int status = std::system(command.c_str());
  if (WEXITSTATUS(status) == kNotInstalled || WEXITSTATUS(status) == 127)
    GTEST_SKIP() << "Python's tensorboard is not installed; SGF_TENSORBOARD_PYTHON may name a Python that has it";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace sgf::testing

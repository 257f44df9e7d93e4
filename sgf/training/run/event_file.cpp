#include "sgf/training/run/event_file.h"

#include "sgf/core/error.h"
#include "sgf/files/big_endian.h"
#include "sgf/runs/metrics_row.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <span>
#include <string>
#include <utility>

namespace sgf {
namespace {

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0x82f63b78u : 0u);
    table[byte] = value;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kTable = make_table();

// TFRecord masks checksums, since the checksum of bytes that contain a checksum is degenerate.
uint32_t masked_crc(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xa282ead8u; }

template <class Integer>
std::string little_endian(Integer value) {
  std::string bytes;
  for (size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char c : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<uint8_t>(c)) & 0xff];
  return ~crc;
}

std::string frame_record(std::string_view payload) {
  const std::string length = little_endian(static_cast<uint64_t>(payload.size()));
  std::string frame = length + little_endian(masked_crc(length));
  frame += payload;
  return frame + little_endian(masked_crc(payload));
}

namespace {

using namespace std::string_view_literals;

enum Wire : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Builds one message, field by field.
class Message {
 public:
  Message& number(uint32_t field, uint64_t value) {
    tag(field, kVarint);
    varint(value);
    return *this;
  }
  Message& real64(uint32_t field, double value) {
    tag(field, kFixed64);
    fixed(std::bit_cast<uint64_t>(value));
    return *this;
  }
  Message& real32(uint32_t field, float value) {
    tag(field, kFixed32);
    fixed(std::bit_cast<uint32_t>(value));
    return *this;
  }
  Message& bytes(uint32_t field, std::string_view value) {
    tag(field, kBytes);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(uint32_t field, const Message& value) { return bytes(field, value.bytes_); }

  std::string take() { return std::move(bytes_); }

 private:
  void tag(uint32_t field, Wire wire) { varint(field << 3 | wire); }

  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  template <class Integer>
  void fixed(Integer value) {
    for (size_t i = 0; i < sizeof value; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }

  std::string bytes_;
};

Message begin_event(EventTime time) {
  return Message().real64(1, time.wall_time).number(2, static_cast<uint64_t>(time.step));
}

// Channels of a PNG by its colour type: grey, -, RGB, palette, grey + alpha, -, RGBA.
uint64_t channels_of(uint8_t colour_type) {
  constexpr uint8_t kChannels[] = {1, 0, 3, 3, 2, 0, 4};
  SGF_CHECK(colour_type < std::size(kChannels) && kChannels[colour_type] != 0,
            "expected a PNG image, got colour type {}", colour_type);
  return kChannels[colour_type];
}

Message encode_png(std::string_view png) {
  constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv;
  SGF_CHECK(png.starts_with(kSignature) && png.size() > 26, "expected a PNG image, got {} bytes without its signature",
            png.size());
  const auto bytes = std::as_bytes(std::span(png));
  return Message()
      .number(1, from_big_endian<uint32_t>(bytes.subspan<20, 4>()))
      .number(2, from_big_endian<uint32_t>(bytes.subspan<16, 4>()))
      .number(3, channels_of(static_cast<uint8_t>(png[25])))
      .bytes(4, png);
}

std::string encode_version(EventTime time) { return begin_event(time).bytes(3, "brain.Event:2").take(); }

std::string encode_scalars(EventTime time, std::span<const Metric> metrics) {
  Message summary;
  for (const Metric& metric : metrics)
    summary.message(1, Message().bytes(1, metric.name).real32(2, static_cast<float>(metric.value)));
  return begin_event(time).message(5, summary).take();
}

std::string encode_image(EventTime time, std::string_view name, std::string_view png) {
  const Message value = Message().bytes(1, name).message(4, encode_png(png));
  return begin_event(time).message(5, Message().message(1, value)).take();
}

std::string encode_start(EventTime time) {
  constexpr uint64_t kStart = 1;
  return begin_event(time).message(7, Message().number(1, kStart)).take();
}

constexpr std::string_view kEventPrefix = "events.out.tfevents.";

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "unknown";
}

// The time in a file's name; 0 if it is not an event file.
int64_t time_in_name(std::string_view name) {
  int64_t time = 0;
  if (name.starts_with(kEventPrefix))
    std::from_chars(name.data() + kEventPrefix.size(), name.data() + name.size(), time);
  return time;
}

std::filesystem::path next_name(const std::filesystem::path& folder, double now) {
  int64_t time = static_cast<int64_t>(now);
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    time = std::max(time, time_in_name(entry.path().filename().string()) + 1);
  return folder / fmt::format("{}{:010}.{}.{}", kEventPrefix, time, host_name(), ::getpid());
}

}  // namespace

double wall_time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

EventFile::EventFile(const std::filesystem::path& folder, std::optional<int64_t> first_step,
                     std::function<double()> wall_time)
    : wall_time_(std::move(wall_time)), file_(next_name(folder, wall_time_()), AppendFile::Opening::kNew) {
  file_.append(frame_record(encode_version(time_at(0))));
  if (first_step) file_.append(frame_record(encode_start(time_at(*first_step))));
}

void EventFile::add_scalars(const MetricsRow& row) {
  file_.append(frame_record(encode_scalars(time_at(row.step), row.metrics)));
}

void EventFile::add_image(int64_t step, std::string_view name, std::string_view png) {
  file_.append(frame_record(encode_image(time_at(step), name, png)));
}

}  // namespace sgf

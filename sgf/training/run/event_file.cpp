#include "sgf/training/run/event_file.h"

#include "sgf/core/error.h"
#include "sgf/training/run/event_record.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>
#include <utility>

namespace sgf {
namespace {

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

// A TensorBoard event file, so that `tensorboard --logdir RUN` shows the curves and strips of a run.
#pragma once

#include "sgf/files/append_file.h"
#include "sgf/runs/metrics_row.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sgf {

// --- the framing (TFRecord): length, its checksum, the bytes, their checksum ---

// Castagnoli's polynomial, not the one of zip files.
uint32_t crc32c(std::string_view bytes);

std::string frame_record(std::string_view payload);

// --- the events ---

// When an event happened.
struct EventTime {
  double wall_time = 0;  // seconds since 1970
  int64_t step = 0;
};

// Seconds since 1970.
double wall_time_now();

// One file per start of a run: events.out.tfevents.<time>.<host>.<process>. TensorBoard reads the files of a folder in
// name order, so a new file gets a later name than existing ones even if the clock was set back. An event is one write:
// a killed run leaves only complete events.
class EventFile {
 public:
  // `first_step` is where a resumed run continues: it supersedes later steps in earlier files.
  EventFile(const std::filesystem::path& folder, std::optional<int64_t> first_step,
            std::function<double()> wall_time = wall_time_now);

  void add_scalars(const MetricsRow& row);
  void add_image(int64_t step, std::string_view name, std::string_view png);
  void sync() { file_.sync(); }

  const std::filesystem::path& path() const { return file_.path(); }

 private:
  EventTime time_at(int64_t step) const { return {.wall_time = wall_time_(), .step = step}; }

  std::function<double()> wall_time_;
  AppendFile file_;
};

}  // namespace sgf

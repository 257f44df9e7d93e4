#include "apps/progress.h"

#include "sgf/core/progress_line.h"

#include <memory>

namespace sgf {

std::function<void(int64_t)> show_progress(int64_t total) {
  const ProgressSettings settings{.mode = progress_mode(/*is_quiet=*/false), .total_steps = total};
  auto line = std::make_shared<ProgressLine>(settings, standard_progress_output());
  return [line, total](int64_t done) {
    line->show({.step = done});
    if (done == total) line->finish();
  };
}

}  // namespace sgf

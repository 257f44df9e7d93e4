#include "apps/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>

namespace sgf {
namespace {

int64_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressMode progress_mode(bool is_quiet) {
  if (is_quiet) return ProgressMode::kQuiet;
  return ::isatty(STDERR_FILENO) != 0 ? ProgressMode::kTerminal : ProgressMode::kLog;
}

ProgressOutput standard_progress_output() {
  return {.write = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr), std::fflush(stderr); },
          .seconds =
              [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); },
          .width = terminal_width};
}

std::function<void(int64_t)> show_progress(int64_t total, const std::string& unit) {
  const ProgressSettings settings{.mode = progress_mode(/*is_quiet=*/false), .total_steps = total, .unit = unit};
  auto line = std::make_shared<ProgressLine>(settings, standard_progress_output());
  return [line, total](int64_t done) {
    line->show({.step = done});
    if (done == total) line->finish();
  };
}

}  // namespace sgf

#include "sgf/core/stop_signal.h"

#include <csignal>

namespace sgf {
namespace {

volatile std::sig_atomic_t g_received = 0;
bool g_is_hang_up_ignored = false;  // nohup was in effect before the first StopSignal

extern "C" void remember_signal(int number) {
  g_received = number;
  std::signal(number, SIG_DFL);
}

}  // namespace

StopSignal::StopSignal() {
  g_received = 0;
  std::signal(SIGINT, remember_signal);
  std::signal(SIGTERM, remember_signal);
  g_is_hang_up_ignored = std::signal(SIGHUP, remember_signal) == SIG_IGN;
  if (g_is_hang_up_ignored) std::signal(SIGHUP, SIG_IGN);
}

StopSignal::~StopSignal() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (!g_is_hang_up_ignored) std::signal(SIGHUP, SIG_DFL);
}

int StopSignal::received() const { return g_received; }

}  // namespace sgf

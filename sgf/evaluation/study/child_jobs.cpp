#include "sgf/evaluation/study/child_jobs.h"

#include "sgf/core/error.h"
#include "sgf/core/stop_signal.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sgf {
namespace {

using JobClock = std::chrono::steady_clock;

struct RunningJob {
  const ChildJob* job = nullptr;
  pid_t pid = 0;
  JobClock::time_point begin;
};

RunningJob start_job(const std::filesystem::path& program, const ChildJob& job) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), job.arguments.begin(), job.arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, job.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  RunningJob running{.job = &job, .begin = JobClock::now()};
  const int error = posix_spawn(&running.pid, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  check(error == 0, "evaluation", "{} could not be started for {}: {}", program.string(), job.name,
        std::strerror(error));
  return running;
}

// Whether it has ended, and how.
bool has_ended(const RunningJob& running, int& code) {
  int status = 0;
  if (waitpid(running.pid, &status, WNOHANG) != running.pid) return false;
  code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return true;
}

}  // namespace

bool run_children(const std::filesystem::path& program, const std::vector<ChildJob>& jobs, int64_t at_once,
                  const std::function<void(const ChildEnd&)>& ended) {
  const StopSignal signal;
  std::vector<RunningJob> running;
  size_t next = 0;
  bool is_told = false;
  while (!running.empty() || (next < jobs.size() && signal.received() == 0)) {
    while (next < jobs.size() && std::ssize(running) < at_once && signal.received() == 0)
      running.push_back(start_job(program, jobs[next++]));
    if (signal.received() != 0 && !is_told) {
      for (const RunningJob& job : running) kill(job.pid, SIGTERM);
      is_told = true;
    }
    std::erase_if(running, [&](const RunningJob& job) {
      int code = 0;
      if (!has_ended(job, code)) return false;
      ended({*job.job, code, std::chrono::duration<double>(JobClock::now() - job.begin).count()});
      return true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return next == jobs.size();
}

}  // namespace sgf

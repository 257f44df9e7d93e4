#include "lab/study/child_jobs.h"

#include "sgf/core/error.h"
#include "sgf/core/stop_signal.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sgf {
namespace {

using JobClock = std::chrono::steady_clock;

constexpr int kUnknownEnd = 255;
constexpr const char* kParent = "SGF_PARENT";  // the process that started this one

struct RunningJob {
  const ChildJob* job = nullptr;
  pid_t pid = 0;
  JobClock::time_point begin;
};

// argv for exec; points into the words.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Resolves /proc/self/exe to the program's own path.
std::vector<std::string> command_of(const std::filesystem::path& program, const ChildJob& job) {
  std::error_code is_no_link;
  const std::filesystem::path own = std::filesystem::read_symlink(program, is_no_link);
  std::vector<std::string> words{(is_no_link ? program : own).filename().string()};
  words.insert(words.end(), job.arguments.begin(), job.arguments.end());
  return words;
}

std::vector<std::string> variables_of_child() {
  std::vector<std::string> variables{fmt::format("{}={}", kParent, getpid())};
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with(fmt::format("{}=", kParent))) variables.emplace_back(*variable);
  return variables;
}

RunningJob start_job(const std::filesystem::path& program, const ChildJob& job) {
  std::vector<std::string> command = command_of(program, job), variables = variables_of_child();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, job.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // a separate group: only this process sends it signals
  RunningJob running{.job = &job, .begin = JobClock::now()};
  const int error = posix_spawn(&running.pid, program.c_str(), &actions, &attributes, pointers_to(command).data(),
                                pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  SGF_CHECK(error == 0, "cannot start {} for {}: {}", program.string(), job.name, std::strerror(error));
  return running;
}

// Whether it has ended, and its exit code.
bool has_ended(const RunningJob& running, int& code) {
  int status = 0;
  const pid_t found = waitpid(running.pid, &status, WNOHANG);
  if (found == 0) return false;
  if (found < 0) return code = kUnknownEnd, true;  // another part of the program waited for it
  code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return true;
}

// Asks all children to stop, once; waits for them on destruction.
class JobList {
 public:
  JobList() = default;
  JobList(const JobList&) = delete;
  JobList& operator=(const JobList&) = delete;
  ~JobList() {
    stop();
    for (const RunningJob& job : jobs_) waitpid(job.pid, nullptr, 0);
  }

  bool empty() const { return jobs_.empty(); }
  int64_t size() const { return std::ssize(jobs_); }
  void add(RunningJob job) { jobs_.push_back(job); }
  void stop() {
    if (!std::exchange(is_told_, true))
      for (const RunningJob& job : jobs_) kill(job.pid, SIGTERM);
  }
  void take_ended(const std::function<void(const ChildEnd&)>& ended) {
    std::erase_if(jobs_, [&](const RunningJob& job) {
      int code = 0;
      if (!has_ended(job, code)) return false;
      ended({*job.job, code, std::chrono::duration<double>(JobClock::now() - job.begin).count(), is_told_});
      return true;
    });
  }

 private:
  std::vector<RunningJob> jobs_;
  bool is_told_ = false;
};

}  // namespace

bool run_children(const std::filesystem::path& program, const std::vector<ChildJob>& jobs, int64_t at_once,
                  const std::function<void(const ChildEnd&)>& ended) {
  const StopSignal signal;
  JobList running;
  size_t next = 0;
  while (!running.empty() || (next < jobs.size() && signal.received() == 0)) {
    while (next < jobs.size() && running.size() < at_once && signal.received() == 0)
      running.add(start_job(program, jobs[next++]));
    if (signal.received() != 0) running.stop();
    running.take_ended(ended);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return next == jobs.size();
}

void end_with_parent() {
  const char* parent = std::getenv(kParent);
  if (parent == nullptr) return;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (parent != std::to_string(getppid())) raise(SIGTERM);  // the parent ended before prctl was called
}

}  // namespace sgf

// Ranks as real processes: the test binary started again, once a rank, to act instead of testing.
#pragma once

#include "sgf/training/distributed/ranks.h"
#include "tests/core/temporary_folder.h"

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace sgf::testing {

using RankAction = std::function<void(const Ranks& ranks, const std::filesystem::path& folder)>;

// What a started rank exits with.
constexpr int kDone = 0, kLostAnother = 4, kFailed = 5, kEndedByWatch = 6;

inline std::map<std::string, RankAction>& rank_actions() {
  static std::map<std::string, RankAction> actions;
  return actions;
}

// Short limits, but long enough for a machine that is busy with other things.
inline RankSettings rank_test_settings() {
  using namespace std::chrono_literals;
  return {.start = 60s,
          .beat = 100ms,
          .silence = 4s,
          .patience = 5s,
          .grace = 2s,
          .bucket_bytes = 256,
          .on_end = [](const std::string& message) {
            std::fprintf(stderr, "%s\n", message.c_str());
            ::_exit(kEndedByWatch);
          }};
}

inline int act_as_rank(const std::string& action) {
  try {
    const Ranks ranks(read_rank_place(), rank_test_settings());
    ranks.guard([&] { rank_actions().at(action)(ranks, std::getenv("SGF_RANK_FOLDER")); });
    return kDone;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return dynamic_cast<const RankLost*>(&error) != nullptr ? kLostAnother : kFailed;
  }
}

// Runs before any test.
class RankWorker : public ::testing::Environment {
 public:
  void SetUp() override {
    if (const char* action = std::getenv("SGF_RANK_ACTION")) std::exit(act_as_rank(action));
  }
};

inline bool add_rank_action(const std::string& name, RankAction action) {
  static const ::testing::Environment* worker = ::testing::AddGlobalTestEnvironment(new RankWorker);
  return worker != nullptr && rank_actions().emplace(name, std::move(action)).second;
}

// A port that nobody else is given while this lives: bound, never listened on, so that rank 0 may still open it.
class HeldPort {
 public:
  HeldPort() {
    const int yes = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_, generic, length) != 0 || ::getsockname(socket_, generic, &length) != 0)
      throw std::runtime_error("no free port");
    number_ = ntohs(address.sin_port);
  }
  ~HeldPort() { ::close(socket_); }
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;

  int64_t number() const { return number_; }

 private:
  int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int64_t number_ = 0;
};

class RankProcesses {
 public:
  using Variables = std::map<std::string, std::string>;

  // `of_one` is for single ranks, over what all have.
  RankProcesses(const std::string& action, int64_t size, const Variables& of_all = {},
                const std::map<int64_t, Variables>& of_one = {}) {
    for (int64_t rank = 0; rank < size; ++rank) {
      Variables more = of_one.contains(rank) ? of_one.at(rank) : Variables{};
      more.insert(of_all.begin(), of_all.end());
      start(action, rank, size, more);
    }
  }
  ~RankProcesses() {
    for (size_t i = 0; i < pids_.size(); ++i)
      if (!codes_[i]) {
        ::kill(pids_[i], SIGKILL);
        ::waitpid(pids_[i], nullptr, 0);
      }
  }
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;

  // The exit code, minus the signal where one ended it; nothing where it still runs after a minute.
  std::optional<int> code(size_t rank) {
    for (const auto until = in_a_minute(); !codes_[rank] && std::chrono::steady_clock::now() < until; nap()) {
      int status = 0;
      if (::waitpid(pids_[rank], &status, WNOHANG) != pids_[rank]) continue;
      codes_[rank] = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    return codes_[rank];
  }

  void kill(size_t rank) { ::kill(pids_[rank], SIGKILL); }
  std::string pid(size_t rank) const { return std::to_string(pids_[rank]); }

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::string output(size_t rank) const { return text("output-" + std::to_string(rank)); }
  std::string text(const std::string& file) const {
    std::ifstream in(folder_ / file, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }

  bool await(const std::string& file) const {
    for (const auto until = in_a_minute(); std::chrono::steady_clock::now() < until; nap())
      if (std::filesystem::exists(folder_ / file)) return true;
    return false;
  }

 private:
  static std::chrono::steady_clock::time_point in_a_minute() {
    return std::chrono::steady_clock::now() + std::chrono::minutes(1);
  }
  static void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

  std::vector<std::string> environment(const std::string& action, int64_t rank, int64_t size,
                                       const Variables& more) const {
    std::vector<std::string> out;
    for (char** variable = environ; *variable != nullptr; ++variable) out.emplace_back(*variable);
    Variables own{{"RANK", std::to_string(rank)},
                  {"LOCAL_RANK", std::to_string(rank)},
                  {"WORLD_SIZE", std::to_string(size)},
                  {"MASTER_ADDR", "127.0.0.1"},
                  {"MASTER_PORT", std::to_string(port_.number())},
                  {"OMP_NUM_THREADS", "1"},
                  {"SGF_RANK_ACTION", action},
                  {"SGF_RANK_FOLDER", folder_.path().string()}};
    for (const auto& [name, value] : more) own[name] = value;
    for (const auto& [name, value] : own) {
      std::erase_if(out, [&](const std::string& one) { return one.starts_with(name + "="); });
      out.push_back(name + "=" + value);
    }
    return out;
  }

  void start(const std::string& action, int64_t rank, int64_t size, const Variables& more) {
    std::vector<std::string> variables = environment(action, rank, size, more);
    std::vector<char*> pointers;
    for (std::string& variable : variables) pointers.push_back(variable.data());
    pointers.push_back(nullptr);
    const std::string output = (folder_ / ("output-" + std::to_string(rank))).string();
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, 1, output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    ::posix_spawn_file_actions_adddup2(&files, 1, 2);
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    char* arguments[] = {const_cast<char*>(program.c_str()), nullptr};
    pid_t pid = 0;
    const int error = ::posix_spawn(&pid, program.c_str(), &files, nullptr, arguments, pointers.data());
    ::posix_spawn_file_actions_destroy(&files);
    if (error != 0) throw std::runtime_error("cannot start " + program);
    pids_.push_back(pid);
    codes_.emplace_back();
  }

  HeldPort port_;
  TemporaryFolder folder_;
  std::vector<pid_t> pids_;
  std::vector<std::optional<int>> codes_;
};

}  // namespace sgf::testing

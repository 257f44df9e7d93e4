// Processes side by side: their ends, their number at once, and who may stop them.
#include "lab/study/child_jobs.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <map>
#include <thread>

#include <unistd.h>

namespace sgf {
namespace {

using testing::TemporaryFolder;

// Shell commands by name; their exit codes.
struct Children {
  TemporaryFolder folder;
  std::map<std::string, int> codes;

  bool run(const std::vector<std::pair<std::string, std::string>>& commands, int64_t at_once) {
    std::vector<ChildJob> jobs;
    for (const auto& [name, command] : commands) jobs.push_back({name, {"-c", command}, folder / (name + ".log")});
    return run_children("/bin/sh", jobs, at_once, [this](const ChildEnd& end) { codes[end.job.name] = end.code; });
  }
};

TEST(ChildJobs, TellHowTheyEndedAndWhatTheySaid) {
  Children children;
  EXPECT_TRUE(children.run({{"good", "echo fine"}, {"bad", "echo wrong >&2; exit 7"}, {"killed", "kill -9 $$"}}, 2));
  EXPECT_EQ(children.codes, (std::map<std::string, int>{{"good", 0}, {"bad", 7}, {"killed", 137}}));
  EXPECT_EQ(testing::text_of(children.folder / "good.log"), "fine\n");
  EXPECT_EQ(testing::text_of(children.folder / "bad.log"), "wrong\n");
}

TEST(ChildJobs, AreNoMoreAtOnceThanAsked) {
  const std::string alone = "mkdir here || exit 1; sleep .1; rmdir here";
  Children one, two;
  const auto in = [&](const Children& c) { return "cd " + c.folder.path().string() + " && " + alone; };
  EXPECT_TRUE(one.run({{"a", in(one)}, {"b", in(one)}}, 1));
  EXPECT_EQ(one.codes, (std::map<std::string, int>{{"a", 0}, {"b", 0}}));
  EXPECT_TRUE(two.run({{"a", in(two)}, {"b", in(two)}}, 2));
  EXPECT_EQ(two.codes.at("a") + two.codes.at("b"), 1);  // the second found the first at work
}

// A signal to the whole group of a terminal would reach them twice, and the second one kills.
TEST(ChildJobs, HaveAProcessGroupOfTheirOwn) {
  Children children;
  children.run({{"own", "set -- $(cat /proc/$$/stat); test $5 = $$"}}, 1);
  EXPECT_EQ(children.codes.at("own"), 0);
}

TEST(ChildJobs, AreAskedToStopOnceAndNoFurtherOneBegins) {
  Children children;
  const std::string waits =
      "trap 'exit 3' TERM; touch " + (children.folder / "ready").string() + "; while true; do sleep .05; done";
  std::thread stops([&] {
    while (!std::filesystem::exists(children.folder / "ready"))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    kill(getpid(), SIGTERM);
  });
  EXPECT_FALSE(children.run({{"first", waits}, {"second", "exit 0"}}, 1));
  stops.join();
  EXPECT_EQ(children.codes, (std::map<std::string, int>{{"first", 3}}));
}

}  // namespace
}  // namespace sgf

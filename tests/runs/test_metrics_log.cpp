// metrics.jsonl as written, read back, cut on resume and found after a crash.
#include "sgf/runs/metrics_log.h"

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <limits>

namespace sgf::testing {
namespace {

using ::testing::HasSubstr;

MetricsRow row_of(int64_t step) {
  return {.step = step, .metrics = {{"critic_loss", 0.1 * static_cast<double>(step)}}};
}

void write_rows(const std::filesystem::path& path, int64_t steps) {
  MetricsLog log(path);
  for (int64_t step = 1; step <= steps; ++step) log.append(row_of(step));
}

TEST(MetricsLog, ARowIsOneLineInTheOrderItWasGiven) {
  const MetricsRow row{.step = 3, .metrics = {{"generator_loss", 0.5}, {"critic_loss", 1e-300}, {"a\"b", 2}}};
  EXPECT_EQ(write_metrics_line(row), "{\"step\":3,\"generator_loss\":0.5,\"critic_loss\":1e-300,\"a\\\"b\":2.0}\n");
}

TEST(MetricsLog, WhatIsNotFiniteIsNullAndNamed) {
  const double infinity = std::numeric_limits<double>::infinity();
  const MetricsRow row{.step = 1, .metrics = {{"a", std::nan("")}, {"b", 1}, {"c", -infinity}}};
  EXPECT_EQ(write_metrics_line(row), "{\"step\":1,\"a\":null,\"b\":1.0,\"c\":null,\"non_finite\":[\"a\",\"c\"]}\n");
}

TEST(MetricsLog, ReadsBackEveryBitOfEveryFiniteValue) {
  const TemporaryFolder folder;
  const MetricsRow row{.step = 1, .metrics = {{"z", 1.0 / 3}, {"a", 5e-324}, {"m", -0.0}, {"n", std::nan("")}}};
  MetricsLog(folder / "metrics.jsonl").append(row);
  const MetricsHistory history = read_metrics(folder / "metrics.jsonl");
  ASSERT_EQ(history.rows.size(), 1u);
  ASSERT_EQ(history.rows[0].metrics.size(), 4u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(history.rows[0].metrics[i].name, row.metrics[i].name);
    EXPECT_EQ(history.rows[0].metrics[i].value, row.metrics[i].value);
  }
  EXPECT_TRUE(std::signbit(*history.rows[0].find("m")));
  EXPECT_TRUE(std::isnan(*history.rows[0].find("n")));
  EXPECT_EQ(history.rows[0].find("q"), nullptr);
}

TEST(MetricsLog, ARowIsInTheFileWhenAppendReturns) {
  const TemporaryFolder folder;
  MetricsLog log(folder / "metrics.jsonl");
  log.append(row_of(1));
  EXPECT_EQ(text_of(folder / "metrics.jsonl"), write_metrics_line(row_of(1)));
}

TEST(MetricsLog, CuttingKeepsTheBytesUpToTheResumedStepAndNoMore) {
  const TemporaryFolder folder;
  write_rows(folder / "whole", 10);
  write_rows(folder / "half", 6);
  const MetricsCut cut = cut_metrics(folder / "whole", 6);
  EXPECT_EQ(cut.kept, 6);
  EXPECT_EQ(cut.dropped, 4);
  EXPECT_EQ(text_of(folder / "whole"), text_of(folder / "half"));
}

TEST(MetricsLog, ACutLogGoesOnAsIfNeverStopped) {
  const TemporaryFolder folder;
  write_rows(folder / "straight", 10);
  write_rows(folder / "resumed", 8);
  cut_metrics(folder / "resumed", 5);
  MetricsLog log(folder / "resumed");
  for (int64_t step = 6; step <= 10; ++step) log.append(row_of(step));
  EXPECT_EQ(text_of(folder / "resumed"), text_of(folder / "straight"));
}

TEST(MetricsLog, ALineTornAnywhereIsDroppedAndReported) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "metrics.jsonl";
  const std::string first = write_metrics_line(row_of(1)), second = write_metrics_line(row_of(2));
  for (size_t length = 1; length < second.size(); ++length) {
    write_text(path, first + second.substr(0, length));
    EXPECT_EQ(read_metrics(path).torn_line, second.substr(0, length));
    EXPECT_THAT(refusal_of([&] { MetricsLog log(path); }), HasSubstr("torn"));
    const MetricsCut cut = cut_metrics(path, 100);
    EXPECT_EQ(cut.torn_line, second.substr(0, length));
    EXPECT_EQ(cut.kept, 1);
    EXPECT_EQ(text_of(path), first);
  }
}

TEST(MetricsLog, AWholeLastLineIsNotTorn) {
  const TemporaryFolder folder;
  write_rows(folder / "metrics.jsonl", 2);
  EXPECT_EQ(read_metrics(folder / "metrics.jsonl").torn_line, "");
  EXPECT_EQ(read_metrics(folder / "metrics.jsonl").rows.size(), 2u);
}

TEST(MetricsLog, DamageBeforeTheLastLineNamesTheLine) {
  const TemporaryFolder folder;
  const std::string good = write_metrics_line(row_of(1)), last = write_metrics_line(row_of(9));
  for (const std::string bad :
       {"{\"step\":2", "[2]", "{\"loss\":1}", "{\"step\":2,\"a\":\"b\"}", "{\"step\":2,\"step\":2}"}) {
    write_text(folder / "m.jsonl", good + bad + "\n" + last);
    EXPECT_THAT(refusal_of([&] { read_metrics(folder / "m.jsonl"); }), HasSubstr("m.jsonl:2: ")) << bad;
  }
}

// A resumed run keeps what can be read, and the file as it was.
TEST(MetricsLog, CuttingADamagedLogKeepsItsOtherRowsAndTheOriginal) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "m.jsonl";
  const auto line = [](int64_t step) { return write_metrics_line(row_of(step)); };
  for (const std::string& bad : {std::string("{\"st\0p\":3}\n", 11), line(700), line(1), std::string("\n"),
                                 std::string("{\"step\":18446744073709551615}\n"), std::string("{\"step\":-1}\n")}) {
    const std::string original = line(1) + line(2) + bad + line(4) + line(5) + line(6);
    write_text(path, original);
    const MetricsCut cut = cut_metrics(path, 5);
    EXPECT_EQ(text_of(path), line(1) + line(2) + line(4) + line(5)) << bad;
    EXPECT_EQ(describe_gaps(missing_steps(read_metrics(path).rows, 6)), "step 0 and step 3");
    if (bad == line(700)) {
      EXPECT_TRUE(cut.damaged_lines.empty()) << "a step that is not reached yet is made again";
      continue;
    }
    EXPECT_THAT(cut.damaged_lines, ::testing::ElementsAre(3)) << bad;
    EXPECT_EQ(text_of(cut.original), original);
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "m.jsonl.damaged-5")) << "no copy replaces another";
  EXPECT_TRUE(cut_metrics(path, 5).damaged_lines.empty()) << "the control";
  EXPECT_FALSE(std::filesystem::exists(folder / "m.jsonl.damaged-6"));
}

TEST(MetricsLog, StepsMustAscendAcrossStartsToo) {
  const TemporaryFolder folder;
  write_rows(folder / "metrics.jsonl", 5);
  MetricsLog log(folder / "metrics.jsonl");
  EXPECT_THAT(refusal_of([&] { log.append(row_of(5)); }), HasSubstr("got step 5 after step 5"));
  EXPECT_NO_THROW(log.append(row_of(6)));
}

TEST(MetricsLog, RefusesANameGivenTwiceAndTheLogsOwnNames) {
  for (const char* name : {"a", "step", "non_finite"}) {
    const MetricsRow row{.step = 1, .metrics = {{"a", 1}, {name, 2}}};
    EXPECT_THAT(refusal_of([&] { write_metrics_line(row); }), HasSubstr(name));
  }
}

TEST(MetricsLog, NoFileIsAnEmptyHistory) {
  const TemporaryFolder folder;
  EXPECT_TRUE(read_metrics(folder / "metrics.jsonl").rows.empty());
}

// Lets files grow to `bytes` only, which stands in for a full disk.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  rlimit before_{};
  void (*signal_)(int);
};

TEST(MetricsLog, ARowThatDoesNotFitOnTheDiskIsTakenBackAndReported) {
  const TemporaryFolder folder;
  MetricsLog log(folder / "metrics.jsonl");
  log.append(row_of(1));
  const std::string before = text_of(folder / "metrics.jsonl");
  {
    const SizeLimit limit(before.size() + 7);
    EXPECT_THAT(refusal_of([&] { log.append(row_of(2)); }), HasSubstr("bytes are intact"));
  }
  EXPECT_EQ(text_of(folder / "metrics.jsonl"), before);
  EXPECT_NO_THROW(log.append(row_of(2)));
  EXPECT_EQ(read_metrics(folder / "metrics.jsonl").rows.size(), 2u);
}

TEST(MetricsLog, StepsWithoutARowAreNamed) {
  std::vector<MetricsRow> rows;
  for (const int64_t step : {2, 3, 4, 8, 10}) rows.push_back(row_of(step));
  EXPECT_EQ(describe_gaps(missing_steps(rows, 13)), "steps 0 to 1, steps 5 to 7, step 9 and steps 11 to 12");
  EXPECT_EQ(describe_gaps(missing_steps(rows, 4)), "steps 0 to 1") << "rows past the steps made are not asked about";
  EXPECT_EQ(describe_gaps(missing_steps({}, 3)), "steps 0 to 2") << "a log that was removed";
  EXPECT_EQ(describe_gaps(missing_steps({row_of(0), row_of(1)}, 2)), "") << "the control";
}

}  // namespace
}  // namespace sgf::testing

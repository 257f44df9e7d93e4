// A rank's place is read from the variables of torchrun, Slurm and Open MPI, and nonsense among them is refused.
#include "sgf/training/distributed/rank_place.h"

#include "tests/core/refusal.h"

#include <map>

namespace sgf {
namespace {

using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Environment environment_of(const Variables& variables) {
  return [&variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

RankPlace read(const Variables& variables) { return read_rank_place(environment_of(variables)); }

RankPlace read_worker(const Variables& variables) { return read_worker_place(environment_of(variables)); }

std::string refusal(const Variables& variables) {
  return refusal_of([&] { read(variables); });
}

TEST(RankPlace, WithoutVariablesAProcessIsOnItsOwn) {
  EXPECT_EQ(read({}), RankPlace());
  EXPECT_EQ(read({{"WORLD_SIZE", "1"}}), RankPlace());
}

TEST(RankPlace, TorchrunsVariablesAreRead) {
  const RankPlace place = read(
      {{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"MASTER_ADDR", "node1"}, {"MASTER_PORT", "4000"}});
  EXPECT_EQ(place, (RankPlace{.rank = 5, .size = 8, .local_rank = 1, .address = "node1", .port = 4000}));
}

TEST(RankPlace, RankZeroHostsTheStoreUnlessTorchrunsAgentDoes) {
  Variables variables{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node1"}};
  EXPECT_TRUE(read(variables).hosts_store());
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  EXPECT_FALSE(read(variables).hosts_store());
  EXPECT_FALSE(read({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node1"}}).hosts_store());
}

TEST(RankPlace, SlurmsVariablesServeWhereRankIsNotSet) {
  Variables variables{{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}, {"SLURM_LOCALID", "1"}, {"MASTER_ADDR", "node1"}};
  EXPECT_EQ(read(variables), (RankPlace{.rank = 3, .size = 4, .local_rank = 1, .address = "node1"}));
  variables["RANK"] = "0";
  variables["WORLD_SIZE"] = "2";
  EXPECT_EQ(read(variables).rank, 0);
  EXPECT_EQ(read(variables).size, 2);
}

TEST(RankPlace, OpenMpisVariablesServeAndOneHostNeedsNoAddress) {
  Variables variables{{"OMPI_COMM_WORLD_RANK", "1"},
                      {"OMPI_COMM_WORLD_SIZE", "2"},
                      {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                      {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  EXPECT_EQ(read(variables), (RankPlace{.rank = 1, .size = 2, .local_rank = 1}));
  variables["OMPI_COMM_WORLD_LOCAL_SIZE"] = "1";  // two hosts
  EXPECT_THAT(refusal(variables), HasSubstr("MASTER_ADDR"));
}

TEST(RankPlace, OtherHostsAreKnownFromTheLauncher) {
  const auto has_other_hosts = [](Variables variables, const char* name, const char* value) {
    variables[name] = value;
    return read(variables).has_other_hosts;
  };
  const Variables torchrun{{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "node1"}};
  const Variables slurm{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"MASTER_ADDR", "node1"}};
  EXPECT_FALSE(read(torchrun).has_other_hosts);
  EXPECT_FALSE(has_other_hosts(torchrun, "LOCAL_WORLD_SIZE", "4"));
  EXPECT_TRUE(has_other_hosts(torchrun, "LOCAL_WORLD_SIZE", "2"));
  EXPECT_FALSE(has_other_hosts(slurm, "SLURM_NNODES", "1"));
  EXPECT_TRUE(has_other_hosts(slurm, "SLURM_NNODES", "2"));
}

TEST(RankPlace, WorkersThatNeverMeetNeedNoAddress) {
  const Variables torchrun{{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}};
  EXPECT_EQ(read_worker(torchrun), (RankPlace{.rank = 5, .size = 8, .local_rank = 1}));
  EXPECT_THAT(refusal(torchrun), HasSubstr("MASTER_ADDR"));  // the control: ranks of a run do
  EXPECT_EQ(read_worker({}), RankPlace());
  EXPECT_THAT(refusal_of([] { read_worker({{"RANK", "8"}, {"WORLD_SIZE", "8"}}); }), HasSubstr("must be from 0 to 7"));
}

TEST(RankPlace, ABatchScriptOfSlurmIsNoWorkerButAStepIs) {
  Variables variables{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_LOCALID", "0"}};
  EXPECT_EQ(read_worker(variables), RankPlace());
  variables["SLURM_STEP_NUM_TASKS"] = "8";
  EXPECT_EQ(read_worker(variables), (RankPlace{.size = 8}));
}

TEST(RankPlace, WithoutALocalRankARankStandsOnOneHost) {
  EXPECT_EQ(read({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "localhost"}}).local_rank, 1);
}

TEST(RankPlace, HalfASettingIsRefused) {
  EXPECT_THAT(refusal({{"RANK", "0"}}), HasSubstr("RANK is set but WORLD_SIZE is not"));
  EXPECT_THAT(refusal({{"WORLD_SIZE", "2"}}), HasSubstr("WORLD_SIZE is 2 but RANK is not set"));
  EXPECT_THAT(refusal({{"RANK", "0"}, {"WORLD_SIZE", "2"}}), HasSubstr("MASTER_ADDR"));
}

TEST(RankPlace, NumbersThatAreNoneOrOutOfRangeAreRefused) {
  const Variables beyond{{"RANK", "2"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}};
  EXPECT_THAT(refusal_of([&] { read_worker(beyond); }), HasSubstr("RANK is 2 with 2 ranks"));
  EXPECT_THAT(refusal_of([&] { read(beyond).check_rank(); }), HasSubstr("RANK is 2 with 2 ranks"));
  EXPECT_THAT(refusal({{"RANK", "one"}, {"WORLD_SIZE", "2"}}),
              HasSubstr("RANK must be a number of at least 0, got 'one'"));
  EXPECT_THAT(refusal({{"RANK", ""}, {"WORLD_SIZE", "2"}}), HasSubstr("RANK must be a number"));
  EXPECT_THAT(refusal({{"RANK", "0"}, {"WORLD_SIZE", "-2"}}), HasSubstr("WORLD_SIZE must be a number"));
  EXPECT_THAT(refusal({{"RANK", "0"}, {"WORLD_SIZE", "99999999999999999999"}}),
              HasSubstr("WORLD_SIZE must be a number"));
  EXPECT_THAT(refusal({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "70000"}}),
              HasSubstr("MASTER_PORT must be a port from 1 to 65535, got 70000"));
}

}  // namespace
}  // namespace sgf

// The place of a process among the ranks, from the variables of torchrun, Slurm and mpirun.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace sgf {

// One process of a data-parallel run. The default is a single process.
struct RankPlace {
  int64_t rank = 0;
  int64_t size = 1;
  int64_t local_rank = 0;  // within this host: selects the GPU
  std::string address = "127.0.0.1";
  int64_t port = 29500;          // of the store for the rendezvous
  bool has_agent_store = false;  // torchrun's agent provides the store; else rank 0 does
  bool has_other_hosts = false;  // the launcher says so; false also if it says nothing

  bool hosts_store() const { return rank == 0 && !has_agent_store; }
  void check_rank() const;  // throws if it is not below `size`

  bool operator==(const RankPlace&) const = default;
};

// The value of a variable; empty if not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT; where RANK is not set, Slurm's SLURM_PROCID, SLURM_NTASKS,
// SLURM_LOCALID or Open MPI's OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK. Without any of them: a single process. The rank
// may be beyond the number of ranks: `Ranks` refuses that, and tells the others.
RankPlace read_rank_place(const Environment& environment = process_environment());

// The same for processes that share work but never meet: no address is needed. A batch script of Slurm has the
// variables of a rank too; it counts as a single process unless srun started it.
RankPlace read_worker_place(const Environment& environment = process_environment());

}  // namespace sgf

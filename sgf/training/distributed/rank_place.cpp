#include "sgf/training/distributed/rank_place.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <charconv>
#include <cstdlib>

namespace sgf {
namespace {

// A launcher's variables for the three numbers and for whether all ranks share a host.
struct LauncherNames {
  std::string rank, size, local_rank;
  std::string hosts;       // number of hosts
  std::string local_size;  // number of ranks on this host
};

const LauncherNames kLaunchers[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK", "", "LOCAL_WORLD_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NNODES", ""},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "", "OMPI_COMM_WORLD_LOCAL_SIZE"},
};

std::optional<int64_t> number(const Environment& environment, const std::string& name) {
  const std::optional<std::string> text = name.empty() ? std::nullopt : environment(name);
  if (!text) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  SGF_CHECK(error == std::errc() && end == text->data() + text->size() && value >= 0,
            "the environment variable {} must be a number of at least 0, got {}", name, in_quotes(*text));
  return value;
}

const LauncherNames* find_launcher(const Environment& environment) {
  for (const LauncherNames& names : kLaunchers)
    if (environment(names.rank)) return &names;
  return nullptr;
}

// WORLD_SIZE is read for every launcher: batch scripts export it beside Slurm's own variables.
int64_t read_size(const Environment& environment, const LauncherNames& names) {
  std::optional<int64_t> size = number(environment, "WORLD_SIZE");
  if (!size) size = number(environment, names.size);
  SGF_CHECK(size.has_value(), "{} is set but {} is not: set both, or neither for a single process", names.rank,
            names.size);
  return *size;
}

bool is_on_one_host(const Environment& environment, const LauncherNames& names, int64_t size) {
  return number(environment, names.hosts) == 1 || number(environment, names.local_size) == size;
}

bool has_other_hosts(const Environment& environment, const LauncherNames& names, int64_t size) {
  return number(environment, names.hosts).value_or(1) > 1 ||
         number(environment, names.local_size).value_or(size) < size;
}

RankPlace single_process(const Environment& environment) {
  const int64_t size = number(environment, "WORLD_SIZE").value_or(1);
  SGF_CHECK(size == 1, "WORLD_SIZE is {} but RANK is not set: set both, or neither for a single process", size);
  return {};
}

RankPlace read_numbers(const Environment& environment, const LauncherNames& names) {
  RankPlace place{.rank = *number(environment, names.rank), .size = read_size(environment, names)};
  std::optional<int64_t> local_rank = number(environment, "LOCAL_RANK");
  if (!local_rank) local_rank = number(environment, names.local_rank);
  place.local_rank = local_rank.value_or(place.rank);  // started by hand, on one host
  return place;
}

std::string read_address(const Environment& environment, const LauncherNames& names, int64_t size) {
  const std::optional<std::string> address = environment("MASTER_ADDR");
  if (address && !address->empty()) return *address;
  SGF_CHECK(size == 1 || is_on_one_host(environment, names, size),
            "{} ranks need MASTER_ADDR, the host of rank 0: export it before the launcher starts", size);
  return RankPlace().address;
}

int64_t read_port(const Environment& environment) {
  const int64_t port = number(environment, "MASTER_PORT").value_or(RankPlace().port);
  SGF_CHECK(port >= 1 && port <= 65535, "MASTER_PORT must be a port from 1 to 65535, got {}", port);
  return port;
}

}  // namespace

void RankPlace::check_rank() const {
  SGF_CHECK(rank < size, "RANK is {} with {} ranks (WORLD_SIZE), but must be from 0 to {}", rank, size, size - 1);
}

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

RankPlace read_rank_place(const Environment& environment) {
  const LauncherNames* names = find_launcher(environment);
  if (names == nullptr) return single_process(environment);
  RankPlace place = read_numbers(environment, *names);
  place.address = read_address(environment, *names, place.size);
  place.port = read_port(environment);
  place.has_other_hosts = has_other_hosts(environment, *names, place.size);
  place.has_agent_store = environment("TORCHELASTIC_USE_AGENT_STORE") == "True";
  return place;
}

RankPlace read_worker_place(const Environment& environment) {
  const LauncherNames* names = find_launcher(environment);
  if (names == nullptr) return single_process(environment);
  const bool is_batch_script = names->rank.starts_with("SLURM_") && !environment("SLURM_STEP_NUM_TASKS");
  if (is_batch_script) return {};
  const RankPlace place = read_numbers(environment, *names);
  place.check_rank();
  return place;
}

}  // namespace sgf

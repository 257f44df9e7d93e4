// The processes of a data-parallel run, seen from one of them. All ranks must call all operations in the same order;
// otherwise all throw the same message. For a single process every operation is the identity.
#pragma once

#include "sgf/core/error.h"
#include "sgf/training/distributed/rank_agreement.h"
#include "sgf/training/distributed/rank_place.h"
#include "sgf/training/distributed/rank_settings.h"
#include "sgf/training/distributed/sample_share.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sgf {

// The run has ended for all ranks: another rank died, stopped or did not join. The message names it.
class RankLost : public Error {
 public:
  explicit RankLost(const std::string& message) : Error(message) {}
};

class Ranks {
 public:
  Ranks();  // a single process
  explicit Ranks(const RankPlace& place,
                 RankSettings settings = {});  // returns once all have joined and have the same build
  ~Ranks();
  Ranks(Ranks&&) noexcept;
  Ranks& operator=(Ranks&&) = delete;

  static const Ranks& alone();

  int64_t rank() const { return place_.rank; }
  int64_t size() const { return place_.size; }
  bool is_first() const { return place_.rank == 0; }
  const RankPlace& place() const { return place_; }
  SampleShare share_of(int64_t global_batch) const { return sgf::share_of(global_batch, size(), rank()); }

  // Returns if all ranks have the same terms. Otherwise all throw the same message: the first differing term, both
  // values and both rank names. A single process does not evaluate its terms.
  void agree(const std::function<RunTerms()>& terms) const;

  // Sums each tensor over the ranks, in place. The result has the same bits on every rank, and in every run with as
  // many ranks. The ring's order of additions differs from one process that accumulates the whole batch: the two agree
  // up to rounding. CPU tensors use Gloo, CUDA tensors NCCL.
  void sum(std::vector<at::Tensor>& tensors) const;

  // Copies each tensor from rank 0, in place.
  void broadcast(std::vector<at::Tensor>& tensors) const;

  // The values of all ranks, by rank; all must have the same number. Reductions below use the order of the ranks.
  std::vector<std::vector<double>> gather(const std::vector<double>& values) const;
  std::vector<double> sum(const std::vector<double>& values) const;
  double sum(double value) const;
  double max(double value) const;
  bool any(bool value) const;  // e.g. whether any rank was asked to stop
  void barrier() const;

  // Throws RankLost if the run has ended. Does not communicate: for use during long work.
  void check_alive() const;

  // Ends the run for all ranks, which throw "rank 1 (host b, pid 7) stopped: reason".
  void stop(const std::string& reason) const;

  // Runs `work`. An exception stops all ranks with its message and is rethrown.
  void guard(const std::function<void()>& work) const;

 private:
  struct Links;
  RankPlace place_;
  std::unique_ptr<Links> links_;  // null for a single process
};

}  // namespace sgf

// The processes of a data-parallel run, as one of them sees them. Every operation is one that all ranks call in the
// same order, and where they do not, all throw the same words; for a process on its own each is the identity.
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

// The run has ended for all: another rank died, stopped or did not come. The message names it.
class RankLost : public Error {
 public:
  explicit RankLost(const std::string& message) : Error(message) {}
};

class Ranks {
 public:
  Ranks();                                                             // a process on its own
  explicit Ranks(const RankPlace& place, RankSettings settings = {});  // comes back once all have come, of one build
  ~Ranks();
  Ranks(Ranks&&) noexcept;
  Ranks& operator=(Ranks&&) = delete;

  static const Ranks& alone();

  int64_t rank() const { return place_.rank; }
  int64_t size() const { return place_.size; }
  bool is_first() const { return place_.rank == 0; }
  const RankPlace& place() const { return place_; }
  SampleShare share_of(int64_t global_batch) const { return sgf::share_of(global_batch, size(), rank()); }

  // Comes back where all ranks have the same terms; else all throw the same words, with the first term that differs,
  // both values and the names of both ranks. A process on its own does not ask for its terms.
  void agree(const std::function<RunTerms()>& terms) const;

  // Each tensor becomes its sum over the ranks, in place: the same bits on every rank, and the same again whenever as
  // many ranks sum the same tensors. The order of additions is the ring's, not that of one process accumulating the
  // whole batch: the two agree to rounding. CPU tensors go through Gloo, CUDA tensors through NCCL.
  void sum(std::vector<at::Tensor>& tensors) const;

  // Each tensor becomes that of rank 0, in place.
  void broadcast(std::vector<at::Tensor>& tensors) const;

  // Every rank's values, by rank; all ranks bring as many. What follows is made of it in the order of the ranks.
  std::vector<std::vector<double>> gather(const std::vector<double>& values) const;
  std::vector<double> sum(const std::vector<double>& values) const;
  double sum(double value) const;
  double max(double value) const;
  bool any(bool value) const;  // has any rank been asked to stop?
  void barrier() const;

  // Throws RankLost where the run has ended. Talks to nobody: for the middle of long work.
  void check_alive() const;

  // Ends the run for all ranks; they throw "rank 1 (host b, pid 7) stopped: reason".
  void stop(const std::string& reason) const;

  // Runs `work`; what it throws is the reason of a stop, and goes on to the caller.
  void guard(const std::function<void()>& work) const;

 private:
  struct Links;
  RankPlace place_;
  std::unique_ptr<Links> links_;  // none for a process on its own
};

}  // namespace sgf

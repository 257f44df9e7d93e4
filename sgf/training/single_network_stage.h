// What stages that train one network share: an update of many samples, the slow average, and the state of both. A stage
// of the kind says what is learnt from a part of the batch and how its videos are sampled.
#pragma once

#include "sgf/kernels/recorded_work.h"
#include "sgf/training/ema.h"
#include "sgf/training/learner.h"
#include "sgf/training/update_part.h"
#include "sgf/training/update_sum.h"

#include <optional>
#include <vector>

namespace sgf {

struct SingleNetworkSettings {
  LearnerSettings generator;
  double ema_decay = 0.99;
  int64_t ema_start_step = 200;
  BatchSizes batch;
  bool record_launches = false;  // on a GPU: queue the loss and its gradients as one
};

class SingleNetworkStage : public Stage {
 public:
  StepReport step(int64_t step) final;
  StageState state() const final;
  void restore(const StageState& state) final;

  const Ema& ema() const { return ema_; }

 protected:
  // Ranks start from equal weights, and outlive the stage.
  SingleNetworkStage(SingleNetworkSettings settings, TrainedDit network, const Ranks& ranks);

  const CausalDit& network() const { return generator_.network(); }
  // The slow average as a network of its own memory.
  CausalDit average() const { return with_weights(network(), ema_.average()); }
  // From here on the average exists, whatever its start step.
  void begin_average() { ema_.begin(); }

  // All that the loss of a part of the batch is made of, on the network's device.
  virtual std::vector<at::Tensor> inputs(int64_t step, const MicroBatch& part) const = 0;
  // Mean over their samples, with graph. It asks neither the device for a number nor the host for data.
  virtual at::Tensor loss(const std::vector<at::Tensor>& inputs) const = 0;
  // Before the first loss of a step.
  virtual void prepare_step() {}

 private:
  UpdatePart compute(const std::vector<at::Tensor>& inputs) const;
  UpdatePart queue(int64_t step, const MicroBatch& part);

  SingleNetworkSettings settings_;
  Learner generator_;
  const Ranks* ranks_;
  Ema ema_;
  RecordedWork recorded_;
  // The next step's first inputs, queued while the device is at work on this one's.
  struct Ahead {
    int64_t step;
    std::vector<at::Tensor> inputs;
  };
  std::optional<Ahead> ahead_;
};

}  // namespace sgf

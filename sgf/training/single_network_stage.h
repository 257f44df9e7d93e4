// Shared parts of stages that train one network: an update over many samples, the EMA, and the state of both. A derived
// stage defines the inputs and the loss of a part of the batch, and the sampling of videos: see StageWithInputs.
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
  bool record_launches = false;  // on a GPU: record the launches of loss and gradients and replay them
};

class SingleNetworkStage : public Stage {
 public:
  StepReport step(int64_t step) final;
  StageState state() const final;
  void restore(const StageState& state) final;

  const Ema& ema() const { return ema_; }

 protected:
  // Ranks start from equal weights and must outlive the stage.
  SingleNetworkStage(SingleNetworkSettings settings, TrainedDit network, const Ranks& ranks);

  const CausalDit& network() const { return learner_.network(); }
  // The EMA as a network with its own memory.
  CausalDit average() const { return with_weights(network(), ema_.average()); }
  // Starts the EMA now, regardless of its start step.
  void begin_average() { ema_.begin(); }

  // Called before the first loss of a step.
  virtual void prepare_step() {}

 private:
  virtual std::vector<at::Tensor> input_tensors(int64_t step, const MicroBatch& part) const = 0;
  virtual at::Tensor loss_of_tensors(const std::vector<at::Tensor>& inputs) const = 0;
  UpdatePart compute(const std::vector<at::Tensor>& inputs) const;
  UpdatePart queue(int64_t step, const MicroBatch& part);

  SingleNetworkSettings settings_;
  Learner learner_;
  const Ranks* ranks_;
  Ema ema_;
  RecordedWork recorded_;
  // The next step's first inputs, queued while the device computes this step.
  struct Ahead {
    int64_t step;
    std::vector<at::Tensor> inputs;
  };
  std::optional<Ahead> ahead_;
};

// A stage whose loss takes a struct: Inputs::tensors() lists its tensors, Inputs::of(tensors) makes it of such a list,
// which a recording may have moved.
template <class Inputs>
class StageWithInputs : public SingleNetworkStage {
 protected:
  using SingleNetworkStage::SingleNetworkStage;

  // All inputs of the loss of a part of the batch, on the network's device.
  virtual Inputs inputs(int64_t step, const MicroBatch& part) const = 0;
  // Mean over the samples, with graph. Must not synchronise with the device or read host data.
  virtual at::Tensor loss(const Inputs& inputs) const = 0;

 private:
  std::vector<at::Tensor> input_tensors(int64_t step, const MicroBatch& part) const final {
    return inputs(step, part).tensors();
  }
  at::Tensor loss_of_tensors(const std::vector<at::Tensor>& in) const final { return loss(Inputs::of(in)); }
};

}  // namespace sgf

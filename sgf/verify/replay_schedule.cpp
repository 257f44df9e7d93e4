// Replays of the schedule and of the UniPC sampler.
#include "sgf/core/file_error.h"
#include "sgf/kernels/wide.h"
#include "sgf/schedule/flow_match.h"
#include "sgf/schedule/flow_schedule.h"
#include "sgf/schedule/unipc.h"
#include "sgf/verify/replay_kinds.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

at::Tensor as_tensor(const std::vector<double>& values) { return at::tensor(values, at::kDouble); }

at::Tensor input(const Recording& recording, const char* name, const ReplayOptions& options) {
  return recording.input(name).to(at::TensorOptions().dtype(wide_type(options.dtype)).device(options.device));
}

// The field that the unipc recordings solve: tanh(1.3 x + a) (0.5 + t / 1000) - 0.2 x.
at::Tensor recorded_flow(const at::Tensor& x, const at::Tensor& a, double t) {
  return at::tanh(x * 1.3 + a) * (0.5 + t / 1000) - x * 0.2;
}

// Number of steps and shift from a recording's settings, checked for valid sizes.
struct StepsAndShift {
  int64_t steps;
  double shift;
};

StepsAndShift steps_and_shift(const Recording& recording, const nlohmann::json& settings) {
  const bool fits = settings.is_object() && settings.contains("steps") && settings["steps"].is_number_integer() &&
                    settings.contains("shift") && settings["shift"].is_number();
  SGF_CHECK_FILE(fits, recording.path(), "expected {{\"steps\": integer, \"shift\": number}}, got {}", settings.dump());
  const double steps = settings["steps"].get<double>();
  SGF_CHECK_FILE(steps >= 1 && steps <= 100000, recording.path(),
                 "the number of steps must be between 1 and 100000, got {}", steps);
  return {static_cast<int64_t>(steps), settings["shift"].get<double>()};
}

}  // namespace

NamedTensors replay_schedule(const Recording& recording, const ReplayOptions& options) {
  const StepsAndShift table = steps_and_shift(recording, recording.setting("config"));
  const FlowSchedule schedule(table.shift, table.steps);
  const at::Tensor t = recording.input("t").contiguous();
  const SigmaRule rule{.lookup = SigmaLookup::kNearestTable, .shift = table.shift, .entries = table.steps};
  std::vector<double> sigmas;
  for (int64_t i = 0; i < t.numel(); ++i) sigmas.push_back(rule.at(t.view(-1)[i].item<double>()));
  const at::Tensor noisy = add_noise(input(recording, "x0", options), input(recording, "noise", options),
                                     as_tensor(sigmas).to(options.device));
  return {{"out.sigmas", as_tensor(schedule.sigmas())},
          {"out.timesteps", as_tensor(schedule.timesteps())},
          {"out.training_weights", as_tensor(schedule.training_weights())},
          {"out.noisy", noisy}};
}

NamedTensors replay_unipc(const Recording& recording, const ReplayOptions& options) {
  NamedTensors out;
  const at::Tensor a = input(recording, "a", options);
  int index = 0;
  for (const nlohmann::json& one : recording.setting("cases")) {
    const StepsAndShift walk = steps_and_shift(recording, one);
    const SolverGrid grid = unipc_grid(walk.steps, walk.shift);
    UniPcSolver solver(grid);
    at::Tensor x = input(recording, "x", options);
    std::vector<at::Tensor> trajectory;
    while (!solver.done()) trajectory.push_back(x = solver.step(recorded_flow(x, a, solver.timestep()), x));
    const std::string suffix = "." + std::to_string(index++);
    out.emplace_back("out.sigmas" + suffix, as_tensor(grid.sigmas));
    out.emplace_back("out.timesteps" + suffix, as_tensor(grid.timesteps));
    out.emplace_back("out.trajectory" + suffix, at::stack(trajectory));
  }
  return out;
}

}  // namespace sgf

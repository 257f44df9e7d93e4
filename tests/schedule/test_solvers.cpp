// Solvers against flows whose solution is known in closed form, and against recorded trajectories of Wan's UniPC.
#include "sgf/core/error.h"
#include "sgf/schedule/euler.h"
#include "sgf/schedule/flow_schedule.h"
#include "sgf/schedule/unipc.h"
#include "sgf/schedule/unipc_coefficients.h"
#include "tests/schedule/reference_tensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace sgf {
namespace {

using Flow = std::function<at::Tensor(const at::Tensor& x, double timestep)>;

template <class Solver>
at::Tensor solve(Solver solver, const Flow& flow, at::Tensor x) {
  while (!solver.done()) x = solver.step(flow(x, solver.timestep()), x);
  return x;
}

// Evenly spaced sigmas, both ends inside (0, 1): measures a method's order, away from where log-SNR is infinite.
SolverGrid even_grid(int64_t steps, double from, double to) {
  SolverGrid grid;
  for (int64_t k = 0; k <= steps; ++k) {
    grid.sigmas.push_back(from + (to - from) * static_cast<double>(k) / static_cast<double>(steps));
  }
  for (int64_t k = 0; k < steps; ++k) grid.timesteps.push_back(kMaxTimestep * grid.sigmas[k]);
  return grid;
}

// Data drawn from N(mean, spread^2): the marginal at sigma is normal, a sample keeps its quantile on the way, and so
// both the flow and where it leads are known.
struct GaussianData {
  double mean = 1.5;
  double spread = 0.4;

  double marginal(double sigma) const { return std::hypot((1 - sigma) * spread, sigma); }
  at::Tensor at_sigma(const at::Tensor& quantile, double sigma) const {
    return (1 - sigma) * mean + marginal(sigma) * quantile;
  }
  at::Tensor flow(const at::Tensor& x, double timestep) const {
    const double sigma = timestep / kMaxTimestep;
    const double marginal_slope = (sigma - (1 - sigma) * spread * spread) / marginal(sigma);
    return marginal_slope / marginal(sigma) * (x - (1 - sigma) * mean) - mean;
  }
};

const GaussianData kData;

at::Tensor quantiles() { return at::linspace(-2, 2, 9, at::kDouble); }

template <class Solver>
double error_on_gaussian(Solver solver, double from, double to) {
  const Flow flow = [](const at::Tensor& x, double timestep) { return kData.flow(x, timestep); };
  const at::Tensor end = solve(std::move(solver), flow, kData.at_sigma(quantiles(), from));
  return rel_l2(end, kData.at_sigma(quantiles(), to));
}

double euler_error(int64_t steps) { return error_on_gaussian(EulerSolver(even_grid(steps, 0.9, 0.1)), 0.9, 0.1); }

double unipc_error(int64_t steps) { return error_on_gaussian(UniPcSolver(even_grid(steps, 0.9, 0.1)), 0.9, 0.1); }

// Halfway down the grid, before the lower order of the last step covers what the method does in between.
double unipc_error_halfway(int64_t steps, int order) {
  UniPcSolver solver(even_grid(steps, 0.9, 0.1), order);
  at::Tensor x = kData.at_sigma(quantiles(), 0.9);
  for (int64_t k = 0; k < steps / 2; ++k) x = solver.step(kData.flow(x, solver.timestep()), x);
  return rel_l2(x, kData.at_sigma(quantiles(), 0.5));
}

TEST(SolverGrid, EulersIsTheShiftedTableDownToZero) {
  const SolverGrid grid = euler_grid(4, 5.0);
  EXPECT_EQ(grid.timesteps, (std::vector<double>{1000, 937.5, kMaxTimestep * (2.5 / 3), 625}));
  EXPECT_EQ(grid.sigmas.back(), 0);
  EXPECT_EQ(euler_grid(1, 5.0).sigmas, (std::vector<double>{1, 0}));
}

TEST(SolverGrid, UniPcsIsTheRecordedOne) {
  const ReferenceTensors recorded("unipc_a.safetensors");
  const SolverGrid coarse = unipc_grid(8, 5.0);
  const SolverGrid fine = unipc_grid(20, 3.0);
  EXPECT_TRUE(at::equal(at::tensor(coarse.sigmas, at::kDouble), recorded["out.sigmas.0"]));
  EXPECT_TRUE(at::equal(at::tensor(coarse.timesteps, at::kDouble), recorded["out.timesteps.0"]));
  EXPECT_TRUE(at::equal(at::tensor(fine.sigmas, at::kDouble), recorded["out.sigmas.1"]));
  EXPECT_TRUE(at::equal(at::tensor(fine.timesteps, at::kDouble), recorded["out.timesteps.1"]));
}

TEST(SolverGrid, RefusesSigmasThatDoNotFall) {
  EXPECT_THROW(EulerSolver({.sigmas = {0.5, 0.7}, .timesteps = {500}}), Error);
  EXPECT_THROW(EulerSolver({.sigmas = {1.5, 0.0}, .timesteps = {500}}), Error);
  EXPECT_THROW(EulerSolver({.sigmas = {0.5}, .timesteps = {500}}), Error);
  EXPECT_THROW(euler_grid(0, 5.0), Error);
  EXPECT_THROW(unipc_grid(0, 5.0), Error);
}

// dx/dsigma = x from 1 to 0 in n even steps: every step multiplies by 1 - 1/n.
TEST(Euler, TakesTheStepsOfALinearFlow) {
  const at::Tensor x = at::tensor({1.0, -2.0}, at::kDouble);
  const at::Tensor end = solve(
      EulerSolver(euler_grid(10, 1.0)), [](const at::Tensor& at, double) { return at; }, x);
  EXPECT_LT(rel_l2(end, x * std::pow(0.9, 10)), 1e-14);
}

TEST(Euler, IsExactOnAStraightFlow) {
  const at::Tensor x0 = at::tensor({1.0, -2.0}, at::kDouble);
  const at::Tensor noise = at::tensor({0.3, 0.7}, at::kDouble);
  const at::Tensor end = solve(
      EulerSolver(euler_grid(3, 5.0)), [&](auto&, double) { return noise - x0; }, noise);
  EXPECT_LT(rel_l2(end, x0), 1e-14);
}

TEST(Euler, HalvesItsErrorWithTwiceTheSteps) {
  EXPECT_NEAR(euler_error(64) / euler_error(128), 2, 0.1);
  EXPECT_LT(euler_error(128), 0.01);
}

TEST(UniPc, QuartersItsErrorWithTwiceTheSteps) {
  EXPECT_NEAR(unipc_error(64) / unipc_error(128), 4, 0.4);
  EXPECT_LT(unipc_error(128), euler_error(128) / 10);
}

// The corrector adds one to the predictor's order.
TEST(UniPc, CorrectedSecondOrderStepsConvergeAtThirdOrder) {
  EXPECT_NEAR(unipc_error_halfway(64, 2) / unipc_error_halfway(128, 2), 8, 0.4);
}

TEST(UniPc, CorrectedFirstOrderStepsConvergeAtSecond) {
  EXPECT_NEAR(unipc_error_halfway(64, 1) / unipc_error_halfway(128, 1), 4, 0.4);
  EXPECT_GT(unipc_error_halfway(64, 1), 10 * unipc_error_halfway(64, 2));
}

// A clean prediction that does not move makes every order exact, whatever the steps.
TEST(UniPc, IsExactWhereTheCleanPredictionIsConstant) {
  const at::Tensor x0 = at::tensor({1.0, -2.0}, at::kDouble);
  const at::Tensor noise = at::tensor({0.3, 0.7}, at::kDouble);
  const SolverGrid grid = unipc_grid(5, 5.0);
  const double sigma = grid.sigmas.front();
  UniPcSolver solver(grid);
  at::Tensor x = (1 - sigma) * x0 + sigma * noise;
  while (!solver.done()) x = solver.step((x - x0) / solver.sigma(), x);
  EXPECT_LT(rel_l2(x, x0), 1e-14);
}

// Carries x = (1 - sigma) c + sigma e to the same c and e at the next sigma, when every prediction is c.
TEST(UniPc, WeightsKeepAStraightLineStraight) {
  const std::vector<double> sigmas = {0.95, 0.8, 0.5, 0.2};
  for (int64_t k = 1; k < 3; ++k) {
    for (const UniPcWeights& w : {unipc_predictor(sigmas, k, 1), unipc_predictor(sigmas, k, 2),
                                  unipc_corrector(sigmas, k, 1), unipc_corrector(sigmas, k, 2)}) {
      EXPECT_DOUBLE_EQ(w.x, sigmas[k + 1] / sigmas[k]);
      const double clean = w.x * (1 - sigmas[k]) + w.current + w.previous + w.next;
      EXPECT_NEAR(clean, 1 - sigmas[k + 1], 1e-14);
    }
  }
}

// The corrector of order 2 integrates a prediction quadratic in log-SNR exactly; order 1 does not.
TEST(UniPc, SecondOrderCorrectorIsExactOnQuadraticPredictions) {
  const std::vector<double> sigmas = {0.8, 0.65, 0.4};
  const auto log_snr = [](double sigma) { return std::log((1 - sigma) / sigma); };
  const double start = log_snr(sigmas[1]);
  const double h = log_snr(sigmas[2]) - start;
  const auto prediction = [&](double sigma) { return std::pow(log_snr(sigma) - start, 2); };
  // d(x / sigma) / d(lambda) = e^lambda m for lambda = log-SNR; the integral of s^2 e^s is (s^2 - 2 s + 2) e^s.
  const double integral = (h * h - 2 * h + 2) * std::exp(h) - 2;
  const double expected = sigmas[2] * std::exp(start) * integral;
  const auto by = [&](const UniPcWeights& w) {
    return w.current * prediction(sigmas[1]) + w.previous * prediction(sigmas[0]) + w.next * prediction(sigmas[2]);
  };
  EXPECT_NEAR(by(unipc_corrector(sigmas, 1, 2)), expected, 1e-13);
  EXPECT_GT(std::abs(by(unipc_corrector(sigmas, 1, 1)) - expected), 1e-2);
}

class RecordedUniPc : public testing::TestWithParam<int> {};

TEST_P(RecordedUniPc, FollowsTheRecordedTrajectory) {
  const ReferenceTensors recorded("unipc_a.safetensors");
  const at::Tensor a = recorded["in.a"];
  const at::Tensor trajectory = recorded["out.trajectory." + std::to_string(GetParam())];
  UniPcSolver solver(GetParam() == 0 ? unipc_grid(8, 5.0) : unipc_grid(20, 3.0));
  at::Tensor x = recorded["in.x"];
  for (int64_t k = 0; k < trajectory.size(0); ++k) {
    const at::Tensor flow = at::tanh(1.3 * x + a) * (0.5 + solver.timestep() / 1000) - 0.2 * x;
    x = solver.step(flow, x);
    EXPECT_LT(rel_l2(x, trajectory[k]), 1e-5) << "after step " << k;
  }
  EXPECT_TRUE(solver.done());
}

INSTANTIATE_TEST_SUITE_P(Cases, RecordedUniPc, testing::Values(0, 1));

TEST(UniPc, KeepsFloat32BetweenStepsOfABFloat16Network) {
  UniPcSolver solver(unipc_grid(4, 5.0));
  const at::Tensor x = at::ones({3}, at::kBFloat16);
  EXPECT_EQ(solver.step(x, x).scalar_type(), at::kFloat);
}

TEST(UniPc, RefusesAStartAtPureNoiseAndStepsBeyondTheEnd) {
  EXPECT_THROW(UniPcSolver(euler_grid(4, 5.0)), Error);
  EXPECT_THROW(UniPcSolver(unipc_grid(4, 5.0), 3), Error);
  UniPcSolver solver(unipc_grid(1, 5.0));
  const at::Tensor x = solver.step(at::zeros({2}), at::ones({2}));
  EXPECT_TRUE(solver.done());
  EXPECT_THROW(solver.step(x, x), Error);
}

}  // namespace
}  // namespace sgf

// UniPC in log-SNR lambda = log((1 - sigma) / sigma). Between two points h apart, the exact solution weights the clean
// prediction by an exponential, and divided differences of past predictions replace its derivatives.
#include "sgf/schedule/unipc_coefficients.h"

#include <cmath>

namespace sgf {
namespace {

double log_snr(double sigma) { return std::log1p(-sigma) - std::log(sigma); }

// The quantities that all formulas share. `decay` is e^-h - 1, which is both phi_1 and bh2's B(h).
struct Interval {
  double h;
  double decay;
  double x;     // sigma_next / sigma
  double gain;  // alpha_next * B(h): weight of a divided difference
  double r;     // (lambda_{k-1} - lambda_k) / h, negative; 0 on the first step
};

Interval interval(std::span<const double> sigmas, int64_t k) {
  const double here = log_snr(sigmas[k]);
  const double h = log_snr(sigmas[k + 1]) - here;
  const double decay = std::expm1(-h);
  const double r = k > 0 ? (log_snr(sigmas[k - 1]) - here) / h : 0.0;
  return {h, decay, sigmas[k + 1] / sigmas[k], (1.0 - sigmas[k + 1]) * decay, r};
}

UniPcWeights first_order(const Interval& on) { return {.x = on.x, .current = -on.gain}; }

// Adds rho (m_{k-1} - m_k) / r, the backward slope.
void add_backward_slope(UniPcWeights& weights, const Interval& on, double rho) {
  weights.previous -= on.gain * rho / on.r;
  weights.current += on.gain * rho / on.r;
}

// Adds rho (m_{k+1} - m_k), the forward slope.
void add_forward_slope(UniPcWeights& weights, const Interval& on, double rho) {
  weights.next -= on.gain * rho;
  weights.current += on.gain * rho;
}

// Weights (backward, forward) that make the step exact for predictions quadratic in lambda: the 2x2 Vandermonde
// system rho_b + rho_f = b1, r rho_b + rho_f = b2.
struct Slopes {
  double backward;
  double forward;
};

Slopes second_order_slopes(const Interval& on) {
  const double phi_2 = on.decay / -on.h - 1.0;
  const double phi_3 = phi_2 / -on.h - 0.5;
  const double b1 = phi_2 / on.decay;
  const double b2 = 2.0 * phi_3 / on.decay;
  const double backward = (b1 - b2) / (1.0 - on.r);
  return {backward, b1 - backward};
}

}  // namespace

UniPcWeights unipc_predictor(std::span<const double> sigmas, int64_t k, int order) {
  const Interval on = interval(sigmas, k);
  UniPcWeights weights = first_order(on);
  if (order == 2) add_backward_slope(weights, on, 0.5);  // the paper's degenerate case: 1/2, not b1
  return weights;
}

UniPcWeights unipc_corrector(std::span<const double> sigmas, int64_t k, int order) {
  const Interval on = interval(sigmas, k);
  UniPcWeights weights = first_order(on);
  const Slopes rho = order == 2 ? second_order_slopes(on) : Slopes{0.0, 0.5};
  if (order == 2) add_backward_slope(weights, on, rho.backward);
  add_forward_slope(weights, on, rho.forward);
  return weights;
}

}  // namespace sgf

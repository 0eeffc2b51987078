#include "core/lambert_w.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "sotto/error.h"

namespace sotto {
namespace {

// Below it the slope of w e^w is so small that an iteration on the residual would lose digits.
constexpr double kSeriesReach = 0.01;

// Powers of p = sqrt(2 (e x + 1)) about the branch point -1/e (Corless et al. 1996, "On the Lambert W
// function", section 4). The next term is below 1e-2 p^9.
double near_branch_point(double p) {
  constexpr std::array<double, 9> kSeries = {-1,
                                             1,
                                             -1.0 / 3,
                                             11.0 / 72,
                                             -43.0 / 540,
                                             769.0 / 17280,
                                             -221.0 / 8505,
                                             680863.0 / 43545600,
                                             -1963.0 / 204120};
  double sum = 0;
  for (std::size_t i = kSeries.size(); i-- > 0;) sum = sum * p + kSeries[i];
  return sum;
}

}  // namespace

double lambert_w0(double x) {
  constexpr double kBranchPoint = -0.36787944117144233;
  if (!(x >= kBranchPoint) || std::isinf(x)) {
    throw Error(ErrorCode::internal, "Lambert's W0 was asked at a number below -1/e or not finite");
  }
  // e in two doubles: near the branch point e x + 1 is all cancellation.
  constexpr double kE = 0x1.5bf0a8b145769p+1;
  constexpr double kRestOfE = 0x1.4d57ee2b1013ap-53;
  const double p = std::sqrt(std::fmax(0, 2 * (std::fma(x, kE, 1) + x * kRestOfE)));
  if (p < kSeriesReach) return near_branch_point(p);

  // Halley's iteration, cubic: three or four rounds from these starts. In long double, whose spare bits
  // cover the residual's cancellation and whose exponents cannot overflow.
  const double log = std::log1p(x);
  long double w = x < -0.25 ? near_branch_point(p) : log * (1 - std::log1p(log) / (2 + log));
  for (int round = 0; round < 16; ++round) {
    const long double power = std::exp(w);
    const long double residual = w * power - x;
    const long double step = residual / (power * (w + 1) - (w + 2) * residual / (2 * w + 2));
    w -= step;
    if (std::abs(step) <= 1e-18L * std::abs(w)) break;
  }
  return static_cast<double>(w);
}

}  // namespace sotto

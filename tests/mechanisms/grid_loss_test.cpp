// The loss of a release on a coarse grid, by integration over its cells (docs/specification.md section 6):
// two dimensions, epsilon / sensitivity = 1, g = 1/2.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/distributions.h"
#include "mechanisms/privemb/private_vectors.h"

namespace sotto {
namespace {

constexpr double kStep = 0.5;
constexpr int kReach = 12;  // cells to each side: all but e^-6 (1 + 6) of the mass; the rest is one cell

struct Point {
  double x;
  double y;
};
double distance(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

// Probability of each cell, row after row: the density e^-|z| / (2 pi) by the midpoint rule.
std::vector<double> cells(Point centre) {
  constexpr int kNodes = 40;
  const double h = kStep / kNodes;
  std::vector<double> out;
  for (int row = -kReach; row <= kReach; ++row) {
    for (int column = -kReach; column <= kReach; ++column) {
      double sum = 0;
      for (int i = 0; i < kNodes; ++i) {
        for (int j = 0; j < kNodes; ++j) {
          const Point z{(column - 0.5) * kStep + (i + 0.5) * h, (row - 0.5) * kStep + (j + 0.5) * h};
          sum += std::exp(-distance(z, centre));
        }
      }
      out.push_back(sum * h * h / (2 * 3.14159265358979323846));
    }
  }
  return out;
}

double largest_loss(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(std::log(a[i] / b[i])));
  return largest;
}

Point rounded(Point centre) {
  return {kStep * std::rint(centre.x / kStep), kStep * std::rint(centre.y / kStep)};
}

// How often the program's release falls into each cell, and elsewhere.
double fit_of_program(Point centre, std::vector<double> law, std::uint64_t seed) {
  const PrivateVectors released(Projection::identity(2), {.dim = 2, .scale = 1, .grid_exponent = -1}, 100);
  const int width = 2 * kReach + 1;
  std::vector<std::uint64_t> counts(law.size() + 1, 0);
  const std::vector<double> in = {centre.x, centre.y};
  Rng rng = Rng::seeded_not_private(seed);
  for (int i = 0; i < 400000; ++i) {
    std::vector<double> out(2);
    released.release_batch(in, out, rng);
    const double column = out[0] / kStep;
    const double row = out[1] / kStep;
    EXPECT_EQ(column, std::rint(column));
    const bool inside = std::abs(column) <= kReach && std::abs(row) <= kReach;
    ++counts[inside ? static_cast<std::size_t>((row + kReach) * width + column + kReach) : law.size()];
  }
  double rest = 1;
  for (const double p : law) rest -= p;
  law.push_back(rest);
  return test::chi_squared_p_value(counts, law);
}

TEST(GridLoss, TheReleaseLosesNoMoreThanTheDistance) {
  for (const Point a : {Point{0, 0}, Point{0.2499995, 0.1}, Point{-0.13, 0.24}}) {
    for (const Point b : {Point{0.2500005, 0.1}, Point{0.3, -0.2}, Point{1.5, 0.7}}) {
      EXPECT_LE(largest_loss(cells(a), cells(b)), distance(a, b) * (1 + 1e-9));
    }
  }
}

TEST(GridLoss, RoundingTheCentreFirstLosesHalf) {
  const Point a{0.2499995, 0};
  const Point b{0.2500005, 0};
  const double loss = largest_loss(cells(rounded(a)), cells(rounded(b)));
  EXPECT_NEAR(loss, 0.4997, 0.0003);
  EXPECT_GT(loss / distance(a, b), 1e5);  // what the guarantee bounds by 1
}

// The integrals above are about the program: its outputs have that law, and not that of the rounded centre.
// False-alarm rate 1e-9 each.
TEST(GridLoss, TheProgramHasTheExactLaw) {
  const Point centre{0.2499995, 0.1};
  EXPECT_GT(fit_of_program(centre, cells(centre), 71), test::kFalseAlarm);
  EXPECT_LT(fit_of_program(centre, cells(rounded(centre)), 72), test::kFalseAlarm);
}

}  // namespace
}  // namespace sotto

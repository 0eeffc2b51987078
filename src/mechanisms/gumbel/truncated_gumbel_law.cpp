// The exact law of truncated-gumbel, by quadrature (docs/specification.md section 5):
//   P(u_j|w) = int f(y - d_j) sum over k >= j of P(K = k) prod over i <= k, i != j of S(y - d_i) dy
// over y in [-C, C], f and S the density and survival function of the noise. A word takes part from its kink
// y = d_i - C on, so the range is cut there and is smooth in between.
//
// With E(x) = exp(-x/b), low = E(C), high = E(-C) and z = E(x) - low:
//   S(x) = (1 - e^-z) / (1 - e^-(high - low)),   f(x) / S(x) = (low + z) / (b (e^z - 1)).
#include "mechanisms/gumbel/truncated_gumbel_law.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace sotto {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr double kNegligible = -42;  // ln of 6e-19

struct Node {
  double place;  // in (0, 1)
  double weight;
};

// Gauss and Legendre on [0, 1], the roots by Newton's iteration.
template <std::size_t Count>
std::array<Node, Count> gauss_nodes() {
  std::array<Node, Count> nodes{};
  constexpr auto kCount = static_cast<double>(Count);
  for (std::size_t i = 0; i < Count; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (kCount + 0.5));
    double slope = 0;
    for (int round = 0; round < 10; ++round) {
      double previous = 1;
      double value = x;
      for (std::size_t k = 2; k <= Count; ++k) {
        const auto degree = static_cast<double>(k);
        const double next = ((2 * degree - 1) * x * value - (degree - 1) * previous) / degree;
        previous = value;
        value = next;
      }
      slope = kCount * (x * value - previous) / (x * x - 1);
      x -= value / slope;
    }
    nodes[i] = {.place = (1 + x) / 2, .weight = 1 / ((1 - x * x) * slope * slope)};
  }
  return nodes;
}

// Enough for a relative error of 1e-13 of an integrand whose logarithm changes by `change`, 8 at most.
std::span<const Node> nodes_for(double change) {
  static const std::array kThree = gauss_nodes<3>();
  static const std::array kFive = gauss_nodes<5>();
  static const std::array kTwelve = gauss_nodes<12>();
  if (change < 0.08) return kThree;
  if (change < 0.5) return kFive;
  return kTwelve;
}

// std::expm1 for z > 0, which takes several times as long as std::exp.
double power_less_one(double z) {
  return z > 0.5 ? std::exp(z) - 1 : std::expm1(z);
}

double log_add(double a, double b) {
  const double larger = std::max(a, b);
  return larger == kMinusInfinity ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

// A sum of positive terms factor * exp(log), far outside the range of a double.
class WideSum {
 public:
  void add(double log, double factor) {
    if (factor < 1e-100) {
      if (!(factor > 0)) return;
      log += std::log(factor);
      factor = 1;
    }
    if (log > scale_) {
      sum_ *= std::exp(scale_ - log);
      scale_ = log;
    }
    sum_ += factor * std::exp(log - scale_);
  }
  [[nodiscard]] double log() const { return sum_ == 0 ? kMinusInfinity : scale_ + std::log(sum_); }

 private:
  double scale_ = kMinusInfinity;
  double sum_ = 0;
};

// The integral over y for the first m words, K <= m having the law log_counts (m of them, some -infinity).
class Integral {
 public:
  Integral(std::span<const double> distances, const TruncatedGumbelLaw& noise, std::vector<double> log_counts)
      : distances_(distances),
        noise_(noise),
        low_(std::exp(-noise.cut / noise.scale)),
        log_mass_(std::log(-std::expm1(-2 * std::sinh(noise.cut / noise.scale)))),
        log_counts_(std::move(log_counts)),
        log_at_least_(log_counts_),
        growth_(distances.size()),
        hazards_(distances.size()),
        log_shares_(distances.size()),
        sums_(distances.size()) {
    for (std::size_t k = log_counts_.size() - 1; k-- > 0;) {
      log_at_least_[k] = log_add(log_at_least_[k], log_at_least_[k + 1]);
    }
    for (std::size_t i = 0; i < growth_.size(); ++i) growth_[i] = std::expm1(distances_[i] / noise_.scale);
  }

  std::vector<double> log_law() {
    const double steepness = 1 / (low_ * noise_.scale);  // of ln f at the kink, where it is largest
    // Below this y even the nearest word has a z above `least`, and word i one above least * exp(d_i / b):
    // its part of the integral is at most exp(-z), which is nothing beside its probability, at least exp(-n
    // (d_i / b + 1)) times P(K).
    const double least = 750 + 3 * static_cast<double>(distances_.size());
    double y = std::max(-noise_.cut, noise_.cut - noise_.scale * std::log1p(least / low_));
    while (y < noise_.cut && !is_complete()) {
      while (active_ < distances_.size() && distances_[active_] - noise_.cut <= y) ++active_;
      const double end = active_ < distances_.size() ? distances_[active_] - noise_.cut : noise_.cut;
      const Step step = next_step(y, end);
      for (const Node& node : nodes_for(step.length * std::max(step.rate, steepness))) {
        add_node(y + step.length * node.place, step.length * node.weight);
      }
      y = step.length < end - y ? y + step.length : end;
    }
    std::vector<double> law;
    for (const WideSum& sum : sums_) law.push_back(sum.log());
    return law;
  }

 private:
  struct Step {
    double length;
    double rate;
  };

  // From y towards `end`, short enough that the noise's shape (scale b) and the product of the S (whose
  // logarithm has slope -rate, steepest at the right end) are resolved by 12 nodes to 1e-12. A density that
  // grows more steeply than that on its left end is under way to values beside which the step is nothing.
  Step next_step(double y, double end) const {
    constexpr double kMostChange = 8;
    // In equal parts: a sliver of 1e-16 left over at the end would have its nodes on the zero of S there.
    double length = (end - y) / std::ceil((end - y) / (noise_.scale / 4));
    double rate = rate_at(y + length);
    while (length * rate > kMostChange) {
      length /= 2;
      rate = rate_at(y + length);
    }
    return {length, rate};
  }

  // z of the active word i at y, from the growth expm1((C - y)/b): without cancellation, as both are >= 0.
  [[nodiscard]] double height(double grown, std::size_t i) const {
    return low_ * (grown + growth_[i] + grown * growth_[i]);
  }
  [[nodiscard]] double growth_at(double y) const { return std::expm1((noise_.cut - y) / noise_.scale); }

  // Without the nearest word, whose S has a zero, not a decay, at the end of the range.
  [[nodiscard]] double rate_at(double y) const {
    const double grown = growth_at(y);
    double rate = 0;
    for (std::size_t i = 1; i < active_; ++i) {
      const double z = height(grown, i);
      rate += (low_ + z) / power_less_one(z);
    }
    return rate / noise_.scale;
  }

  void add_node(double y, double weight) {
    const double grown = growth_at(y);
    double log_product = 0;  // of the S of the words so far, as exp(log_product) * product
    double product = 1;
    for (std::size_t i = 0; i < active_; ++i) {
      const double z = height(grown, i);
      const double power = power_less_one(z);
      hazards_[i] = (low_ + z) / (noise_.scale * power);
      product /= 1 + 1 / power;
      const bool is_asked = i + 1 == active_ || log_counts_[i] > kMinusInfinity;
      if (is_asked || product < 1e-150) {
        log_product += std::log(product);
        product = 1;
      }
      log_shares_[i] = log_product - static_cast<double>(i + 1) * log_mass_;
    }
    // From products to sums of P(K = k) * product over k >= rank; words not yet active have S = 1.
    log_shares_[active_ - 1] += log_at_least_[active_ - 1];
    for (std::size_t i = active_ - 1; i-- > 0;) {
      log_shares_[i] = log_counts_[i] > kMinusInfinity
                           ? log_add(log_counts_[i] + log_shares_[i], log_shares_[i + 1])
                           : log_shares_[i + 1];
    }
    for (std::size_t i = 0; i < active_; ++i) sums_[i].add(log_shares_[i], weight * hazards_[i]);
  }

  // What is left of a word's integral beyond y is at most its log_shares_ at y.
  [[nodiscard]] bool is_complete() const {
    if (active_ < distances_.size()) return false;
    for (std::size_t i = 0; i < active_; ++i) {
      if (!(log_shares_[i] < sums_[i].log() + kNegligible)) return false;
    }
    return true;
  }

  std::span<const double> distances_;
  TruncatedGumbelLaw noise_;
  double low_;
  double log_mass_;
  std::vector<double> log_counts_;
  std::vector<double> log_at_least_;  // ln P(K >= k)
  std::vector<double> growth_;        // expm1(d_i / b)
  std::vector<double> hazards_;       // f / S
  std::vector<double> log_shares_;
  std::vector<WideSum> sums_;
  std::size_t active_ = 0;
};

// How many of the K < n can change a probability by e^-42 of itself, given those for K = n, which fall with
// the rank: as K = k adds at most P(K = k) to the words of rank <= k, the others are left out.
std::size_t count_needed(std::span<const double> log_few, std::span<const double> log_law) {
  std::size_t needed = log_few.size();
  double log_beyond = kMinusInfinity;  // ln P(needed <= K < n)
  while (needed > 1) {
    log_beyond = log_add(log_beyond, log_few[needed - 1]);
    if (log_beyond > log_law[needed - 1] + kNegligible) break;
    --needed;
  }
  return needed;
}

}  // namespace

std::vector<double> truncated_gumbel_log_law(std::span<const double> distances,
                                             const TruncatedGumbelLaw& noise, const CandidateCount& count) {
  // K = n by itself, and the few nearest words for all smaller K: apart, only the first has n kinks.
  std::vector<double> only_all(distances.size(), kMinusInfinity);
  only_all.back() = count.log_all();
  std::vector<double> law = Integral(distances, noise, std::move(only_all)).log_law();
  const std::span<const double> few = count.log_few().first(count_needed(count.log_few(), law));
  const std::vector<double> near =
      Integral(distances.first(few.size()), noise, {few.begin(), few.end()}).log_law();
  for (std::size_t i = 0; i < near.size(); ++i) law[i] = log_add(law[i], near[i]);
  return law;
}

}  // namespace sotto

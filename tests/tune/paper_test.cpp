// Algorithm 2 of vickrey-2021, against an example that can be worked out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tune/tune.h"
#include "tune/tune_support.h"

namespace sotto {
namespace {

using test::bench_of;
using test::tuned_model;

// Two words at distance 1 and a uniform prior. The mechanism is a binary symmetric channel, which flips the
// word with probability q(epsilon, t), so L = q and E (eq. 4) = 2 q (1 - q). q by the middle of 20,000 equal
// parts of the noise, from its formula.
double flip(double epsilon, double t) {
  constexpr int kParts = 20'000;
  double sum = 0;
  for (int i = 0; i < kParts; ++i) {
    const double u = (i + 0.5) / kParts;
    const double z = u < 0.5 ? std::log(2 * u) / epsilon : -std::log(2 * (1 - u)) / epsilon;
    const double own = std::abs(z);
    const double other = std::abs(z - 1);
    const double first = std::min(own, other);
    const double second = std::max(own, other);
    const double takes_first = (1 - t) * second / (t * first + (1 - t) * second);
    sum += other < own ? takes_first : 1 - takes_first;
  }
  return sum / kParts;
}

// The standard deviation of L is at most 0.0014 with these draws.
TuneBench two_words() {
  const auto model = test::line_model({0, 1});
  return {model, {.prior = uniform_prior(*model), .draws = 131'072, .seed = 5}};
}

const TunePoint& chosen_of(const TuneResult& answer) {
  return answer.points.at(answer.choice.recommended.value());
}

// q(1, 0) = .303 and q(2, 0) = .184 are at least .149; q(4, 0) = .068 is below. At epsilon 4 q grows with t
// and stays below 1/2 where it is allowed: the largest t with q <= .149 wins. q(4, .35) = .141, q(4, .4) =
// .156: both are five standard deviations away, so that a wrong choice has probability below 1e-6.
TEST(TunePaper, ChoosesAsByHand) {
  ASSERT_GT(flip(2, 0), 0.18);
  ASSERT_LT(flip(4, 0), 0.07);
  ASSERT_NEAR(flip(4, 0.35), 0.1414, 1e-3);
  ASSERT_NEAR(flip(4, 0.4), 0.1561, 1e-3);
  TuneBench bench = two_words();
  const TuneResult answer = tune_as_printed(bench, {.max_loss = 0.149}, nullptr, {});
  const TunePoint& chosen = chosen_of(answer);
  EXPECT_EQ(chosen.candidate.line(), "vickrey --epsilon 4 --t 0.35");
  EXPECT_EQ(answer.points.size(), 2U + 21U);
  const double q = flip(4, 0.35);
  const PrintedTradeoff printed = printed_tradeoff(chosen, UtilityLoss::changed).value();
  EXPECT_NEAR(printed.loss, q, 0.006);
  EXPECT_NEAR(printed.error, 2 * q * (1 - q), 0.009);
  const Bounds posterior = chosen.bounds("e_post").value();
  EXPECT_LE(posterior.low, 2 * q * (1 - q));
  EXPECT_GE(posterior.high, 2 * q * (1 - q));
}

// With a generous C epsilon is never doubled, and the largest E is not at the largest t: E is largest where q
// is nearest to 1/2, at t = .85 (q = .5075); the next best, t = .8, has q = .462.
TEST(TunePaper, TheLargestErrorIsNotAtTheLargestT) {
  ASSERT_NEAR(flip(2, 0.85), 0.5075, 1e-3);
  ASSERT_LT(flip(2, 0.8), 0.463);
  ASSERT_GT(flip(2, 0.9), 0.565);
  TuneBench bench = two_words();
  const TuneResult answer = tune_as_printed(bench, {.max_loss = 0.9, .first_epsilon = 2}, nullptr, {});
  EXPECT_EQ(chosen_of(answer).candidate.line(), "vickrey --epsilon 2 --t 0.85");
  EXPECT_EQ(answer.points.size(), 21U);
}

// It decides on estimates, whatever their intervals: points whose estimate of L is at most C count also if
// the interval reaches above C. At least one such point is here, so that the pessimistic end would decide
// otherwise.
TEST(TunePaper, FollowsTheAlgorithm) {
  TuneBench bench = bench_of(tuned_model());
  double most = 0.5;
  {  // a C just above the estimate of one of the points
    const TuneResult first = tune_as_printed(bench, {.max_loss = most, .first_epsilon = 0.25}, nullptr, {});
    most = printed_tradeoff(chosen_of(first), UtilityLoss::changed)->loss + 1e-6;
  }
  const TuneResult answer = tune_as_printed(bench, {.max_loss = most, .first_epsilon = 0.25}, nullptr, {});
  // All points with t = 0 but the last have too large a loss; those with t > 0 are at the last epsilon.
  double last = 0;
  for (const TunePoint& point : answer.points) last = std::max(last, point.nominal_epsilon);
  double largest = -1;
  std::size_t steps = 0;
  for (const TunePoint& point : answer.points) {
    const PrintedTradeoff own = printed_tradeoff(point, UtilityLoss::changed).value();
    if (point.nominal_epsilon < last) {
      EXPECT_EQ(point.candidate.parameters.at("t"), "0");
      EXPECT_GE(own.loss, most);
      continue;
    }
    ++steps;
    if (own.loss <= most) largest = std::max(largest, own.error);
  }
  EXPECT_EQ(steps, 21U);
  const TunePoint& chosen = chosen_of(answer);
  EXPECT_EQ(chosen.nominal_epsilon, last);
  const PrintedTradeoff printed = printed_tradeoff(chosen, UtilityLoss::changed).value();
  EXPECT_EQ(printed.error, largest);
  EXPECT_LE(printed.loss, most);
  EXPECT_GT(chosen.bounds("loss_changed")->high, most);
}

TEST(TunePaper, ExcludedInputsNeverKeepALossOfChange) {
  TuneBench bench = bench_of(tuned_model());
  const TuneResult answer =
      tune_as_printed(bench, {.max_loss = 0.5, .parameters = {{"exclude-input", "true"}}}, nullptr, {});
  EXPECT_FALSE(answer.choice.recommended);
  for (const TunePoint& point : answer.points) {
    EXPECT_EQ(point.status, Status::not_private);
    EXPECT_FALSE(point.certified_epsilon);
  }
}

// A C of 0 is never reached: the search ends all the same, and chooses nothing.
TEST(TunePaper, EndsWhereThePrintedLoopWouldNot) {
  const auto model = test::line_model({0, 1});
  TuneBench bench(model, {.prior = uniform_prior(*model), .draws = 4096, .seed = 5});
  const TuneResult answer = tune_as_printed(bench, {.max_loss = 0}, nullptr, {});
  EXPECT_FALSE(answer.choice.recommended);
  EXPECT_EQ(answer.points.size(), static_cast<std::size_t>(kMostDoublings) + 1);
}

}  // namespace
}  // namespace sotto

#include "tune/tune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "measure/brute_force.h"
#include "measure/law_sweep.h"
#include "measure/vector_adversary.h"
#include "mechanisms/build.h"
#include "sotto/measurement.h"
#include "tune/tune_support.h"

namespace sotto {
namespace {

using test::bench_of;
using test::error_of;
using test::tuned_model;

Labels two_labels(std::size_t words) {
  Labels labels{.names = {"a", "b"}, .of = std::vector<std::int32_t>(words), .labelled = words};
  for (std::size_t w = 0; w < words; ++w) labels.of[w] = static_cast<std::int32_t>(w % 3) - 1;
  return labels;
}

TEST(LawSweep, AgreesWithMeasure) {
  const auto model = tuned_model();
  const Prior prior = frequency_rank_prior(*model);
  const Labels labels = two_labels(model->size());
  const std::vector<Mechanism> mechanisms = {build_uncertified("tem", model, {{"epsilon", "2"}}),
                                             build_uncertified("tem", model, {{"epsilon", "5"}}),
                                             build_uncertified("uniform", model, {}),
                                             build_uncertified("redact", model, {})};
  const auto swept = sweep_laws(mechanisms, prior, &labels, {});
  ASSERT_EQ(swept.size(), mechanisms.size());
  for (std::size_t m = 0; m < mechanisms.size(); ++m) {
    const Measurement measured = measure(mechanisms[m],
                                         {.prior = prior,
                                          .labels = labels,
                                          .extent = MeasureQuestion::Extent::headline,
                                          .seed_not_private = 1},
                                         {});
    double parts = 0;
    for (const Quantity& quantity : swept[m]) {
      if (quantity.name == "loss_label" || quantity.name == "label_lost") parts += *quantity.value;
      if (quantity.name == "label_not_kept") {
        EXPECT_NEAR(*quantity.value, parts, 1e-9);
        continue;
      }
      const Quantity* other = measured.overall().find(quantity.name);
      ASSERT_NE(other, nullptr) << quantity.name;
      EXPECT_EQ(quantity.kind, other->kind) << quantity.name;
      EXPECT_NEAR(quantity.value.value_or(0), other->value.value_or(0), 1e-9) << m << quantity.name;
    }
  }
}

// On a line the law of laplace is known: between the middles of neighbouring words.
double laplace_e_opt(const std::vector<double>& places, const std::vector<double>& prior, double epsilon) {
  const auto below = [&](double x) {
    return x < 0 ? std::exp(epsilon * x) / 2 : 1 - std::exp(-epsilon * x) / 2;
  };
  double right = 0;
  for (std::size_t o = 0; o < places.size(); ++o) {
    double largest = 0;
    for (std::size_t w = 0; w < places.size(); ++w) {
      const double low = o == 0 ? 0 : below((places[o - 1] + places[o]) / 2 - places[w]);
      const double high = o + 1 == places.size() ? 1 : below((places[o] + places[o + 1]) / 2 - places[w]);
      largest = std::max(largest, prior[w] * (high - low));
    }
    right += largest;
  }
  return 1 - right;
}

// The interval of E_opt misses with probability at most 5%: of 60 intervals more than 14 with probability
// below 1e-6.
TEST(TuneBench, DrawsBracketTheTruth) {
  const auto model = test::line_model({0, 1, 2.5, 4});
  int misses = 0;
  for (std::uint64_t run = 0; run < 60; ++run) {
    TuneBench bench(model, {.prior = frequency_rank_prior(*model), .draws = 32'768, .seed = 7 + run});
    const char* const epsilon = std::array{"0.3", "1", "3"}[run % 3];
    const Candidate candidate{.mechanism = "laplace", .parameters = {{"epsilon", epsilon}}};
    const TuneResult answer = tune_candidates(bench, std::span(&candidate, 1), {}, nullptr, {});
    ASSERT_EQ(answer.points.size(), 1U);
    const Bounds bounds = answer.points[0].bounds("e_opt").value();
    const double truth =
        laplace_e_opt({0, 1, 2.5, 4}, bench.question().prior.weights, answer.points[0].nominal_epsilon);
    misses += bounds.low <= truth && truth <= bounds.high ? 0 : 1;
    EXPECT_LT(bounds.high - bounds.low, 0.05) << epsilon;
    EXPECT_NEAR((bounds.high + bounds.low) / 2, truth, 0.05) << epsilon;
  }
  EXPECT_LE(misses, 14);
  RecordProperty("misses", misses);
}

// With a uniform prior over all words, who sees the noisy vector guesses its nearest word: the output itself.
// Both intervals are at 95%; the seed is fixed.
TEST(VectorAdversary, IsLaplaceItselfUnderAUniformPrior) {
  const auto model = test::gaussian_model({.words = 60, .dim = 5});
  const Prior prior = uniform_prior(*model);
  const Quantity bound = vector_adversary(*model, prior, 3, RandomSource::seeded_not_private(2), {});
  TuneBench bench(model, {.prior = prior, .draws = 65'536, .seed = 5});
  const Candidate laplace{.mechanism = "laplace", .parameters = {{"epsilon", "3"}}};
  const TuneResult answer = tune_candidates(bench, std::span(&laplace, 1), {}, nullptr, {});
  const Bounds changed = answer.points[0].bounds("loss_changed").value();
  EXPECT_LT(bound.interval.low, changed.high);
  EXPECT_GT(bound.interval.high, changed.low);
  // More is known of the vector than of what vickrey writes.
  const Candidate vickrey{.mechanism = "vickrey", .parameters = {{"epsilon", "3"}, {"t", "0.5"}}};
  const TuneResult second = tune_candidates(bench, std::span(&vickrey, 1), {}, nullptr, {});
  EXPECT_GT(second.points[0].bounds("e_opt")->high, bound.interval.low);
}

TEST(Tune, RecommendsTheBestOfItsGridAndNearTheBestOfAll) {
  const auto model = tuned_model();
  TuneBench bench = bench_of(model);
  const Constraints constraints{.max_loss = 0.4};
  const TuneResult answer = tune(bench, {.mechanisms = {"tem", "uniform"}}, constraints, nullptr, {});
  ASSERT_TRUE(answer.choice.recommended);
  const TunePoint& chosen = answer.points[*answer.choice.recommended];
  const double error = tradeoff_of(chosen, UtilityLoss::changed)->error.low;
  for (const TunePoint& point : answer.points) {
    if (keeps(point, UtilityLoss::changed, constraints)) {
      EXPECT_LE(tradeoff_of(point, UtilityLoss::changed)->error.low, error);
    }
  }
  // Every epsilon in steps of 1%, exhaustively: the refinement stops at 2%, and E_opt moves less than .02
  // there.
  std::vector<Candidate> all;
  for (double epsilon = 0.1; epsilon < 50; epsilon *= 1.01) {
    all.push_back({.mechanism = "tem", .parameters = {{"epsilon", number_text(epsilon)}}});
  }
  const TuneResult exhaustive = tune_candidates(bench, all, constraints, nullptr, {});
  ASSERT_TRUE(exhaustive.choice.recommended);
  const double best =
      tradeoff_of(exhaustive.points[*exhaustive.choice.recommended], UtilityLoss::changed)->error.low;
  EXPECT_GT(error, best - 0.02);
  EXPECT_LT(error, best + 0.02);
}

TEST(Tune, BothWaysOfAskingMeet) {
  const auto model = tuned_model();
  TuneBench bench = bench_of(model);
  const TuneScope scope{.mechanisms = {"tem"}};
  const TuneResult by_loss = tune(bench, scope, {.max_loss = 0.4}, nullptr, {});
  ASSERT_TRUE(by_loss.choice.recommended);
  const TunePoint& first = by_loss.points[*by_loss.choice.recommended];
  const double error = first.bounds("e_opt")->low;
  const TuneResult by_error = tune(bench, scope, {.min_inference_error = error - 1e-9}, nullptr, {});
  ASSERT_TRUE(by_error.choice.recommended);
  EXPECT_NEAR(by_error.points[*by_error.choice.recommended].bounds("loss_changed")->high, 0.4, 0.02);
  const TuneResult by_epsilon = tune(bench, scope, {.max_certified_epsilon = 1.5}, nullptr, {});
  ASSERT_TRUE(by_epsilon.choice.recommended);
  const double epsilon = by_epsilon.points[*by_epsilon.choice.recommended].certified_epsilon.value();
  EXPECT_LE(epsilon, 1.5);
  EXPECT_GT(epsilon, 1.5 * 0.95);
}

TEST(Tune, ImpossibleConstraintsNameTheNearest) {
  TuneBench bench = bench_of(tuned_model());
  const double ceiling = bench.question().prior.constant_guess();
  const TuneResult answer =
      tune(bench, {.mechanisms = {"tem", "uniform"}}, {.min_inference_error = ceiling + 0.01}, nullptr, {});
  EXPECT_FALSE(answer.choice.recommended);
  ASSERT_TRUE(answer.choice.nearest);
  EXPECT_NEAR(answer.points[*answer.choice.nearest].bounds("e_opt")->low, ceiling, 1e-9);
}

TEST(Tune, DefaultScopeIsTheProvenMechanisms) {
  TuneBench bench = bench_of(tuned_model());
  const TuneResult answer = tune(bench, {}, {.max_loss = 0.5}, nullptr, {});
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(answer.points,
                               [&](const TunePoint& point) { return point.candidate.mechanism == name; });
  };
  for (const char* name :
       {"tem", "laplace", "mahalanobis", "vickrey", "gumbel-topk", "uniform", "redact", "identity"}) {
    EXPECT_TRUE(has(name)) << name;
  }
  EXPECT_FALSE(has("truncated-gumbel"));
  ASSERT_EQ(answer.skipped.size(), 1U);
  EXPECT_EQ(answer.skipped[0].candidate.mechanism, "hyperbolic");
  for (const std::size_t index : answer.frontier) EXPECT_EQ(answer.points[index].status, Status::proven);
  // What releases vectors, and what is refuted: refused before anything is measured.
  for (const char* name : {"privemb", "truncated-gumbel"}) {
    EXPECT_EQ(error_of([&] {
                (void)tune(bench, {.mechanisms = {"tem", name}}, {}, nullptr, {});
              }),
              ErrorCode::usage)
        << name;
  }
}

TEST(Tune, DoesNotDependOnThreads) {
  const auto model = tuned_model();
  const TuneScope scope{.mechanisms = {"vickrey", "tem"}};
  TuneBench one = bench_of(model);
  TuneBench two = bench_of(model);
  const TuneResult a = tune(one, scope, {.max_loss = 0.5}, nullptr, {.threads = 1});
  const TuneResult b = tune(two, scope, {.max_loss = 0.5}, nullptr, {.threads = 3});
  ASSERT_EQ(a.points.size(), b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    EXPECT_EQ(a.points[i].bounds("e_opt")->low, b.points[i].bounds("e_opt")->low);
    EXPECT_EQ(a.points[i].bounds("loss_distance")->high, b.points[i].bounds("loss_distance")->high);
  }
}

TEST(Candidates, LinesAreMechanismsWithFlags) {
  const auto source = source_of_string(
      "# comment\n\nvickrey --t 0.5 --exclude-input --epsilon 1,2\r\nuniform\nvickrey\t--t 0,1,2 --epsilon "
      "2\n");
  const auto candidates = read_candidates(*source);
  ASSERT_EQ(candidates.size(), 4U);
  EXPECT_EQ(candidates[0].line(), "vickrey --epsilon 1 --exclude-input --t 0.5");
  EXPECT_EQ(candidates[1].family(), "vickrey, exclude-input, t 0.5");
  EXPECT_EQ(candidates[2].epsilon(), std::nullopt);
  EXPECT_EQ(candidates[3].parameters.at("t"), "0,1,2");
  for (const char* bad : {"", "nothing --epsilon 1", "tem", "tem --epsilon", "tem epsilon 1",
                          "tem --epsilon -1", "tem --epsilon 1 --t 0.5"}) {
    const auto wrong = source_of_string(bad);
    EXPECT_EQ(error_of([&] { (void)read_candidates(*wrong); }), ErrorCode::bad_data) << bad;
  }
}

}  // namespace
}  // namespace sotto

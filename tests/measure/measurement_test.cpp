#include "sotto/measurement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "brute_force.h"
#include "measure/bands.h"
#include "mechanisms/build.h"
#include "sotto/error.h"

namespace sotto {
namespace {

Labels two_labels(std::size_t words) {
  Labels labels{.names = {"a", "b"}, .of = std::vector<std::int32_t>(words)};
  for (std::size_t w = 0; w < words; ++w) labels.of[w] = static_cast<std::int32_t>(w % 2);
  labels.labelled = words;
  return labels;
}

MeasureQuestion request_of(const Mechanism& mechanism) {
  return {.prior = frequency_rank_prior(mechanism.space->model()),
          .labels = two_labels(mechanism.space->size()),
          .copies = 4,
          .draws = 20'000,
          .seed_not_private = 5};
}

double value_of(const Measurement& measurement, std::string_view name) {
  const Quantity* quantity = measurement.overall().find(name);
  if (quantity == nullptr || !quantity->value) throw Error(ErrorCode::internal, std::string(name));
  return *quantity->value;
}

// Every quantity has a meaning, and an interval that holds its value.
void expect_sound(const Measurement& measurement) {
  for (const BandMeasurement& band : measurement.bands) {
    EXPECT_GT(band.words, 0U);
    double ranks = 0;
    for (const RankShare& rank : band.ranks) ranks += rank.share;
    EXPECT_NEAR(ranks, band.ranks.empty() ? 0 : 1, 1e-9);
    for (const Quantity& quantity : band.quantities) {
      EXPECT_FALSE(quantity.meaning.empty()) << quantity.name;
      if (quantity.kind == QuantityKind::unavailable) continue;
      EXPECT_LE(quantity.interval.low, quantity.interval.high) << quantity.name;
      if (!quantity.value || quantity.name == "n_w" || quantity.name == "s_w") continue;
      EXPECT_LE(quantity.interval.low, *quantity.value) << quantity.name;
      EXPECT_GE(quantity.interval.high, *quantity.value) << quantity.name;
    }
  }
}

TEST(Measurement, ExactAgreesWithBruteForce) {
  const Mechanism mechanism = test::small_tem(120, "3");
  const MeasureQuestion request = request_of(mechanism);
  const Measurement measurement = measure(mechanism, request, {});
  expect_sound(measurement);
  EXPECT_TRUE(measurement.closed_law);
  EXPECT_NEAR(value_of(measurement, "e_opt"),
              test::brute_e_opt(mechanism, request.prior, test::Loss::zero_one), 1e-12);
  EXPECT_NEAR(value_of(measurement, "e_post_distance"),
              test::brute_e_post(mechanism, request.prior, test::Loss::distance), 1e-10);
  EXPECT_NEAR(value_of(measurement, "unchanged") + value_of(measurement, "loss_changed"), 1, 1e-12);
  EXPECT_LT(value_of(measurement, "e_opt_copies_4"), value_of(measurement, "e_opt_copies_1"));
  const Quantity& once = *measurement.overall().find("e_opt_copies_1");
  // The unbiased estimate of the same quantity; its 95% interval, widened to about 5 standard deviations.
  EXPECT_NEAR(*once.value, value_of(measurement, "e_opt"), 2.5 * (once.interval.high - *once.value));
  EXPECT_LE(value_of(measurement, "e_opt_label"), value_of(measurement, "constant_guess_label"));
  EXPECT_LE(value_of(measurement, "e_opt"), value_of(measurement, "constant_guess"));
}

TEST(Measurement, SamplesAgreeWithTheExactFigures) {
  const Mechanism mechanism = test::small_tem(60, "3");
  MeasureQuestion request = request_of(mechanism);
  const Measurement exact = measure(mechanism, request, {});
  request.method = MeasureQuestion::Method::samples;
  const Measurement sampled = measure(mechanism, request, {});
  expect_sound(sampled);
  EXPECT_FALSE(sampled.closed_law);
  for (const char* name : {"e_opt", "e_post", "e_opt_label"}) {
    const Quantity& bracket = *sampled.overall().find(name);
    EXPECT_EQ(bracket.kind, QuantityKind::bracket) << name;
    EXPECT_FALSE(bracket.value);
    EXPECT_LE(bracket.interval.low, value_of(exact, name));
    EXPECT_GE(bracket.interval.high, value_of(exact, name));
  }
  for (const char* name : {"unchanged", "loss_changed", "loss_distance", "loss_label", "label_lost"}) {
    const Quantity& quantity = *sampled.overall().find(name);
    // About 5 standard deviations: a false alarm in a million seeds.
    EXPECT_NEAR(*quantity.value, value_of(exact, name), 2.5 * (quantity.interval.high - *quantity.value))
        << name;
  }
}

TEST(Measurement, WithoutALawWordsAreBracketedAndDistancesUnavailable) {
  const auto model = test::gaussian_model({.words = 40, .dim = 4});
  const Mechanism mechanism = build_uncertified("laplace", model, {{"epsilon", "4"}});
  const Measurement measurement = measure(mechanism, request_of(mechanism), {});
  expect_sound(measurement);
  EXPECT_EQ(measurement.overall().find("e_opt")->kind, QuantityKind::bracket);
  EXPECT_EQ(measurement.overall().find("e_post")->kind, QuantityKind::bracket);
  for (const char* name : {"e_opt_distance", "e_post_distance", "e_opt_copies_4"}) {
    EXPECT_EQ(measurement.overall().find(name)->kind, QuantityKind::unavailable) << name;
  }
}

TEST(Measurement, SeededRunsDoNotDependOnThreads) {
  for (const char* name : {"tem", "laplace"}) {
    const auto model = test::gaussian_model({.words = 50, .dim = 4});
    const Mechanism mechanism = build_uncertified(name, model, {{"epsilon", "3"}});
    const MeasureQuestion request = request_of(mechanism);
    const Measurement one = measure(mechanism, request, {.threads = 1});
    const Measurement four = measure(mechanism, request, {.threads = 4});
    ASSERT_EQ(one.bands.size(), four.bands.size());
    for (std::size_t b = 0; b < one.bands.size(); ++b) {
      ASSERT_EQ(one.bands[b].quantities.size(), four.bands[b].quantities.size());
      for (std::size_t i = 0; i < one.bands[b].quantities.size(); ++i) {
        EXPECT_EQ(one.bands[b].quantities[i].value, four.bands[b].quantities[i].value);
        EXPECT_EQ(one.bands[b].quantities[i].interval.low, four.bands[b].quantities[i].interval.low);
      }
    }
  }
}

TEST(Measurement, OneTextForAllIsTheConstantGuess) {
  const auto model = test::gaussian_model({.words = 30, .dim = 3});
  const Mechanism redact = build_uncertified("redact", model, {});
  const Measurement measurement = measure(redact, request_of(redact), {});
  expect_sound(measurement);
  EXPECT_NEAR(value_of(measurement, "e_opt"), value_of(measurement, "constant_guess"), 1e-12);
  EXPECT_NEAR(value_of(measurement, "e_opt_copies_4"), value_of(measurement, "constant_guess"), 1e-9);
  EXPECT_EQ(value_of(measurement, "unchanged"), 0);
  EXPECT_EQ(value_of(measurement, "label_lost"), 1);
}

TEST(Measurement, HeadlineLeavesOutTheRest) {
  const Mechanism mechanism = test::small_tem(40, "2");
  MeasureQuestion request = request_of(mechanism);
  request.extent = MeasureQuestion::Extent::headline;
  const Measurement measurement = measure(mechanism, request, {});
  EXPECT_NE(measurement.overall().find("e_opt"), nullptr);
  for (const char* name : {"e_opt_distance", "e_opt_copies_1", "n_w"}) {
    EXPECT_EQ(measurement.overall().find(name), nullptr) << name;
  }
}

// Bands of density split the same figures: their means, weighted by the prior, are those of all words; N_w
// and E_opt of a band are worked out here from the rows of the law.
TEST(Measurement, BandsOfDensityAddUp) {
  const Mechanism mechanism = test::small_tem(120, "3");
  MeasureQuestion request = request_of(mechanism);
  request.bands = BandsBy::density;
  const Measurement measurement = measure(mechanism, request, {});
  expect_sound(measurement);
  ASSERT_EQ(measurement.bands.size(), 6U);
  const Bands bands = density_bands(*mechanism.space, request.prior, {});
  const std::size_t n = mechanism.space->size();
  std::vector<double> largest(n);
  std::vector<std::size_t> guess(n);
  std::vector<double> stays(n);
  for (std::size_t w = 0; w < n; ++w) {
    const std::vector<double> law = mechanism.words->log_law(word_id(w)).value();
    stays[w] = std::exp(law[w]);
    for (std::size_t o = 0; o < n; ++o) {
      const double joint = request.prior.weights[w] * std::exp(law[o]);
      if (joint > largest[o]) {
        largest[o] = joint;
        guess[o] = w;
      }
    }
  }
  double distance = 0;
  double last = 0;
  for (std::size_t b = 0; b < 5; ++b) {
    const BandMeasurement& band = measurement.bands[b + 1];
    EXPECT_EQ(band.name, bands.names[b]);
    EXPECT_EQ(band.words, 24U);
    double right = 0;
    double kept = 0;
    for (std::size_t o = 0; o < n; ++o) right += bands.of[guess[o]] == b ? largest[o] : 0;
    for (std::size_t w = 0; w < n; ++w) kept += bands.of[w] == b ? stays[w] : 0;
    EXPECT_NEAR(*band.find("e_opt")->value, 1 - right / band.prior, 1e-9);
    EXPECT_NEAR(*band.find("n_w")->value, kept / 24, 1e-9);
    distance += band.prior * *band.find("loss_distance")->value;
    const Quantity& neighbour = *band.find("neighbour_distance");
    EXPECT_GE(neighbour.interval.low, last);
    last = neighbour.interval.high;
  }
  EXPECT_NEAR(distance, value_of(measurement, "loss_distance"), 1e-9);
}

// From draws: N_w of some words of each band, with an interval that reaches the exact mean of the band within
// five times its half width (the words differ, too).
TEST(Measurement, BandsOfDensityFromDraws) {
  const Mechanism mechanism = test::small_tem(120, "3");
  MeasureQuestion request = request_of(mechanism);
  request.bands = BandsBy::density;
  const Measurement exact = measure(mechanism, request, {});
  request.method = MeasureQuestion::Method::samples;
  const Measurement drawn = measure(mechanism, request, {});
  expect_sound(drawn);
  ASSERT_EQ(drawn.bands.size(), 6U);
  for (std::size_t b = 1; b < 6; ++b) {
    const Quantity* sampled = drawn.bands[b].find("n_w");
    ASSERT_NE(sampled, nullptr);
    EXPECT_NEAR(*sampled->value, *exact.bands[b].find("n_w")->value,
                5 * (sampled->interval.high - sampled->interval.low) / 2 + 0.02);
    EXPECT_EQ(*drawn.bands[b].find("neighbour_distance")->value,
              *exact.bands[b].find("neighbour_distance")->value);
  }
}

}  // namespace
}  // namespace sotto

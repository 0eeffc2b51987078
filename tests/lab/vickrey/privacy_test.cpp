#include "lab/vickrey/privacy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/vickrey/noisy_outputs.h"
#include "lab/vickrey/results.h"
#include "lab/vickrey/world.h"
#include "sotto/certificate.h"

namespace sotto::lab::vickrey {
namespace {

constexpr std::size_t kSize = 4;
constexpr double kPlaces[kSize] = {0, 1, 2.5, 4};
using Law = std::array<std::array<double, kSize>, kSize>;  // [input][output]

// The law of vickrey on a line by a fine sum over the noisy place: the definition, without our search.
Law law_on_a_line(double epsilon, double t) {
  Law law{};
  constexpr double kStep = 1e-3;
  for (std::size_t w = 0; w < kSize; ++w) {
    double total = 0;
    for (double x = -40; x < 45; x += kStep) {
      const double weight = std::exp(-epsilon * std::abs(x - kPlaces[w]));
      std::size_t first = 0;
      for (std::size_t y = 1; y < kSize; ++y) {
        if (std::abs(x - kPlaces[y]) < std::abs(x - kPlaces[first])) first = y;
      }
      std::size_t second = first == 0 ? 1 : 0;
      for (std::size_t y = 0; y < kSize; ++y) {
        if (y != first && std::abs(x - kPlaces[y]) < std::abs(x - kPlaces[second])) second = y;
      }
      const double near = t * std::abs(x - kPlaces[first]);
      const double far = (1 - t) * std::abs(x - kPlaces[second]);
      const double p = near + far > 0 ? far / (near + far) : 1 - t;
      law[w][first] += weight * p;
      law[w][second] += weight * (1 - p);
      total += weight;
    }
    for (double& value : law[w]) value /= total;
  }
  return law;
}

// Eq. 4 word by word, and E_opt, for a uniform prior.
struct Errors {
  double posterior = 0;
  double best = 1;
};
Errors brute_force(const Law& law) {
  Errors out;
  constexpr double kPrior = 1.0 / kSize;
  for (std::size_t o = 0; o < kSize; ++o) {
    double seen = 0;
    double largest = 0;
    for (std::size_t w = 0; w < kSize; ++w) {
      seen += kPrior * law[w][o];
      largest = std::max(largest, kPrior * law[w][o]);
    }
    for (std::size_t w = 0; w < kSize; ++w) {
      for (std::size_t guess = 0; guess < kSize; ++guess) {
        if (guess != w) out.posterior += kPrior * law[w][o] * kPrior * law[guess][o] / seen;
      }
    }
    out.best -= largest;
  }
  return out;
}

std::shared_ptr<const Model> line() {
  return Model::from_words({"wa", "wb", "wc", "wd"}, {0, 1, 2.5, 4}, 1);
}

TEST(NoisyOutputs, HasTheLawOfTheSpecification) {
  // docs/specification.md section 3: row 0 at epsilon 1, t = .5.
  const Law law = law_on_a_line(1, 0.5);
  const double expected[kSize] = {0.553011, 0.354974, 0.072863, 0.019152};
  for (std::size_t o = 0; o < kSize; ++o) EXPECT_NEAR(law[0][o], expected[o], 1e-4);
  const Group group{.series = {{.name = "half", .rule = {.choice = Rule::Choice::two, .t = 0.5}}}};
  constexpr std::size_t kDraws = 100'000;
  const std::vector<WordId> in(kDraws, word_id(0));
  const auto out = NoisyOutputs(line(), group, 1).draw(in, RandomSource::seeded_not_private(1), 2);
  for (std::size_t o = 0; o < kSize; ++o) {
    const auto count = static_cast<double>(std::ranges::count(out[0], word_id(o)));
    // Five standard deviations: a false alarm in 400,000 tests of four counts.
    EXPECT_NEAR(count / kDraws, expected[o], 5 * std::sqrt(expected[o] * (1 - expected[o]) / kDraws));
  }
}

TEST(NoisyOutputs, WritesWhatTheMechanismsWrite) {
  const SmallWorld world;
  const auto model = Model::open(world.path() / "m.sotto");
  std::vector<WordId> in;
  for (std::size_t i = 0; i < 3000; ++i) in.push_back(word_id(i % model->size()));
  const std::vector<Group> all = groups(Curves::all);
  for (const Group& group : all) {
    const ParameterTexts texts =
        group.noise.lambda ? ParameterTexts{{"epsilon", "2"}, {"lambda", number_text(*group.noise.lambda)}}
                           : ParameterTexts{{"epsilon", "2"}};
    const CertifiedMechanism built =
        build_mechanism(group.noise.lambda ? "mahalanobis" : "laplace", model, texts, {});
    std::vector<WordId> expected(in.size());
    Rng rng = Rng::seeded_not_private(7);
    built.mechanism.words->sample_batch(in, expected, rng);
    const NoisyOutputs outputs(model, group, 2);
    const auto drawn = outputs.draw(in, RandomSource::seeded_not_private(7), 1);
    EXPECT_EQ(drawn[0], expected) << group.noise.name();
    EXPECT_NEAR(outputs.certified_epsilon(), 2 * built.mechanism.claim.stretch, 1e-9);
    for (std::size_t s = 0; s < group.series.size(); ++s) {
      if (group.series[s].rule.input == Rule::Input::candidate) continue;
      for (std::size_t i = 0; i < in.size(); ++i) ASSERT_NE(drawn[s][i], in[i]) << group.series[s].name;
    }
  }
  // t = 1 always takes the second.
  const auto drawn = NoisyOutputs(model, all.front(), 2).draw(in, RandomSource::seeded_not_private(7), 1);
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(all.front().series, name, &Series::name) -
                                    all.front().series.begin());
  };
  EXPECT_EQ(drawn[index(series_of_t(1))], drawn[index(series_of_rank(2))]);
}

TEST(VickreyPrivacy, IntervalsHoldTheExactErrors) {
  const SmallWorld world;
  const lab::Run run(world.request("out"), "vickrey", {});
  const Group group{.series = {{.name = "laplace"},
                               {.name = "half", .rule = {.choice = Rule::Choice::two, .t = 0.5}},
                               {.name = "second", .rule = {.rank = 2}}}};
  Points privacy = run.points("privacy", privacy_layout());
  const Subject subject{.data = "line", .vectors = "line", .model = line(), .prior = uniform_prior(*line())};
  measure_privacy(run, subject, {.groups = {group}, .epsilons = {0.5, 2}, .draws = 5000}, privacy);
  for (const auto& [series, t] :
       {std::pair("laplace", 0.0), std::pair("half", 0.5), std::pair("second", 1.0)}) {
    for (const double epsilon : {0.5, 2.0}) {
      const Errors exact = brute_force(law_on_a_line(epsilon, t));
      const auto row = privacy.find(std::vector<std::string>{"line", "line", series, number_text(epsilon)});
      ASSERT_TRUE(row);
      const auto cell = [&](const char* column) { return row->values[privacy.value(column)]; };
      // Each end is wrong with probability 2.5%; the seed is fixed, and 6 points were looked at.
      EXPECT_LE(cell("e_opt_low"), exact.best);
      EXPECT_GE(cell("e_opt_high"), exact.best);
      EXPECT_LE(cell("e_m_low"), exact.posterior);
      EXPECT_GE(cell("e_m_high"), exact.posterior);
      // The bounds of docs/specification.md section 9 are there, and not looser.
      EXPECT_GE(cell("e_m_low"), cell("e_opt_low"));
      EXPECT_LE(cell("e_m_high"), std::min(1.0, 2 * cell("e_opt_high")));
      EXPECT_LE(exact.best, exact.posterior);
      EXPECT_LE(exact.posterior, std::min(1.0, 2 * exact.best));
      // With four words the bias of the plug-in is small: five standard deviations of 20,000 and 5,000 draws.
      EXPECT_NEAR(cell("e_m_plug_in_4n"), exact.posterior, 0.02);
      EXPECT_NEAR(cell("e_m_plug_in_n"), exact.posterior, 0.04);
    }
  }
}

TEST(VickreyResults, LaplaceIsReadAtEqualError) {
  const auto at = [](double epsilon, double error, double loss) {
    return Result{.epsilon = epsilon,
                  .certified_epsilon = epsilon,
                  .error = {.low = error - 0.1, .high = error},
                  .posterior = {},
                  .posterior_first = 0,
                  .loss = {.value = loss, .interval = {}}};
  };
  const std::vector<Result> curve = {at(1, 0.9, 0.5), at(2, 0.5, 0.3), at(4, 0.1, 0.1)};
  const auto found = at_equal_error(curve, &Bounds::high, 0.3);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->loss, 0.2, 1e-12);
  EXPECT_NEAR(found->epsilon, 3, 1e-12);
  EXPECT_NEAR(at_equal_error(curve, &Bounds::low, 0.3)->loss, 0.25, 1e-12);
  EXPECT_FALSE(at_equal_error(curve, &Bounds::high, 0.95));
  EXPECT_FALSE(at_equal_error(curve, &Bounds::high, 0.05));
  // Two points without error: the line starts at the nearer one, in whatever order they are given.
  for (const double last : {8.0, 3.0}) {
    const std::vector<Result> flat = {at(2, 0.5, 0.3), at(11 - last, 0, 0.1), at(last, 0, 0.05)};
    EXPECT_NEAR(at_equal_error(flat, &Bounds::high, 0.25)->epsilon, 2.5, 1e-12);
  }
}

}  // namespace
}  // namespace sotto::lab::vickrey

#include <gtest/gtest.h>

#include <cmath>

#include "core/samplers.h"
#include "core/uniform.h"
#include "mechanisms/build.h"
#include "sotto/mechanism.h"
#include "support/models.h"
#include "support/sampling.h"

namespace sotto {
namespace {

// P(flip) of two words on a line with epsilon * D = 1 is e^-0.5 / 2. The ball variant, whose direction is
// drawn in the ball instead of on the sphere, flips with probability 0.163322.
constexpr double kFlip = 0.30326532985631671;
constexpr double kBallFlip = 0.163322;

double flip_score(double flips, double draws) {
  return std::abs(flips - draws * kFlip) / std::sqrt(draws * kFlip * (1 - kFlip));
}

TEST(Laplace, TwoWordsOnALine) {
  const Mechanism laplace = build_uncertified("laplace", test::line_model({0, 2}), {{"epsilon", "0.5"}});
  Rng rng = Rng::seeded_not_private(5);
  const auto counts = test::sample_counts(*laplace.words, word_id(0), 2, 400000, rng);
  EXPECT_LT(flip_score(static_cast<double>(counts[1]), 400000), 6);  // false-alarm rate 2e-9
}

TEST(Laplace, TheBallVariantFailsTheSameTest) {
  Rng rng = Rng::seeded_not_private(6);
  double flips = 0;
  for (int i = 0; i < 400000; ++i) {
    const double inside = 2 * uniform_open(rng) - 1;  // the "ball" of one dimension
    flips += 2 * gamma(rng, 1) * inside > 1 ? 1 : 0;
  }
  EXPECT_NEAR(flips / 400000, kBallFlip, 0.004);
  EXPECT_GT(flip_score(flips, 400000), 6);
}

// Many words on a line: the law is a difference of the Laplace CDF at the midpoints.
TEST(Laplace, SeveralWordsOnALine) {
  const std::vector<float> places = {0, 1, 2.5F, 4};
  const double epsilon = 0.8;
  const Mechanism laplace = build_uncertified("madlib", test::line_model(places), {{"epsilon", "0.8"}});
  Rng rng = Rng::seeded_not_private(7);
  for (std::size_t w = 0; w < places.size(); ++w) {
    const auto cdf = [&](double x) {
      const double z = epsilon * (x - places[w]);
      return z < 0 ? std::exp(z) / 2 : 1 - std::exp(-z) / 2;
    };
    std::vector<double> law;
    double before = 0;
    for (std::size_t y = 0; y < places.size(); ++y) {
      const double after = y + 1 < places.size() ? cdf((places[y] + places[y + 1]) / 2.0) : 1;
      law.push_back(after - before);
      before = after;
    }
    const auto counts = test::sample_counts(*laplace.words, word_id(w), places.size(), 400000, rng);
    EXPECT_GT(test::fit(counts, law), test::kFalseAlarm) << w;
  }
}

// In three dimensions the first coordinate of a uniform direction is uniform on [-1, 1], so with h half the
// distance P(flip) = E[max(0, (1 - h/R) / 2)], integrated here over the radius R ~ Gamma(3, 1).
TEST(Laplace, TwoWordsInThreeDimensions) {
  const auto model = Model::from_words({"near", "far"}, {0, 0, 0, 2, 0, 0}, 3);
  const Mechanism laplace = build_uncertified("laplace", model, {{"epsilon", "1"}});
  const double h = 1;  // half the distance
  double flip = 0;
  const double step = 1e-4;
  for (int i = 0; i < 590000; ++i) {
    const double r = h + (i + 0.5) * step;
    flip += step * r * r * std::exp(-r) / 2 * (1 - h / r) / 2;
  }
  Rng rng = Rng::seeded_not_private(8);
  const auto counts = test::sample_counts(*laplace.words, word_id(0), 2, 400000, rng);
  const double flips = static_cast<double>(counts[1]);
  EXPECT_LT(std::abs(flips - 400000 * flip) / std::sqrt(400000 * flip * (1 - flip)), 6);
}

TEST(Laplace, HasNoClosedFormLaw) {
  const Mechanism laplace = build_uncertified("laplace", test::line_model({0, 2}), {{"epsilon", "1"}});
  EXPECT_FALSE(laplace.words->log_law(word_id(0)).has_value());
}

}  // namespace
}  // namespace sotto

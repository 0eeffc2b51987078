#include "mechanisms/gumbel/truncated_gumbel.h"

#include "gumbel_support.h"
#include "mechanisms/build.h"
#include "mechanisms/gumbel/truncated_gumbel_law.h"
#include "support/sampling.h"

namespace sotto {
namespace {

using ::testing::HasSubstr;

// The noise, written out.
struct Noise {
  double scale;
  double cut;
  [[nodiscard]] double g(double x) const { return std::exp(-std::exp(-x / scale)); }
  [[nodiscard]] double survival(double x) const {
    if (x <= -cut) return 1;
    if (x >= cut) return 0;
    return (g(cut) - g(x)) / (g(cut) - g(-cut));
  }
  [[nodiscard]] double quantile(double u) const {
    return -scale * std::log(-std::log(g(-cut) + u * (g(cut) - g(-cut))));
  }
};

// An independent slow reference: enumeration over K, and for each the probability that candidate j wins by
// midpoints over v, the noise of j being its quantile at u(v), which is flat at both ends, where the action
// is. No density, no kinks, no logarithms of products.
std::vector<double> integrated(const std::vector<double>& distances, const Noise& noise, double mean,
                               std::size_t points) {
  const std::size_t n = distances.size();
  const std::vector<double> counts = test::count_law(n, mean);
  std::vector<double> law(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < points; ++i) {
      const double v = (static_cast<double>(i) + 0.5) / static_cast<double>(points);
      const double y = distances[j] + noise.quantile(v * v * v * (10 - 15 * v + 6 * v * v));
      double product = 1;
      double wins = 0;
      for (std::size_t k = 1; k <= n; ++k) {
        if (k - 1 != j) product *= noise.survival(y - distances[k - 1]);
        if (k - 1 >= j) wins += counts[k - 1] * product;
      }
      law[j] += wins * 30 * v * v * (1 - v) * (1 - v) / static_cast<double>(points);
    }
  }
  return law;
}

std::vector<double> computed(const std::vector<double>& distances, const Noise& noise, double mean) {
  return truncated_gumbel_log_law(distances, {.scale = noise.scale, .cut = noise.cut},
                                  CandidateCount(distances.size(), mean));
}

TEST(TruncatedGumbel, ThreeWordsOnALine) {  // docs/specification.md section 5
  const auto space = Space::make(test::line_model({0, 1, 3}), Metric::euclidean);
  const TruncatedGumbel words(space, {.noise = {.scale = 1.5, .cut = 3}, .mean_candidates = std::log(3.0)});
  const test::Law law = test::log_law_of(words, 3);
  test::expect_row(law[0], {.804922972, .1857755012, .0093015268}, 1e-9);
  test::expect_row(law[1], {.1758927144, .7880116818, .0360956037}, 1e-9);
  test::expect_row(law[2], {.0147918575, .0868838528, .8983242897}, 1e-9);
}

TEST(TruncatedGumbel, LawIsTheEnumerationOverK) {
  // Near words, far words, ties; the noise from almost uniform (C/b = 0.045) to far from it (C/b = 5).
  for (const std::vector<double>& distances :
       {std::vector<double>{0, 1, 3}, {0, 0.01, 3, 3}, {0, 1, 1, 2.5}, {0, 3}, {0, 0.5, 0.7, 1.9, 2.2, 3}}) {
    for (const double ratio : {0.045, 0.5, 2.0, 5.0}) {
      const Noise noise = {.scale = 3 / ratio, .cut = 3};
      const double mean = std::log(static_cast<double>(distances.size()));
      const auto law = computed(distances, noise, mean);
      const auto expected = integrated(distances, noise, mean, 40000);
      for (std::size_t j = 0; j < law.size(); ++j) {
        // The reference's steps leave 1e-10 at the kinks.
        EXPECT_NEAR(std::exp(law[j]), expected[j], 1e-9) << distances.size() << ' ' << ratio << ' ' << j;
      }
    }
  }
}

TEST(TruncatedGumbel, SmallProbabilitiesAreRightAsShareOfThemselves) {
  // 40 words at unequal distances: the law spans many magnitudes.
  std::vector<double> distances = {0};
  for (int i = 1; i < 40; ++i) distances.push_back(1 + 2 * std::sqrt(i / 39.0));
  for (const double ratio : {0.2, 1.0, 3.0}) {
    const Noise noise = {.scale = 3 / ratio, .cut = 3};
    const auto law = computed(distances, noise, std::log(40.0));
    const auto expected = integrated(distances, noise, std::log(40.0), 4000);
    EXPECT_LT(law.back(), -8);
    for (std::size_t j = 0; j < law.size(); ++j)
      EXPECT_NEAR(law[j], std::log(expected[j]), 2e-6) << ratio << j;
  }
}

TEST(TruncatedGumbel, RowsSumToOneAtEveryScale) {
  const auto model = test::gaussian_model({.words = 300, .dim = 5, .scale = 1, .seed = 71});
  const auto space = Space::make(model, Metric::euclidean);
  for (const double ratio : {1e-7, 0.01, 1.0, 4.0, 10.0, 40.0, 340.0}) {
    const double cut = space->diameter_bound();
    const TruncatedGumbel words(
        space, {.noise = {.scale = cut / ratio, .cut = cut}, .mean_candidates = std::log(300.0)});
    const auto row = words.log_law(word_id(3)).value();
    double sum = 0;
    for (const double value : row) {
      ASSERT_TRUE(std::isfinite(value)) << ratio;
      sum += std::exp(value);
    }
    EXPECT_NEAR(sum, 1, 1e-11) << ratio;
  }
}

TEST(TruncatedGumbel, RowsOfTwoWordsSumToOneWhereverTheStepsEnd) {
  for (int i = 0; i < 800; ++i) {
    const double ratio = 0.01 * std::pow(1.013, i);
    const auto law = test::exponentials(computed({0, 3}, {.scale = 3 / ratio, .cut = 3}, std::log(2.0)));
    ASSERT_NEAR(law[0] + law[1], 1, 1e-11) << ratio;
    ASSERT_GT(law[0], law[1]) << ratio;
  }
}

// n - 1 words at distance 1 from each other, and a last word at distance `last` from all of them, in
// manhattan distance, where floats hold these distances (the law depends on distances alone).
std::shared_ptr<const Model> equidistant_model(std::size_t words, float last) {
  std::vector<std::string> names;
  std::vector<float> vectors(words * words, 0.0F);
  for (std::size_t i = 0; i < words; ++i) {
    names.push_back("w" + std::to_string(i));
    vectors[i * words + i] = i + 1 < words ? 0.5F : last - 0.5F;
  }
  return Model::from_words(names, vectors, words);
}

double scale_of(const Mechanism& built) {
  EXPECT_EQ(built.facts[2].first, "Gumbel scale b");
  return std::stod(built.facts[2].second);
}

TEST(TruncatedGumbel, ThePrintedTheoremIsFalse) {  // docs/specification.md section 5
  constexpr std::size_t kWords = 100;
  const Mechanism built = build_uncertified("truncated-gumbel", equidistant_model(kWords, 1.6F),
                                            {{"epsilon", "14.4945472"}, {"metric", "manhattan"}});
  EXPECT_NEAR(scale_of(built), 35.354086, 1e-5);
  const std::size_t u = kWords - 1;
  const test::Law law = test::log_law_of(*built.words, kWords);
  EXPECT_NEAR(law[u][u], -.310829, 1e-6);
  EXPECT_NEAR(law[0][u], -30.4586, 1e-4);
  const double realised = test::realised(law, *built.space);
  EXPECT_NEAR(realised, 18.84, 0.005);
  EXPECT_GT(realised, built.claim.epsilon);
  EXPECT_EQ(built.claim.status, Status::refuted);
}

// Appendix B of the paper: a word stays with probability at most exp(-exp(-2 D / b)), for every fixed K.
// docs/proofs/truncated-gumbel.md has these numbers.
TEST(TruncatedGumbel, LemmaOneOfThePaperIsFalse) {
  const Mechanism built =
      build_uncertified("truncated-gumbel", test::line_model({0, 1}), {{"epsilon", "6.5"}});
  const double scale = scale_of(built);
  EXPECT_NEAR(scale, 53.7616, 1e-4);
  const double bound = std::exp(-std::exp(-2 / scale));
  EXPECT_NEAR(bound, .381562, 1e-6);
  const double unchanged = std::exp(built.words->log_law(word_id(0)).value()[0]);
  EXPECT_NEAR(unchanged, .918326, 1e-6);
  EXPECT_GT(unchanged, bound);
  // With K = 1 the word always stays. With K = 2, which a mean of 100 makes certain:
  const double with_rival = std::exp(computed({0, 1}, {.scale = scale, .cut = 1}, 100)[0]);
  EXPECT_NEAR(with_rival, .875007, 1e-6);
  EXPECT_GT(with_rival, bound);
}

// Appendix C of the paper: a word stays with probability at least exp(-exp(-delta / b)) P(K >= 2), delta the
// distance to its nearest word. The bound reckons with one rival; there are K - 1.
TEST(TruncatedGumbel, AppendixCOfThePaperIsFalse) {
  constexpr std::size_t kWords = 100;
  const Mechanism built = build_uncertified("truncated-gumbel", equidistant_model(kWords, 100.0F),
                                            {{"epsilon", "14.4945472"}, {"metric", "manhattan"}});
  const double two_or_more = 1 - test::count_law(kWords, std::log(100.0))[0];
  const double bound = std::exp(-std::exp(-1 / scale_of(built))) * two_or_more;
  const double unchanged = std::exp(built.words->log_law(word_id(0)).value()[0]);
  EXPECT_NEAR(bound, .351097, 1e-6);
  EXPECT_NEAR(unchanged, .285086, 1e-6);
  EXPECT_LT(unchanged, bound);
}

TEST(TruncatedGumbel, SamplesFollowTheLaw) {  // 1e-9 each
  const auto space = Space::make(test::line_model({-1, 0, 1, 3, 3.5F, 7}), Metric::euclidean);
  Rng rng = Rng::seeded_not_private(72);
  for (const double scale : {100.0, 3.0, 1.5}) {
    const TruncatedGumbel words(space,
                                {.noise = {.scale = scale, .cut = 8}, .mean_candidates = std::log(6.0)});
    for (std::size_t w = 0; w < 6; ++w) {  // from 0 both neighbours are 1 away: the tie goes by index
      const auto law = test::exponentials(words.log_law(word_id(w)).value());
      EXPECT_GT(test::fit(test::sample_counts(words, word_id(w), 6, 400000, rng), law), test::kFalseAlarm)
          << scale << ' ' << w;
    }
  }
}

TEST(TruncatedGumbel, SamplesFollowTheLawWithMoreCandidatesThanAreKept) {
  const auto model = test::gaussian_model({.words = 300, .dim = 3, .scale = 1, .seed = 63});
  const auto space = Space::make(model, Metric::euclidean);
  const TruncatedGumbel words(
      space, {.noise = {.scale = 5, .cut = space->diameter_bound()}, .mean_candidates = 128});
  Rng rng = Rng::seeded_not_private(73);
  const auto law = test::exponentials(words.log_law(word_id(9)).value());
  EXPECT_GT(test::fit(test::sample_counts(words, word_id(9), 300, 20000, rng), law), test::kFalseAlarm);
}

TEST(TruncatedGumbel, AHugeEpsilonGivesTheInput) {
  // b shrinks only as 1 / ln(epsilon): nothing less than an absurd one will do.
  const Mechanism built =
      build_uncertified("truncated-gumbel", test::line_model({0, 1, 3}), {{"epsilon", "1e200"}});
  Rng rng = Rng::seeded_not_private(74);
  for (std::size_t w = 0; w < 3; ++w) {
    EXPECT_EQ(test::sample_counts(*built.words, word_id(w), 3, 1000, rng)[w], 1000U);
    EXPECT_NEAR(built.words->log_law(word_id(w)).value()[w], 0, 1e-9);
  }
}

TEST(TruncatedGumbel, SaysThatNothingIsClaimed) {
  const Mechanism built =
      build_uncertified("truncated-gumbel", test::line_model({0, 1, 3}), {{"epsilon", "8"}});
  EXPECT_EQ(built.claim.status, Status::refuted);
  EXPECT_EQ(built.info->status, Status::refuted);
  EXPECT_FALSE(built.claim.largest_word_loss.has_value());
  EXPECT_THAT(built.claim.guarantee, HasSubstr("false"));
  EXPECT_THAT(built.claim.caveat, HasSubstr("docs/proofs/truncated-gumbel.md"));
}

TEST(TruncatedGumbel, ALawOfTooManyWordsIsNotComputed) {
  const auto model = test::gaussian_model({.words = TruncatedGumbel::kLawWords + 1, .dim = 5, .seed = 75});
  const auto space = Space::make(model, Metric::euclidean);
  const TruncatedGumbel words(space,
                              {.noise = {.scale = 5, .cut = space->diameter_bound()}, .mean_candidates = 7});
  EXPECT_FALSE(words.log_law(word_id(0)).has_value());
}

TEST(TruncatedGumbel, RefusesAnEpsilonWithoutAScaleAndNamesOneThatWorks) {
  const auto model = test::line_model({0, 1, 3});
  test::expect_smallest_epsilon("truncated-gumbel", model, 5 + 2 * std::log(3.0));
  const std::string message = test::refusal("truncated-gumbel", model, {{"epsilon", "7"}}, ErrorCode::usage);
  for (const char* part : {"`epsilon` 7 is too small", "(5 + 2 ln n) / D0 = 7.19722458,", "D0 = 1,",
                           "use `epsilon` 7.19723 or"}) {
    EXPECT_THAT(message, HasSubstr(part));
  }
  for (const float scale : {1e-6F, 0.0333F, 0.25F, 1e5F}) {
    test::expect_smallest_epsilon("truncated-gumbel", test::line_model({0, scale, 3 * scale}),
                                  (5 + 2 * std::log(3.0)) / scale);
  }
}

TEST(TruncatedGumbel, RefusesModelsWithoutASmallestDistance) {
  EXPECT_THAT(test::refusal("truncated-gumbel", test::line_model({0, 1, 1}), {{"epsilon", "100"}},
                            ErrorCode::bad_data),
              HasSubstr("\"w2\" (that of \"w1\")"));
  test::refusal("truncated-gumbel", test::line_model({1}), {{"epsilon", "100"}}, ErrorCode::bad_data);
}

}  // namespace
}  // namespace sotto

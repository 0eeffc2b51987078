#include "mechanisms/gumbel/gumbel_topk.h"

#include "gumbel_support.h"
#include "mechanisms/build.h"
#include "support/sampling.h"

namespace sotto {
namespace {

using ::testing::HasSubstr;

struct Choice {
  double scale = 1;
  double mean = 1;
};

// P(.|w) by enumeration over K: the definition. `order` are the candidates by rank, `distances` theirs.
std::vector<double> enumerated(const std::vector<std::size_t>& order, const std::vector<double>& distances,
                               const Choice& choice) {
  const std::vector<double> counts = test::count_law(order.size(), choice.mean);
  std::vector<double> law(order.size(), 0.0);
  for (std::size_t k = 1; k <= order.size(); ++k) {
    double z = 0;
    for (std::size_t r = 0; r < k; ++r) z += std::exp(-distances[r] / choice.scale);
    for (std::size_t r = 0; r < k; ++r) {
      law[order[r]] += counts[k - 1] * std::exp(-distances[r] / choice.scale) / z;
    }
  }
  return law;
}

std::vector<double> enumerated(const Space& space, std::size_t word, const Choice& choice) {
  const auto order = test::ranked(space, word);
  std::vector<double> distances;
  distances.reserve(order.size());
  for (const std::size_t y : order) distances.push_back(space.distance(word_id(word), word_id(y)));
  return enumerated(order, distances, choice);
}

// The definition as it is told: K from a Poisson variate, then the argmin of distance - Gumbel noise.
std::size_t told(const Space& space, std::size_t word, const Choice& choice, Rng& rng) {
  const auto order = test::ranked(space, word);
  std::uint64_t k = poisson(rng, choice.mean);
  if (k < 1 || k >= space.size()) k = space.size();
  double least = INFINITY;
  std::size_t output = 0;
  for (std::size_t r = 0; r < k; ++r) {
    const double noisy = space.distance(word_id(word), word_id(order[r])) - choice.scale * gumbel(rng);
    if (noisy < least) {
      least = noisy;
      output = order[r];
    }
  }
  return output;
}

TEST(GumbelTopk, ThreeWordsOnALine) {  // docs/specification.md section 5
  const auto space = Space::make(test::line_model({0, 1, 3}), Metric::euclidean);
  const GumbelTopk words(space, {.scale = 1, .mean_candidates = std::log(3.0)});
  const test::Law law = test::log_law_of(words, 3);
  test::expect_row(law[0], {.8184384588, .1663677246, .0151938166}, 1e-10);
  EXPECT_NEAR(test::realised(law, *space), 1.632358556, 1e-9);
  EXPECT_LE(test::realised(law, *space), 3.197224577);  // 1/b + 2 ln 3 / 1
  const Mechanism built = build_uncertified("gumbel-topk", test::line_model({0, 1, 3}),
                                            {{"epsilon", number_text(1 + 2 * std::log(3.0))}});
  test::expect_row(built.words->log_law(word_id(0)).value(), {.8184384588, .1663677246, .0151938166}, 1e-10);
}

TEST(GumbelTopk, TheProofNeedsTheWordAmongItsCandidates) {  // docs/specification.md section 5
  // A broken variant: outputs -1 and +1, inputs these and 0, which is no candidate of itself. n = 2, D0 = 1.
  const Choice choice = {.scale = 0.2, .mean = std::log(2.0)};
  const std::vector<std::vector<double>> law = {enumerated({0, 1}, {0, 2}, choice),
                                                enumerated({0, 1}, {1, 1}, choice),  // the input 0
                                                enumerated({1, 0}, {0, 2}, choice)};
  const double places[] = {-1, 0, 1};
  double realised = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      for (std::size_t y = 0; y < 2; ++y) {
        realised =
            std::max(realised, std::abs(std::log(law[a][y] / law[b][y])) / std::abs(places[a] - places[b]));
      }
    }
  }
  EXPECT_NEAR(realised, 10.029987, 1e-6);
  EXPECT_GT(realised, 1 / choice.scale + 2 * std::log(2.0));  // 6.386: the claim is broken, and it shows
}

TEST(GumbelTopk, LawIsTheEnumerationOverK) {
  const auto model = test::gaussian_model({.words = 40, .dim = 3, .scale = 1, .seed = 21});
  const auto space = Space::make(model, Metric::euclidean);
  for (const Choice& choice :
       {Choice{.scale = 0.3, .mean = std::log(40.0)}, Choice{.scale = 2, .mean = 20}}) {
    const GumbelTopk words(space, {.scale = choice.scale, .mean_candidates = choice.mean});
    for (std::size_t w = 0; w < 40; ++w) {
      const auto row = words.log_law(word_id(w)).value();
      const auto expected = enumerated(*space, w, choice);
      for (std::size_t y = 0; y < 40; ++y) EXPECT_NEAR(row[y], std::log(expected[y]), 1e-11) << w << ' ' << y;
    }
  }
}

TEST(GumbelTopk, TiesGoByIndex) {
  const auto space = Space::make(test::line_model({-1, 0, 1}), Metric::euclidean);
  const GumbelTopk words(space, {.scale = 1, .mean_candidates = std::log(3.0)});
  const auto row = test::exponentials(words.log_law(word_id(1)).value());
  // Both neighbours are 1 away; the first is a candidate for K = 2 and 3, the other for K = 3 alone.
  const double p2 = std::log(3.0) * std::log(3.0) / 2 / 3;
  const double all = 1 - p2 - std::log(3.0) / 3;
  const double e = std::exp(-1.0);
  EXPECT_NEAR(row[0], p2 * e / (1 + e) + all * e / (1 + 2 * e), 1e-12);
  EXPECT_NEAR(row[2], all * e / (1 + 2 * e), 1e-12);
  Rng rng = Rng::seeded_not_private(61);
  EXPECT_GT(test::fit(test::sample_counts(words, word_id(1), 3, 400000, rng), row), test::kFalseAlarm);
}

TEST(GumbelTopk, SamplesFollowTheLawAndSoDoesTheArgminOfGumbelNoise) {  // 1e-9 each
  const auto space = Space::make(test::line_model({0, 1, 3, 3.5F, 7}), Metric::euclidean);
  const Choice choice = {.scale = 1.2, .mean = std::log(5.0)};
  const GumbelTopk words(space, {.scale = choice.scale, .mean_candidates = choice.mean});
  Rng rng = Rng::seeded_not_private(62);
  for (std::size_t w = 0; w < 5; ++w) {
    const auto law = test::exponentials(words.log_law(word_id(w)).value());
    EXPECT_GT(test::fit(test::sample_counts(words, word_id(w), 5, 400000, rng), law), test::kFalseAlarm);
    std::vector<std::uint64_t> counts(5);
    for (int i = 0; i < 100000; ++i) ++counts[told(*space, w, choice, rng)];
    EXPECT_GT(test::fit(counts, law), test::kFalseAlarm) << w;
  }
}

TEST(GumbelTopk, SamplesFollowTheLawWithMoreCandidatesThanAreKept) {
  const auto model = test::gaussian_model({.words = 300, .dim = 3, .scale = 1, .seed = 63});
  const GumbelTopk words(Space::make(model, Metric::euclidean), {.scale = 3, .mean_candidates = 128});
  Rng rng = Rng::seeded_not_private(64);
  const auto law = test::exponentials(words.log_law(word_id(9)).value());
  EXPECT_GT(test::fit(test::sample_counts(words, word_id(9), 300, 100000, rng), law), test::kFalseAlarm);
}

TEST(GumbelTopk, KeepsItsEpsilonInEveryMetric) {
  const auto model = test::gaussian_model({.words = 40, .dim = 3, .scale = 0.1, .seed = 21});
  for (const std::string_view metric : metric_names()) {
    const std::string refused = test::refusal(
        "gumbel-topk", model, {{"epsilon", "0.001"}, {"metric", std::string(metric)}}, ErrorCode::usage);
    const std::size_t start = refused.find("use `epsilon` ") + 14;
    for (const double factor : {1.0, 1.1, 3.0}) {
      const double epsilon = factor * std::stod(refused.substr(start));
      const Mechanism built = build_uncertified(
          "gumbel-topk", model, {{"epsilon", number_text(epsilon)}, {"metric", std::string(metric)}});
      const test::Law law = test::log_law_of(*built.words, 40);
      EXPECT_LE(test::realised(law, *built.space), epsilon) << metric << ' ' << factor;
      double largest = 0;
      for (std::size_t y = 0; y < 40; ++y) {
        const auto [low, high] = std::minmax_element(
            law.begin(), law.end(), [&](const auto& a, const auto& b) { return a[y] < b[y]; });
        largest = std::max(largest, (*high)[y] - (*low)[y]);
      }
      EXPECT_LE(largest, *built.claim.largest_word_loss) << metric;
      EXPECT_LE(*built.claim.largest_word_loss, epsilon * built.space->diameter_bound()) << metric;
    }
  }
}

TEST(GumbelTopk, AHugeEpsilonGivesTheInputAndNoProbabilityIsZero) {
  const auto model = test::line_model({0, 1, 3, 1000});
  const Mechanism built = build_uncertified("gumbel-topk", model, {{"epsilon", "100000"}});
  Rng rng = Rng::seeded_not_private(65);
  for (std::size_t w = 0; w < 4; ++w) {
    EXPECT_EQ(test::sample_counts(*built.words, word_id(w), 4, 1000, rng)[w], 1000U);
    const auto row = built.words->log_law(word_id(w)).value();
    for (std::size_t y = 0; y < 4; ++y) EXPECT_GT(std::exp(row[y]), 0) << w << ' ' << y;
  }
  EXPECT_LE(test::realised(test::log_law_of(*built.words, 4), *built.space), 100000);
}

TEST(GumbelTopk, SaysWhatItClaims) {
  const Mechanism built = build_uncertified("gumbel-topk", test::line_model({0, 1, 3}), {{"epsilon", "4"}});
  EXPECT_EQ(built.claim.status, Status::proven);
  EXPECT_EQ(built.claim.epsilon, 4);
  EXPECT_THAT(built.claim.guarantee, HasSubstr("exp(4 * d)"));
  EXPECT_THAT(built.claim.guarantee, HasSubstr("euclidean"));
  EXPECT_THAT(built.claim.arithmetic, HasSubstr("that of distances included, adds at most"));
  EXPECT_EQ(built.facts[0].second, "1");
  EXPECT_EQ(built.facts[1].second, "3");
}

TEST(GumbelTopk, RefusesAnEpsilonBelowTheBoundAndNamesOneThatWorks) {
  const auto model = test::line_model({0, 1, 3});
  test::expect_smallest_epsilon("gumbel-topk", model, 2 * std::log(3.0));
  const std::string message = test::refusal("gumbel-topk", model, {{"epsilon", "2"}}, ErrorCode::usage);
  for (const char* part : {"`epsilon` 2 is too small", "2 ln n / D0 = 2.19722458,", "n = 3", "D0 = 1,",
                           "\"w0\"", "\"w1\"", "use `epsilon` 2.19723 or"}) {
    EXPECT_THAT(message, HasSubstr(part));
  }
  // At other magnitudes of the bound too, and where it has few digits.
  for (const float scale : {1e-6F, 0.0333F, 0.25F, 1e5F}) {
    test::expect_smallest_epsilon("gumbel-topk", test::line_model({0, scale, 3 * scale}),
                                  2 * std::log(3.0) / scale);
  }
}

TEST(GumbelTopk, RefusesModelsAndMetricsItCannotProve) {
  const std::string same = test::refusal("gumbel-topk", test::line_model({0, 1, 1, 0, 0, 0, 0, 0, 2}),
                                         {{"epsilon", "100"}}, ErrorCode::bad_data);
  for (const char* part : {"6 of the model's 9", "\"w2\" (that of \"w1\")", "\"w6\" (that of \"w0\")",
                           ", ...", "`vocabulary`"}) {
    EXPECT_THAT(same, HasSubstr(part));
  }
  EXPECT_THAT(same, ::testing::Not(HasSubstr("\"w7\"")));  // five are enough
  const std::string one =
      test::refusal("gumbel-topk", test::line_model({0, 5, 5}), {{"epsilon", "100"}}, ErrorCode::bad_data);
  EXPECT_THAT(one, ::testing::Not(HasSubstr("...")));
  // Near-duplicates are two words: their distance is what epsilon must be large enough for.
  const auto close = test::line_model({0, 5, std::nextafter(5.0F, 6.0F)});
  EXPECT_THAT(test::refusal("gumbel-topk", close, {{"epsilon", "100"}}, ErrorCode::usage),
              HasSubstr("\"w1\" and \"w2\""));
  EXPECT_NO_THROW(build_uncertified("gumbel-topk", close, {{"epsilon", "1e8"}}));
  // Directions so close that their angle is all rounding.
  const auto parallel = Model::from_words({"a", "b", "c"}, {1, 1e-30F, 3, 3.1e-30F, 0, 1}, 2);
  EXPECT_THAT(test::refusal("gumbel-topk", parallel, {{"epsilon", "1e40"}, {"metric", "angular"}},
                            ErrorCode::bad_data),
              HasSubstr("too small to be computed exactly"));
  test::refusal("gumbel-topk", test::line_model({1}), {{"epsilon", "100"}}, ErrorCode::bad_data);
  const std::string cosine = test::refusal("gumbel-topk", test::line_model({1, 2}),
                                           {{"epsilon", "9"}, {"metric", "cosine"}}, ErrorCode::usage);
  EXPECT_THAT(cosine, HasSubstr("angular"));
}

}  // namespace
}  // namespace sotto

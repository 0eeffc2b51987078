// What every row of the registry must do, whatever it is. A new mechanism is covered by its registry line.
//
// Each chi-squared test has a false-alarm rate of 1e-9; the suite has fewer than 200 of them, so a
// red run is a false alarm with probability below 2e-7.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "mechanisms/build.h"
#include "sotto/certificate.h"
#include "sotto/error.h"
#include "support/models.h"
#include "support/sampling.h"

namespace sotto {
namespace {

constexpr std::size_t kDraws = 400000;
constexpr std::size_t kWords = 40;

// Norms well below 1 for hyperbolic, whose words live in the unit ball.
std::shared_ptr<const Model> model_for(std::string_view name, std::size_t words = kWords) {
  return test::gaussian_model(
      {.words = words, .dim = 3, .scale = name == "hyperbolic" ? 0.15 : 1.0, .seed = 21});
}

bool has_epsilon(const MechanismInfo& info) {
  return std::ranges::find(info.parameters, "epsilon", &Parameter::name) != info.parameters.end();
}

// Where a mechanism's proved range begins; the suite's epsilons are counted from there.
double smallest_epsilon(std::string_view name, const Model& model) {
  const double log_n = std::log(static_cast<double>(model.size()));
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < model.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double squared = 0;
      for (std::size_t i = 0; i < model.dim(); ++i) {
        const double x = double{model.vector(word_id(a))[i]} - double{model.vector(word_id(b))[i]};
        squared += x * x;
      }
      smallest = std::min(smallest, std::sqrt(squared));
    }
  }
  if (name == "gumbel-topk") return 2 * log_n / smallest * (1 + 1e-9);
  if (name == "truncated-gumbel") return (5 + 2 * log_n) / smallest * (1 + 1e-9);
  return 0;
}

Mechanism build_for(std::string_view name, double epsilon, std::size_t words = kWords) {
  const auto model = model_for(name, words);
  ParameterTexts texts;
  if (has_epsilon(find_mechanism(name))) {
    texts["epsilon"] = number_text(smallest_epsilon(name, *model) + epsilon);
  }
  return build_uncertified(name, model, texts);
}

class Conformance : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static Mechanism built(double epsilon) { return build_for(GetParam(), epsilon); }
  [[nodiscard]] static bool depends_on_epsilon() { return has_epsilon(find_mechanism(GetParam())); }
  [[nodiscard]] static std::vector<double> probabilities(const Mechanism& mechanism, WordId word) {
    std::vector<double> law = mechanism.words->log_law(word).value();
    for (double& value : law) value = std::exp(value);
    return law;
  }
};

// Rows with a closed form; the others are held to a slow reference in their own tests.
class ClosedForm : public Conformance {};

TEST_P(ClosedForm, SamplesFollowTheLaw) {
  Rng rng = Rng::seeded_not_private(31);
  for (const double epsilon : {0.5, 2.0, 8.0}) {
    const Mechanism mechanism = built(epsilon);
    for (const std::size_t word : {0U, 7U, 39U}) {
      const auto counts = test::sample_counts(*mechanism.words, word_id(word), kWords, kDraws, rng);
      EXPECT_GT(test::fit(counts, probabilities(mechanism, word_id(word))), test::kFalseAlarm) << epsilon;
    }
  }
}

// More words than a head holds, so that the paths for the rest of the vocabulary are the ones tested.
TEST_P(ClosedForm, SamplesFollowTheLawOnALargerModel) {
  constexpr std::size_t kMany = 900;
  Rng rng = Rng::seeded_not_private(35);
  for (const double epsilon : {0.5, 3.0}) {
    const Mechanism mechanism = build_for(GetParam(), epsilon, kMany);
    const auto counts = test::sample_counts(*mechanism.words, word_id(11), kMany, kDraws, rng);
    EXPECT_GT(test::fit(counts, probabilities(mechanism, word_id(11))), test::kFalseAlarm) << epsilon;
  }
}

TEST_P(ClosedForm, RowsAreDistributions) {
  const Mechanism mechanism = built(1);
  for (std::size_t w = 0; w < kWords; ++w) {
    double sum = 0;
    for (const double p : probabilities(mechanism, word_id(w))) sum += p;
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST_P(ClosedForm, RealisedEpsilonIsNeverAboveTheClaim) {
  for (const double epsilon : {0.5, 2.0, 8.0}) {
    const Mechanism mechanism = built(epsilon);
    if (mechanism.claim.status != Status::proven) continue;  // nothing is claimed
    const auto certificate = certify(mechanism, {});
    ASSERT_TRUE(certificate.has_value());
    EXPECT_LE(certificate->realised_epsilon, mechanism.claim.epsilon * (1 + 1e-9));
    if (mechanism.claim.largest_word_loss) {
      EXPECT_LE(certificate->largest_loss, *mechanism.claim.largest_word_loss * (1 + 1e-9));
    }
  }
}

TEST_P(Conformance, AHugeEpsilonGivesTheInput) {
  if (!depends_on_epsilon()) GTEST_SKIP() << "it has no epsilon";
  // As printed, the noise of truncated-gumbel shrinks as 1 / ln epsilon only.
  const Mechanism mechanism = built(GetParam() == "truncated-gumbel" ? 1e300 : 1e5);
  Rng rng = Rng::seeded_not_private(32);
  std::vector<WordId> in;
  for (std::size_t w = 0; w < kWords; ++w) in.push_back(word_id(w));
  std::vector<WordId> out(in.size());
  mechanism.words->sample_batch(in, out, rng);
  EXPECT_EQ(in, out);
}

// Batches, single draws and many threads are all one law: the counts of each are compared with the counts of
// a plain batch as two samples of one distribution.
double two_sample(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  double statistic = 0;
  double cells = 0;
  for (std::size_t y = 0; y < a.size(); ++y) {
    const double x = static_cast<double>(a[y]);
    const double z = static_cast<double>(b[y]);
    if (x + z < 20) continue;
    statistic += (x - z) * (x - z) / (x + z);  // equal sample sizes
    cells += 1;
  }
  return 1 - test::gamma_cdf({.shape = std::max(1.0, cells - 1) / 2, .x = statistic / 2});
}

TEST_P(Conformance, BatchesSingleDrawsAndThreadsAreOneLaw) {
  const Mechanism mechanism = built(2);
  const std::size_t draws = 100000;
  Rng rng = Rng::seeded_not_private(33);
  const auto batch = test::sample_counts(*mechanism.words, word_id(5), kWords, draws, rng);

  std::vector<std::uint64_t> single(kWords, 0);
  for (std::size_t i = 0; i < draws; ++i) {
    const WordId in = word_id(5);
    WordId out{};
    mechanism.words->sample_batch({&in, 1}, {&out, 1}, rng);
    ++single[index_of(out)];
  }
  EXPECT_GT(two_sample(batch, single), test::kFalseAlarm);

  // Mixed with other words: the law of one token does not depend on its neighbours in the batch.
  std::vector<std::uint64_t> mixed(kWords, 0);
  std::vector<WordId> in(2000);
  std::vector<WordId> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = i % 2 == 0 ? word_id(5) : word_id(i % kWords);
  for (std::size_t done = 0; done < draws; done += in.size() / 2) {
    mechanism.words->sample_batch(in, out, rng);
    for (std::size_t i = 0; i < in.size(); i += 2) ++mixed[index_of(out[i])];
  }
  EXPECT_GT(two_sample(batch, mixed), test::kFalseAlarm);

  std::vector<std::vector<std::uint64_t>> parts(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < parts.size(); ++t) {
      threads.emplace_back([&, t] {
        Rng own = Rng::seeded_not_private(34, t);
        parts[t] = test::sample_counts(*mechanism.words, word_id(5), kWords, draws / parts.size(), own);
      });
    }
  }
  std::vector<std::uint64_t> threaded(kWords, 0);
  for (const auto& part : parts) {
    for (std::size_t y = 0; y < kWords; ++y) threaded[y] += part[y];
  }
  EXPECT_GT(two_sample(batch, threaded), test::kFalseAlarm);
}

TEST_P(Conformance, RefusesAnEpsilonThatIsNotAFiniteNumberAboveZero) {
  for (const char* epsilon : {"0", "-1", "nan", "inf", "1e400", "0x1p0", "", " 1", "1 ", "-0", "1e-400"}) {
    EXPECT_THROW((void)build_uncertified(GetParam(), model_for(GetParam()), {{"epsilon", epsilon}}), Error)
        << '"' << epsilon << '"';
  }
}

// As epsilon goes to 0 nothing of the input is left: every word has the same law. For tem that law is its
// base measure, all words equally likely (tem's own tests have base weights).
TEST_P(Conformance, ATinyEpsilonForgetsTheInput) {
  if (!depends_on_epsilon()) GTEST_SKIP() << "it has no epsilon";
  if (smallest_epsilon(GetParam(), *model_for(GetParam())) > 0) GTEST_SKIP() << "its epsilon has a floor";
  const Mechanism mechanism = built(1e-7);
  Rng rng = Rng::seeded_not_private(36);
  const std::size_t draws = 100000;
  const auto one = test::sample_counts(*mechanism.words, word_id(3), kWords, draws, rng);
  const auto other = test::sample_counts(*mechanism.words, word_id(30), kWords, draws, rng);
  EXPECT_GT(two_sample(one, other), test::kFalseAlarm);
  if (mechanism.words->log_law(word_id(3))) {
    EXPECT_GT(test::fit(one, std::vector<double>(kWords, 1.0 / kWords)), test::kFalseAlarm);
  }
}

enum class Rows { all, closed_form };
std::vector<std::string> names_of(Rows rows) {
  std::vector<std::string> names;
  for (const MechanismInfo& info : mechanisms()) {
    if (info.build == nullptr) continue;  // releases vectors: privemb's own tests
    const Mechanism mechanism = build_for(info.name, 1);
    if (rows == Rows::all || mechanism.words->log_law(word_id(0))) names.emplace_back(info.name);
  }
  return names;
}
std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string text = info.param;
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}
INSTANTIATE_TEST_SUITE_P(Registry, Conformance, ::testing::ValuesIn(names_of(Rows::all)), test_name);
INSTANTIATE_TEST_SUITE_P(Registry, ClosedForm, ::testing::ValuesIn(names_of(Rows::closed_form)), test_name);

}  // namespace
}  // namespace sotto

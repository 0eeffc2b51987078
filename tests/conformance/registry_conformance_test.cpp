// What every row of the registry must do, whatever it is. A new mechanism is covered by its registry line.
//
// Each chi-squared test has a false-alarm rate of 1e-9; the suite has fewer than 200 of them, so a
// red run is a false alarm with probability below 2e-7.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "sotto/certificate.h"
#include "sotto/error.h"
#include "support/models.h"
#include "support/sampling.h"

namespace sotto {
namespace {

constexpr std::size_t kDraws = 400000;

class Conformance : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static Mechanism built(const std::shared_ptr<const Model>& model, const char* epsilon) {
    return build_mechanism(GetParam(), model, {{"epsilon", epsilon}});
  }
  [[nodiscard]] static std::vector<double> probabilities(const Mechanism& mechanism, WordId word) {
    std::vector<double> law = mechanism.words->log_law(word).value();
    for (double& value : law) value = std::exp(value);
    return law;
  }
};

std::shared_ptr<const Model> small_model() {
  return test::gaussian_model({.words = 40, .dim = 3, .scale = 1, .seed = 21});
}

// Rows with a closed form; the others are held to a slow reference in their own tests.
class ClosedForm : public Conformance {};

TEST_P(ClosedForm, SamplesFollowTheLaw) {
  const auto model = small_model();
  Rng rng = Rng::seeded_not_private(31);
  for (const char* epsilon : {"0.5", "2", "8"}) {
    const Mechanism mechanism = built(model, epsilon);
    if (!mechanism.words->log_law(word_id(0)))
      GTEST_SKIP() << "no closed form: held to a slow reference elsewhere";
    for (const std::size_t word : {0U, 7U, 39U}) {
      const auto counts = test::sample_counts(*mechanism.words, word_id(word), model->size(), kDraws, rng);
      EXPECT_GT(test::fit(counts, probabilities(mechanism, word_id(word))), testing::kFalseAlarm) << epsilon;
    }
  }
}

TEST_P(ClosedForm, RowsAreDistributions) {
  const Mechanism mechanism = built(small_model(), "1");
  for (std::size_t w = 0; w < 40; ++w) {
    double sum = 0;
    for (const double p : probabilities(mechanism, word_id(w))) sum += p;
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST_P(ClosedForm, RealisedEpsilonIsNeverAboveTheClaim) {
  for (const char* epsilon : {"0.5", "2", "8"}) {
    const Mechanism mechanism = built(small_model(), epsilon);
    if (mechanism.claim.status != Status::proven) continue;  // nothing is claimed
    const auto certificate = certify(mechanism, 1000);
    ASSERT_TRUE(certificate.has_value());
    EXPECT_LE(certificate->realised_epsilon, mechanism.claim.epsilon * (1 + 1e-9));
    if (mechanism.claim.largest_word_loss) {
      EXPECT_LE(certificate->largest_loss, *mechanism.claim.largest_word_loss * (1 + 1e-9));
    }
  }
}

TEST_P(Conformance, AHugeEpsilonGivesTheInput) {
  const auto model = small_model();
  const Mechanism mechanism = built(model, "100000");
  Rng rng = Rng::seeded_not_private(32);
  std::vector<WordId> in;
  for (std::size_t w = 0; w < 40; ++w) in.push_back(word_id(w));
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
  return 1 - testing::gamma_cdf({.shape = std::max(1.0, cells - 1) / 2, .x = statistic / 2});
}

TEST_P(Conformance, BatchesSingleDrawsAndThreadsAreOneLaw) {
  const auto model = small_model();
  const Mechanism mechanism = built(model, "2");
  const std::size_t draws = 100000;
  Rng rng = Rng::seeded_not_private(33);
  const auto batch = test::sample_counts(*mechanism.words, word_id(5), 40, draws, rng);

  std::vector<std::uint64_t> single(40, 0);
  for (std::size_t i = 0; i < draws; ++i) {
    const WordId in = word_id(5);
    WordId out{};
    mechanism.words->sample_batch({&in, 1}, {&out, 1}, rng);
    ++single[index_of(out)];
  }
  EXPECT_GT(two_sample(batch, single), testing::kFalseAlarm);

  // Mixed with other words: the law of one token does not depend on its neighbours in the batch.
  std::vector<std::uint64_t> mixed(40, 0);
  std::vector<WordId> in(2000);
  std::vector<WordId> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = i % 2 == 0 ? word_id(5) : word_id(i % 40);
  for (std::size_t done = 0; done < draws; done += in.size() / 2) {
    mechanism.words->sample_batch(in, out, rng);
    for (std::size_t i = 0; i < in.size(); i += 2) ++mixed[index_of(out[i])];
  }
  EXPECT_GT(two_sample(batch, mixed), testing::kFalseAlarm);

  std::vector<std::vector<std::uint64_t>> parts(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < parts.size(); ++t) {
      threads.emplace_back([&, t] {
        Rng own = Rng::seeded_not_private(34, t);
        parts[t] = test::sample_counts(*mechanism.words, word_id(5), 40, draws / parts.size(), own);
      });
    }
  }
  std::vector<std::uint64_t> threaded(40, 0);
  for (const auto& part : parts) {
    for (std::size_t y = 0; y < 40; ++y) threaded[y] += part[y];
  }
  EXPECT_GT(two_sample(batch, threaded), testing::kFalseAlarm);
}

TEST_P(Conformance, RefusesAnEpsilonThatIsNotAFiniteNumberAboveZero) {
  for (const char* epsilon : {"0", "-1", "nan", "inf", "1e400", "0x1p0", "", " 1", "1 ", "-0", "1e-400"}) {
    EXPECT_THROW((void)built(small_model(), epsilon), Error) << '"' << epsilon << '"';
  }
}

enum class Rows { all, closed_form };
std::vector<std::string> names_of(Rows rows) {
  std::vector<std::string> names;
  for (const MechanismInfo& info : mechanisms()) {
    const Mechanism mechanism = build_mechanism(info.name, small_model(), {{"epsilon", "1"}});
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

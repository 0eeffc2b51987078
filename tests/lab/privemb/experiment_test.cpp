#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/temporary_folder.h"
#include "core/uniform.h"
#include "lab/experiments.h"
#include "lab/privemb/pairs.h"
#include "lab/privemb/privacy.h"
#include "lab/privemb/sentences.h"
#include "measure/vector_adversary.h"
#include "sotto/error.h"

namespace sotto::lab {
namespace {

// Each statistical test below is a two-sided one at five standard deviations: a false alarm in 1.7 million.
constexpr double kDeviations = 5;

// Words w0, w1, ... with vectors uniform in a cube.
std::shared_ptr<const Model> toy_model(std::size_t words, std::size_t dim) {
  Rng rng = Rng::seeded_not_private(3);
  std::vector<std::string> names;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < words; ++i) {
    names.push_back(fmt::format("w{}", i));
    for (std::size_t j = 0; j < dim; ++j) {
      vectors.push_back(static_cast<float>(uniform_below(rng, 2001)) / 1000 - 1);
    }
  }
  return Model::from_words(names, vectors, dim);
}

double norm(std::span<const double> x) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  return std::sqrt(squares);
}

struct Expected {
  double mean;
  double variance;
};
void expect_mean(const std::vector<double>& values, const Expected& expected) {
  double sum = 0;
  for (const double value : values) sum += value;
  const auto count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, expected.mean, kDeviations * std::sqrt(expected.variance / count));
}

class PrivembNoise : public ::testing::Test {
 protected:
  static constexpr std::size_t kDim = 12;
  static constexpr double kEpsilon = 3;
  static constexpr std::size_t kCount = 4000;

  PrivembNoise() : store_(toy_model(40, kDim)) {}
  // Releases of two words in turn.
  std::vector<double> releases(const VectorSeries& series) {
    const Releaser releaser = store_.get(series, {.epsilon = "3"});
    std::vector<WordId> words;
    for (std::size_t i = 0; i < kCount; ++i) words.push_back(word_id(i % 2));
    std::vector<double> out(kCount * releaser.output_dim());
    Rng rng = Rng::seeded_not_private(8);
    releaser.release(word_rows(*store_.model(), words), out, rng);
    return out;
  }
  ReleaserStore store_;
};

// |z| is Gamma(m, 1 / epsilon).
TEST_F(PrivembNoise, TheNoiseOfM1HasTheMeanLengthOfTheTheory) {
  const std::vector<double> noise = releases(pure_noise_series());
  std::vector<double> lengths;
  for (std::size_t i = 0; i < kCount; ++i) lengths.push_back(norm(std::span(noise).subspan(i * kDim, kDim)));
  expect_mean(lengths, {.mean = kDim / kEpsilon, .variance = kDim / (kEpsilon * kEpsilon)});
}

// E |x - x' + z - z'|^2 = |x - x'|^2 + 2 m (m + 1) / epsilon^2: the squared distance of released vectors.
TEST_F(PrivembNoise, DistancesOfM1GrowAsTheTheorySays) {
  const std::vector<double> rows = releases(laplace_series());
  const Model& model = *store_.model();
  double truth = 0;
  for (std::size_t j = 0; j < kDim; ++j) {
    const double gap = model.vector(word_id(0))[j] - model.vector(word_id(1))[j];
    truth += gap * gap;
  }
  std::vector<double> squares;
  double sum = 0;
  double sum_of_squares = 0;
  for (std::size_t i = 0; i < kCount; i += 2) {
    double square = 0;
    for (std::size_t j = 0; j < kDim; ++j)
      square += std::pow(rows[i * kDim + j] - rows[(i + 1) * kDim + j], 2);
    squares.push_back(square);
    sum += square;
    sum_of_squares += square * square;
  }
  const auto count = static_cast<double>(squares.size());
  expect_mean(squares, {.mean = truth + 2 * kDim * (kDim + 1) / (kEpsilon * kEpsilon),
                        .variance = sum_of_squares / count - (sum / count) * (sum / count)});
}

// p = <z, z'>: E p^2 = m (m+1)^2 / epsilon^4, E p^4 = 3 (E |z|^4)^2 / (m (m+2)).
TEST_F(PrivembNoise, InnerProductsOfNoiseHaveTheVarianceOfTheTheory) {
  const std::vector<double> noise = releases(pure_noise_series());
  std::vector<double> squares;
  for (std::size_t i = 0; i < kCount; i += 2) {
    double product = 0;
    for (std::size_t j = 0; j < kDim; ++j) product += noise[i * kDim + j] * noise[(i + 1) * kDim + j];
    squares.push_back(product * product);
  }
  const double m = kDim;
  const double second = m * (m + 1) * (m + 1) / std::pow(kEpsilon, 4);
  const double fourth_length = m * (m + 1) * (m + 2) * (m + 3) / std::pow(kEpsilon, 4);
  expect_mean(squares, {.mean = second,
                        .variance = 3 * fourth_length * fourth_length / (m * (m + 2)) - second * second});
}

TEST(PrivembSeries, DimensionsAreThePapersAndOursStopBelowTheInput) {
  const auto model = toy_model(3, 300);
  EXPECT_EQ(printed_dimension(*model, "0.93"), 50U);
  EXPECT_EQ(printed_dimension(*model, "0.66"), 100U);
  EXPECT_EQ(printed_dimension(*model, "0.468"), 200U);
  EXPECT_EQ(orthonormal_series(*model, "0.93")->name, "orthonormal 50");
  const auto small = toy_model(3, 40);
  EXPECT_GT(printed_dimension(*small, "0.9"), 40U);
  EXPECT_FALSE(orthonormal_series(*small, "0.9").has_value());
  EXPECT_FALSE(pca_series(*small, "0.9").has_value());
}

TEST(PrivembSeries, SensitivitiesAreWhatTheNamesSay) {
  ReleaserStore store(toy_model(30, 60));
  const auto sensitivity = [&](const VectorSeries& series) {
    return 4 * store.get(series, {.epsilon = "4"}).scale();
  };
  EXPECT_NEAR(sensitivity(laplace_series()), 1, 1e-9);
  EXPECT_NEAR(sensitivity(printed_series("0.9")), 1.9, 1e-9);
  EXPECT_NEAR(sensitivity(*orthonormal_series(*store.model(), "0.9")), 1, 1e-9);
  EXPECT_NEAR(sensitivity(*pca_series(*store.model(), "0.9")), 1, 1e-9);
  EXPECT_GT(sensitivity(spectral_series("0.9")), 1.9);
  EXPECT_GT(sensitivity(vocabulary_series("0.9")), 1);
  EXPECT_LT(sensitivity(vocabulary_series("0.9")), 1.9);
  const ReleaseSetting free{.epsilon = "4", .domain = VectorInput::Domain::free};
  EXPECT_THROW((void)store.get(printed_series("0.9"), free), Error);
  EXPECT_NO_THROW((void)store.get(spectral_series("0.9"), free));
}

TEST(PrivembSeries, AMeasuredStretchIsTheRegistrysAtEveryEpsilon) {
  ReleaserStore store(toy_model(30, 60));
  const VectorInput input{.model = store.model(), .domain = VectorInput::Domain::words, .dim = 60};
  (void)store.get(vocabulary_series("0.9"), {.epsilon = "0.7"});
  for (const char* epsilon : {"0.7", "4"}) {
    const Releaser ours = store.get(vocabulary_series("0.9"), {.epsilon = epsilon});
    const Mechanism engine = build_vector_mechanism(
        "privemb", input,
        {{"epsilon", epsilon}, {"projection", "gaussian"}, {"sensitivity", "vocabulary"}, {"beta", "0.9"}});
    const std::vector<WordId> words = {word_id(0), word_id(7)};
    const std::vector<double> rows = word_rows(*store.model(), words);
    std::vector<double> from_ours(2 * ours.output_dim());
    std::vector<double> from_engine(from_ours.size());
    Rng first = Rng::seeded_not_private(5);
    Rng second = Rng::seeded_not_private(5);
    ours.release(rows, from_ours, first);
    engine.vectors->release_batch(rows, from_engine, second);
    for (std::size_t i = 0; i < from_ours.size(); ++i) EXPECT_NEAR(from_ours[i], from_engine[i], 1e-4);
  }
}

TEST(PrivembPairs, ErrorsAreThoseOfTheVectors) {
  const std::vector<double> left = {0, 0, 3, 4};
  const std::vector<double> right = {0, 1, 1, 0};
  const std::vector<double> doubled_left = {0, 0, 6, 8};
  const std::vector<double> doubled_right = {0, 2, 2, 0};
  const PairComparison same = compare_pairs({left, right, 2}, {left, right, 2});
  EXPECT_EQ(same.distance.mean, 0);
  EXPECT_EQ(same.inner_product.mean, 0);
  EXPECT_NEAR(same.distance.correlation, 1, 1e-12);
  const PairComparison doubled = compare_pairs({left, right, 2}, {doubled_left, doubled_right, 2});
  const double distances = 1 + 1 + std::sqrt(18) + std::sqrt(20);
  EXPECT_NEAR(doubled.distance.mean, distances / 4, 1e-12);
  EXPECT_NEAR(doubled.inner_product.mean, 3.0 * (0 + 0 + 4 + 3) / 4, 1e-12);
  const std::vector<double> zero(4);
  const PairComparison nothing = compare_pairs({left, right, 2}, {zero, zero, 2});
  EXPECT_NEAR(nothing.distance.mean, -distances / 4, 1e-12);
  EXPECT_NEAR(nothing.inner_product.mean, 7.0 / 4, 1e-12);
  EXPECT_TRUE(std::isnan(nothing.distance.correlation));
}

TEST(PrivembPrivacy, TheAdversaryOfM1IsTheEnginesAndNoiseTellsNothing) {
  ReleaserStore store(toy_model(50, 6));
  const Model& model = *store.model();
  const Quantity ours = release_error(store.get(laplace_series(), {.epsilon = "5"}), model, 2, 1);
  const Quantity engine =
      vector_adversary(model, uniform_prior(model), 5, RandomSource::seeded_not_private(2), {.threads = 1});
  // Two means of 4,096 numbers within [0, 1]: 6.2 standard deviations at most, rate 1e-9.
  EXPECT_NEAR(*ours.value, *engine.value, 6.2 * 0.5 * std::sqrt(2 / 4096.0));
  const Quantity nothing = release_error(store.get(pure_noise_series(), {.epsilon = "5"}), model, 2, 1);
  EXPECT_NEAR(*nothing.value, 1 - 1.0 / 50, 1e-9);
}

class PrivembSentences : public ::testing::Test {
 protected:
  PrivembSentences() : store_(toy_model(5, 4)) {
    words_.sentences = {{word_id(1)}, {word_id(1)}, {word_id(0), word_id(2), word_id(2)}, {}};
    words_.labels = {0, 1, 0, 1};
  }
  std::vector<double> features(const VectorSeries& series, const std::string& epsilon,
                               SentenceRelease release) {
    const auto domain = release == SentenceRelease::table || release == SentenceRelease::token
                            ? VectorInput::Domain::words
                            : VectorInput::Domain::free;
    const Releaser releaser = store_.get(series, {.epsilon = epsilon, .domain = domain});
    Rng rng = Rng::seeded_not_private(4);
    return sentence_features(words_, *store_.model(), releaser, release, rng);
  }
  ReleaserStore store_;
  SentenceWords words_;
};

TEST_F(PrivembSentences, AreMeansOfVectors) {
  const std::vector<double> plain = features(no_noise_series(), "1", SentenceRelease::table);
  const Model& model = *store_.model();
  for (std::size_t j = 0; j < 4; ++j) {
    const double first = model.vector(word_id(0))[j];
    const double twice = model.vector(word_id(2))[j];
    EXPECT_NEAR(plain[std::size_t{2} * 4 + j], (first + 2 * twice) / 3, 1e-12);
    EXPECT_EQ(plain[std::size_t{3} * 4 + j], 0);
  }
  for (const SentenceRelease release :
       {SentenceRelease::table, SentenceRelease::token, SentenceRelease::sum, SentenceRelease::mean}) {
    const std::vector<double> quiet = features(laplace_series(), "1e9", release);
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(quiet[i], plain[i], 1e-6);
  }
}

TEST_F(PrivembSentences, ATableHasOneVectorForAWordAndTokensHaveManyOfIt) {
  const auto rows_equal = [](const std::vector<double>& all) {
    return std::equal(all.begin(), all.begin() + 4, all.begin() + 4);
  };
  EXPECT_TRUE(rows_equal(features(laplace_series(), "2", SentenceRelease::table)));
  EXPECT_FALSE(rows_equal(features(laplace_series(), "2", SentenceRelease::token)));
  EXPECT_FALSE(rows_equal(features(laplace_series(), "2", SentenceRelease::sum)));
}

// The noise of a sum is divided by the number of words.
TEST_F(PrivembSentences, ASumHasLessNoiseThanAMean) {
  words_.sentences = std::vector<std::vector<WordId>>(2000, std::vector(5, word_id(3)));
  const std::vector<double> plain = features(no_noise_series(), "1", SentenceRelease::table);
  const auto lengths = [&](SentenceRelease release) {
    const std::vector<double> noisy = features(laplace_series(), "2", release);
    std::vector<double> out;
    for (std::size_t i = 0; i < plain.size(); i += 4) {
      double squares = 0;
      for (std::size_t j = 0; j < 4; ++j) squares += std::pow(noisy[i + j] - plain[i + j], 2);
      out.push_back(std::sqrt(squares));
    }
    return out;
  };
  expect_mean(lengths(SentenceRelease::mean), {.mean = 4.0 / 2, .variance = 4.0 / 4});
  expect_mean(lengths(SentenceRelease::sum), {.mean = 4.0 / 2 / 5, .variance = 4.0 / 4 / 25});
}

// Everything on data of a few lines, with a model of 60 words.
class PrivembExperiment : public ::testing::Test {
 protected:
  PrivembExperiment() {
    toy_model(60, 60)->save(folder_.path() / "m.sotto", Model::Existing::refuse);
    std::filesystem::create_directories(folder_.path() / "senteval");
    std::ofstream positive(folder_.path() / "positive-words.txt");
    std::ofstream negative(folder_.path() / "negative-words.txt");
    for (int i = 0; i < 60; ++i) (i % 2 == 0 ? positive : negative) << "w" << i << '\n';
    write_sentences("custrev.all", 2);
    write_sentences("TREC.train.all", 6);
    write_sentences("TREC.test.all", 6);
  }
  void write_sentences(const std::string& name, int classes) const {
    std::ofstream out(folder_.path() / "senteval" / name);
    for (int i = 0; i < 36; ++i) out << i % classes << fmt::format(" w{} w{} odd\n", i, i % classes);
  }
  RunRequest request(const std::string& output, unsigned threads) const {
    return {.data = folder_.path(),
            .output = folder_.path() / output,
            .model = folder_.path() / "m.sotto",
            .extent = Extent::quick,
            .threads = threads,
            // Figure 4 trains vectors, and has tests of its own.
            .parts = {"pairs", "lexicon", "table1", "beyond"}};
  }
  // Threads finish in any order.
  std::vector<std::string> sorted_lines(const std::string& output, const std::string& table) const {
    const std::string text = test::contents(folder_.path() / output / table);
    std::vector<std::string> lines;
    for (const std::string_view line : lines_of(text)) lines.emplace_back(line);
    std::ranges::sort(lines);
    return lines;
  }
  test::TemporaryFolder folder_;
};

TEST_F(PrivembExperiment, IsTheSameOnMoreThreadsAndAfterAnInterruption) {
  run_privemb(request("one", 1));
  // An earlier run that was killed: half of the rows, the last one cut.
  std::filesystem::copy(folder_.path() / "one", folder_.path() / "two");
  const std::vector<std::string> tables = {"distance.csv", "inner-product.csv", "lexicon.csv",
                                           "sentences.csv", "privacy.csv"};
  for (const std::string& table : tables) {
    const auto path = folder_.path() / "two" / table;
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  }
  std::filesystem::remove(folder_.path() / "two" / "equal.csv");
  run_privemb(request("two", 3));
  for (const std::string& table : tables) {
    EXPECT_GT(sorted_lines("one", table).size(), 9U) << table;
    EXPECT_EQ(sorted_lines("two", table), sorted_lines("one", table)) << table;
  }
  EXPECT_EQ(test::contents(folder_.path() / "two" / "tables.md"),
            test::contents(folder_.path() / "one" / "tables.md"));
  for (const std::string figure : {"figure-1-epsilon-1", "figure-2-epsilon-5", "figure-3-accuracy",
                                   "figure-3-auc", "privacy", "frontier"}) {
    EXPECT_THAT(test::contents(folder_.path() / "one" / (figure + ".svg")), ::testing::HasSubstr("</svg>"));
  }
}

}  // namespace
}  // namespace sotto::lab

#include "neighbours/approximate.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>
#include <thread>

#include "mechanisms/noise.h"
#include "neighbours/nearest_models.h"
#include "support/models.h"
#include "support/sampling.h"

namespace sotto {
namespace {

using test::hard_models;
using test::make_model;
using test::slow_row;

// Noise is the only way in: what could be a word or its vector does not compile.
template <class Query>
concept Searchable = requires(const ApproximateNearest& nearest, const Query& query,
                              std::span<Neighbour> out) {
  nearest.find(query, std::size_t{1}, out);
};
static_assert(Searchable<NoisyVectors>);
static_assert(!Searchable<WordId> && !Searchable<std::size_t>);
static_assert(!Searchable<std::span<const double>> && !Searchable<std::vector<double>>);
static_assert(!Searchable<std::span<const float>> && !Searchable<const float*>);
template <class Vectors>
concept Writable = requires(Vectors& vectors, std::size_t i) {
  vectors.row(i);
}
|| requires(Vectors& vectors) {
  vectors.values()[0] = 1.0;
};
static_assert(!Writable<NoisyVectors>);
static_assert(!std::is_constructible_v<NoisyVectors, std::span<const double>> &&
              !std::is_constructible_v<NoisyVectors, std::vector<double>>);

// Vectors of words with noise of mean length dim / epsilon.
NoisyVectors noisy_words(const Model& model, std::size_t count, double epsilon) {
  const NoiseShape shape = NoiseShape::sphere(model.dim());
  Rng rng = Rng::seeded_not_private(count + model.size());
  NoisyVectors noisy(model, count);
  for (std::size_t i = 0; i < count; ++i) {
    shape.add(model.vector(word_id(i * 31 % model.size())), epsilon, noisy, i, rng);
  }
  return noisy;
}

using Answer = std::pair<std::size_t, std::uint64_t>;  // a word and the bits of its squared distance
std::vector<Answer> answers(const ApproximateNearest& nearest, const NoisyVectors& noisy, std::size_t k) {
  std::vector<Neighbour> found(noisy.size() * k, {.word = word_id(4000000000), .squared = -1});
  nearest.find(noisy, k, found);
  std::vector<Answer> seen;
  seen.reserve(found.size());
  for (const Neighbour& each : found) {
    seen.emplace_back(index_of(each.word), std::bit_cast<std::uint64_t>(each.squared));
  }
  return seen;
}

// Against the definition: different words, each with its exact distance, by (distance, index). Returns how
// many of the k nearest words are among them.
std::size_t expect_ordered_words(const Model& model, std::span<const double> query,
                                 std::span<const Answer> found) {
  const auto row = slow_row(model, query);
  std::vector<double> squared(model.size());
  for (const auto& [distance, word] : row) squared[word] = distance;
  std::set<std::size_t> words;
  std::pair<double, std::size_t> before{-1, 0};
  std::size_t right = 0;
  for (std::size_t r = 0; r < found.size(); ++r) {
    const auto [word, bits] = found[r];
    if (word >= model.size()) {
      ADD_FAILURE() << "place " << r << " is no word";
      return 0;
    }
    EXPECT_TRUE(words.insert(word).second) << "word " << word << " twice";
    EXPECT_EQ(bits, std::bit_cast<std::uint64_t>(squared[word]));
    EXPECT_LT(before, std::pair(squared[word], word));
    before = {squared[word], word};
    for (std::size_t i = 0; i < found.size(); ++i) right += row[i].second == word ? 1 : 0;
  }
  return right;
}

struct Recall {
  std::size_t right = 0, all = 0;
};
Recall recall(const Model& model, std::size_t count, std::size_t k, double epsilon) {
  const NoisyVectors noisy = noisy_words(model, count, epsilon);
  const auto found = answers(ApproximateNearest(model), noisy, k);
  Recall sum;
  for (std::size_t q = 0; q < count; ++q) {
    sum.right += expect_ordered_words(model, noisy.values().subspan(q * model.stride(), model.stride()),
                                      std::span(found).subspan(q * k, k));
    sum.all += k;
  }
  return sum;
}

TEST(ApproximateNearest, IsExactOnModelsWithinItsView) {
  for (const auto& kind : hard_models()) {
    for (const std::size_t words : {1U, 2U, 5U, 33U, 64U}) {
      const auto model = make_model(kind, words, 7);
      for (const std::size_t k : std::set<std::size_t>{1, std::min<std::size_t>(words, 3), words}) {
        SCOPED_TRACE(std::string(kind.name) + ", words " + std::to_string(words));
        const Recall seen = recall(*model, 40, k, 5);
        EXPECT_EQ(seen.right, seen.all);
      }
    }
  }
}

TEST(ApproximateNearest, GivesOrderedWordsOnEveryHardModel) {
  for (const auto& kind : hard_models()) {
    for (const std::size_t k : {1U, 5U, 100U, 300U}) {  // also more than the view
      SCOPED_TRACE(std::string(kind.name) + ", k " + std::to_string(k));
      recall(*make_model(kind, 300, 20), 20, k, 10);
    }
  }
}

TEST(ApproximateNearest, FindsNearlyAllWithoutMuchNoise) {
  const auto model = test::gaussian_model({.words = 3000, .dim = 20});
  const Recall seen = recall(*model, 200, 5, 100);
  EXPECT_GT(static_cast<double>(seen.right), 0.97 * static_cast<double>(seen.all));
}

// More equal words than a list of links holds (32) link to each other alone: a walk that starts among them
// does not see the others, nor as many words as it should.
TEST(ApproximateNearest, SearchesExactlyWhereTheGraphFallsApart) {
  for (std::size_t equal = 33; equal < ApproximateNearest::kWidth; equal += 3) {
    for (const std::size_t step : {1U, 3U, 37U, 63U}) {  // odd: some order of the words
      std::vector<float> places;
      for (std::size_t i = 0; i < ApproximateNearest::kWidth; ++i) {
        const std::size_t rank = i * step % ApproximateNearest::kWidth;
        places.push_back(rank < equal ? 0.0F : static_cast<float>(10 + rank));
      }
      const auto model = test::line_model(places);
      for (const std::size_t k : {1U, 5U}) {
        const Recall seen = recall(*model, 64, k, 0.1);
        EXPECT_EQ(seen.right, seen.all) << equal << " equal words, step " << step << ", k " << k;
      }
    }
  }
}

TEST(ApproximateNearest, TiesGoByIndexAlsoAtTheLastPlace) {
  std::vector<float> places(60);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<float>(i % 3);
  const auto model = test::line_model(places);
  const Recall seen = recall(*model, 50, 7, 1);
  EXPECT_EQ(seen.right, seen.all);
}

TEST(ApproximateNearest, IsTheSameEveryTimeAndFromEveryThread) {
  const auto model = test::gaussian_model({.words = 1000, .dim = 30});
  const NoisyVectors noisy = noisy_words(*model, 100, 5);
  const auto alone = answers(ApproximateNearest(*model), noisy, 3);
  const ApproximateNearest shared(*model);
  std::vector<std::vector<Answer>> seen(3);
  {
    std::vector<std::jthread> threads;
    threads.reserve(seen.size());
    for (auto& each : seen) threads.emplace_back([&] { each = answers(shared, noisy, 3); });
  }
  for (const auto& each : seen) EXPECT_EQ(each, alone);
}

TEST(ApproximateNearest, WithoutFiniteDistancesAnswersLikeTheScan) {
  const auto model = test::gaussian_model({.words = 100, .dim = 3});
  for (const double epsilon : {1e-308, std::nan("")}) {  // squares overflow; nothing is a number
    const NoisyVectors noisy = noisy_words(*model, 4, epsilon);
    std::vector<Neighbour> expected(4);
    scan_nearest(*model, noisy.values(), 1, expected);
    const auto seen = answers(ApproximateNearest(*model), noisy, 1);
    for (std::size_t q = 0; q < 4; ++q) EXPECT_EQ(seen[q].first, index_of(expected[q].word)) << epsilon;
  }
}

const std::vector<float> kLine = {0, 1, 2.5F, 4};
constexpr std::size_t kDraws = 100000;

Mechanism on_line(std::string_view name, const char* search) {
  return build_mechanism(name, test::line_model(kLine), {{"epsilon", "1"}, {"search", search}});
}

// False-alarm rate 1e-9 for each word.
TEST(ApproximateSearch, LaplaceKeepsItsLaw) {
  const Mechanism laplace = on_line("laplace", "approximate");
  Rng rng = Rng::seeded_not_private(31);
  for (std::size_t w = 0; w < kLine.size(); ++w) {
    const auto cdf = [&](double x) {
      const double z = x - kLine[w];
      return z < 0 ? std::exp(z) / 2 : 1 - std::exp(-z) / 2;
    };
    const double cuts[] = {cdf(0.5), cdf(1.75), cdf(3.25)};  // the midpoints
    const std::vector<double> law = {cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], 1 - cuts[2]};
    const auto counts = test::sample_counts(*laplace.words, word_id(w), kLine.size(), kDraws, rng);
    EXPECT_GT(test::fit(counts, law), testing::kFalseAlarm) << w;
  }
}

TEST(ApproximateSearch, VickreyKeepsItsLaw) {  // mechanisms.md section 3, t = 0.5; false-alarm rate 1e-9
  const Mechanism vickrey = on_line("vickrey", "approximate");
  Rng rng = Rng::seeded_not_private(32);
  const auto counts = test::sample_counts(*vickrey.words, word_id(0), kLine.size(), kDraws, rng);
  const std::vector<double> law = {.553011, .354974, .072863, .019152};
  EXPECT_GT(test::fit(counts, law), testing::kFalseAlarm);
}

// Within the view both searches give the same words for the same noise, so the same draws.
TEST(ApproximateSearch, DrawsWhatExactSearchDrawsOnASmallModel) {
  const std::vector<WordId> in = {word_id(0), word_id(3), word_id(1), word_id(2), word_id(1)};
  for (const char* name : {"laplace", "mahalanobis", "vickrey"}) {
    std::vector<WordId> expected(in.size());
    std::vector<WordId> seen(in.size());
    Rng one = Rng::seeded_not_private(33);
    Rng other = Rng::seeded_not_private(33);
    const Mechanism exact = on_line(name, "exact");
    const Mechanism approximate = on_line(name, "approximate");
    for (int round = 0; round < 200; ++round) {
      exact.words->sample_batch(in, expected, one);
      approximate.words->sample_batch(in, seen, other);
      ASSERT_EQ(seen, expected) << name;
    }
    EXPECT_TRUE(exact.facts.empty());
    ASSERT_EQ(approximate.facts.size(), 1U);
    EXPECT_EQ(approximate.facts[0].first, "search");
    EXPECT_EQ(approximate.claim.guarantee, exact.claim.guarantee);
    EXPECT_EQ(approximate.claim.status, Status::proven);
  }
}

// That --search reaches the graph at all: far out in many dimensions it misses some nearest words.
TEST(ApproximateSearch, IsAnotherSearchOnALargerModel) {
  const auto model = test::gaussian_model({.words = 3000, .dim = 100});
  const std::vector<WordId> in(300, word_id(7));
  std::vector<std::vector<WordId>> seen;
  for (const char* search : {"exact", "approximate", "approximate"}) {
    Rng rng = Rng::seeded_not_private(34);
    seen.emplace_back(in.size());
    build_mechanism("laplace", model, {{"epsilon", "2"}, {"search", search}})
        .words->sample_batch(in, seen.back(), rng);
  }
  EXPECT_NE(seen[0], seen[1]);
  EXPECT_EQ(seen[1], seen[2]);
}

}  // namespace
}  // namespace sotto

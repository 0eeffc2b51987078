#include "certify/all_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "certify/worst_pairs.h"
#include "support/metrics.h"
#include "support/models.h"

namespace sotto {
namespace {

using test::kMetrics;

// Inside the unit ball, so that every metric is defined; more than a panel, not a multiple of a strip.
std::shared_ptr<const Model> small_vectors(std::size_t words) {
  return test::gaussian_model({.words = words, .dim = 7, .scale = 0.1});
}

TEST(AllPairs, KernelSumsAreThoseOfTheDefinition) {
  for (const std::size_t words : {2U, 5U, 256U, 301U}) {
    for (const Metric metric : kMetrics) {
      const auto space = Space::make(small_vectors(words), metric);
      const AllPairs pairs(space);
      ASSERT_EQ(pairs.rows(), words);
      std::vector<double> weights(words);
      for (std::size_t i = 0; i < words; ++i) weights[i] = 0.5 + static_cast<double>(i % 3);
      for (const double gamma : {0.3, 1e9}) {
        const auto sums = pairs.kernel_sums({.slope = 2.5, .gamma = gamma}, weights, {});
        const auto distances = pairs.rough_distances(space->diameter_bound(), {});
        const auto rough = pairs.rough_kernel_sums(distances, {.slope = 2.5, .gamma = gamma}, weights, {});
        for (std::size_t w = 0; w < words; ++w) {
          double expected = 0;
          for (std::size_t y = 0; y < words; ++y) {
            expected +=
                weights[y] * std::exp(-2.5 * std::min(space->distance(word_id(w), word_id(y)), gamma));
          }
          ASSERT_NEAR(sums[w], expected, 1e-12 * expected) << metric_name(metric) << ' ' << words;
          ASSERT_NEAR(rough[w], expected, (1e-5 + 1.3 * distances.step) * expected)
              << metric_name(metric) << ' ' << words;
        }
      }
    }
  }
}

TEST(AllPairs, LargestLossesAreThoseOfAFullSearch) {
  constexpr std::size_t kWords = 301;
  for (const Metric metric : kMetrics) {
    const auto space = Space::make(small_vectors(kWords), metric);
    const AllPairs pairs(space);
    std::vector<double> logs(kWords);
    for (std::size_t i = 0; i < kWords; ++i) logs[i] = std::sin(static_cast<double>(i * i));
    for (const double gamma : {0.2, 1e9}) {
      std::vector<PairLoss> all;
      std::vector<double> nearest(kWords, HUGE_VAL);
      double largest_loss = 0;
      double largest_distance = 0;
      for (std::size_t a = 0; a < kWords; ++a) {
        for (std::size_t b = 0; b < kWords; ++b) {
          const double d = space->distance(word_id(a), word_id(b));
          if (a != b) nearest[a] = std::min(nearest[a], d);
          if (a >= b) continue;
          const double cut = std::min(d, gamma);
          const double loss = 3 * (cut + 1e-5 * cut + 1e-3) + std::abs(logs[a] - logs[b]) + 0.01;
          all.push_back({word_id(a), word_id(b), d, loss, (loss - 0.02) / (d - 1e-5 * d - 1e-3)});
          largest_loss = std::max(largest_loss, loss);
          largest_distance = std::max(largest_distance, d);
        }
      }
      std::sort(all.begin(), all.end(),
                [](const PairLoss& x, const PairLoss& y) { return x.epsilon > y.epsilon; });
      const auto answer = pairs.largest_losses({.kernel = {.slope = 3, .gamma = gamma},
                                                .logs = logs,
                                                .margin = 0.01,
                                                .allowance = 0.02,
                                                .error = {.relative = 1e-5, .absolute = 1e-3}},
                                               {});
      ASSERT_EQ(answer.worst.size(), WorstPairs::kMost);
      for (std::size_t i = 0; i < answer.worst.size(); ++i) {
        EXPECT_EQ(answer.worst[i].first, all[i].first) << metric_name(metric);
        EXPECT_EQ(answer.worst[i].second, all[i].second);
        EXPECT_NEAR(answer.worst[i].epsilon, all[i].epsilon, 1e-13 * all[i].epsilon);
      }
      EXPECT_DOUBLE_EQ(answer.largest_loss, largest_loss);
      EXPECT_NEAR(answer.largest_distance, largest_distance, 1e-13);
      for (std::size_t w = 0; w < kWords; ++w) EXPECT_NEAR(answer.nearest[w], nearest[w], 1e-13);
      double band = 0;
      for (const PairLoss& pair : answer.bands) band = std::max(band, pair.epsilon);
      EXPECT_EQ(band, answer.worst.front().epsilon);
    }
  }
}

TEST(AllPairs, WordsThatShareAVectorAreOneRow) {
  const auto space = Space::make(test::line_model({0, 1, 1, 3, 0}), Metric::euclidean);
  const AllPairs pairs(space);
  ASSERT_EQ(pairs.rows(), 3U);
  EXPECT_EQ(pairs.row(word_id(4)), pairs.row(word_id(0)));
  EXPECT_EQ(std::vector<double>(pairs.multiplicities().begin(), pairs.multiplicities().end()),
            (std::vector<double>{2, 2, 1}));
}

TEST(AllPairs, ThreadsChangeNothing) {
  const auto space = Space::make(small_vectors(1500), Metric::euclidean);
  const AllPairs pairs(space);
  const std::vector<double> ones(1500, 1.0);
  const auto sums = [&](unsigned threads) {
    return pairs.kernel_sums({.slope = 1, .gamma = 9}, ones, {.threads = threads});
  };
  const auto first = sums(1);
  EXPECT_EQ(first, sums(2));
  EXPECT_EQ(first, sums(5));
}

// Several kernels in one pass give what each gives alone.
TEST(AllPairs, SeveralKernelsAreThoseAlone) {
  const AllPairs pairs(Space::make(small_vectors(700), Metric::euclidean));
  const std::vector<double> ones(pairs.rows(), 1.0);
  std::vector<double> others(pairs.rows());
  for (std::size_t r = 0; r < others.size(); ++r) others[r] = static_cast<double>(r % 5);
  const std::vector<AllPairs::WeightedKernel> kernels = {
      {.kernel = {.slope = 1, .gamma = 9}, .weights = ones},
      {.kernel = {.slope = 2, .gamma = 0.5}, .weights = others},
      {.kernel = {.slope = 3, .gamma = 9}, .weights = ones}};
  const auto together = pairs.kernel_sums(kernels, {.threads = 2});
  ASSERT_EQ(together.size(), kernels.size());
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    EXPECT_EQ(together[k], pairs.kernel_sums(kernels[k].kernel, kernels[k].weights, {.threads = 1})) << k;
  }
}

TEST(AllPairs, ProgressReachesItsTotal) {
  const AllPairs pairs(Space::make(small_vectors(600), Metric::euclidean));
  Steps last;
  std::size_t calls = 0;
  const std::vector<double> ones(600, 1.0);
  (void)pairs.kernel_sums({.slope = 1, .gamma = 9}, ones, {.threads = 2, .progress = [&](const Steps& steps) {
                                                             last = steps;
                                                             ++calls;
                                                           }});
  EXPECT_EQ(last.done, last.total);
  EXPECT_EQ(calls, 6U);  // three panels: six tiles
}

}  // namespace
}  // namespace sotto

#pragma once
// For the tests of gumbel-topk and truncated-gumbel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mechanisms/build.h"
#include "sotto/error.h"
#include "sotto/mechanism.h"
#include "support/models.h"

namespace sotto::test {

using Law = std::vector<std::vector<double>>;  // ln P(y|w) at [w][y]

inline Law log_law_of(const WordMechanism& words, std::size_t size) {
  Law law;
  for (std::size_t w = 0; w < size; ++w) law.push_back(words.log_law(word_id(w)).value());
  return law;
}

inline std::vector<double> exponentials(std::vector<double> logs) {
  for (double& value : logs) value = std::exp(value);
  return logs;
}

// The largest loss / distance over all pairs, by definition.
inline double realised(const Law& law, const Space& space) {
  double worst = 0;
  for (std::size_t a = 0; a < law.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      for (std::size_t y = 0; y < law.size(); ++y) {
        worst = std::max(worst, std::abs(law[a][y] - law[b][y]) / space.distance(word_id(a), word_id(b)));
      }
    }
  }
  return worst;
}

inline void expect_row(const std::vector<double>& log_row, const std::vector<double>& expected,
                       double tolerance) {
  ASSERT_EQ(log_row.size(), expected.size());
  for (std::size_t y = 0; y < expected.size(); ++y) {
    EXPECT_NEAR(std::exp(log_row[y]), expected[y], tolerance) << y;
  }
}

// Words by (distance, index) from a word: the order of candidates, by definition.
inline std::vector<std::size_t> ranked(const Space& space, std::size_t word) {
  std::vector<std::size_t> order(space.size());
  for (std::size_t y = 0; y < order.size(); ++y) order[y] = y;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return space.distance(word_id(word), word_id(a)) < space.distance(word_id(word), word_id(b));
  });
  return order;
}

// P(K = k) at k - 1, k = 1 .. n, by definition.
inline std::vector<double> count_law(std::size_t words, double mean) {
  std::vector<double> law(words, 0.0);
  for (std::size_t k = 0; k < 400; ++k) {
    const auto count = static_cast<double>(k);
    const double p = std::exp(count * std::log(mean) - mean - std::lgamma(count + 1));
    law[k >= 1 && k < words ? k - 1 : words - 1] += p;
  }
  return law;
}

inline std::string refusal(const std::string& mechanism, const std::shared_ptr<const Model>& model,
                           const ParameterTexts& texts, ErrorCode code) {
  try {
    build_uncertified(mechanism, model, texts);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  ADD_FAILURE() << "built";
  return {};
}

// The epsilon that a refusal proposes is taken when typed; one unit of its sixth digit less is not.
inline void expect_smallest_epsilon(const std::string& mechanism, const std::shared_ptr<const Model>& model,
                                    double bound) {
  const std::string message =
      refusal(mechanism, model, {{"epsilon", number_text(bound / 2)}}, ErrorCode::usage);
  const std::string before = "use `epsilon` ";
  const std::size_t start = message.find(before);
  ASSERT_NE(start, std::string::npos) << message;
  const std::string proposed =
      message.substr(start + before.size(), message.find(' ', start + before.size()) - start - before.size());
  EXPECT_NO_THROW(build_uncertified(mechanism, model, {{"epsilon", proposed}})) << message;
  const double epsilon = std::stod(proposed);
  EXPECT_GT(epsilon, bound);
  EXPECT_LT(epsilon, bound * (1 + 2e-5));
  refusal(mechanism, model, {{"epsilon", number_text(bound * (1 - 1e-12))}}, ErrorCode::usage);
}

}  // namespace sotto::test

#include "sotto/own_law.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/certificate.h"
#include "sotto/error.h"
#include "support/models.h"
#include "support/sampling.h"

namespace sotto {
namespace {

using test::kLine;
using test::line_model;
using ::testing::HasSubstr;

// The law of docs/specification.md section 4.2, `flat` on a line: its realised epsilon is 1.
std::vector<double> flat_table() {
  constexpr double kWeights[] = {.7310585786, .5486330548, .6351489524, .8175744762};
  std::vector<double> table;
  for (const float from : kLine) {
    for (std::size_t y = 0; y < 4; ++y)
      table.push_back(kWeights[y] * std::exp(-std::abs(double{from} - double{kLine[y]})));
  }
  return table;
}

CertifiedMechanism made(const std::vector<double>& table, std::optional<double> epsilon = {}) {
  return mechanism_from_law(line_model(kLine), {.probabilities = table, .epsilon = epsilon});
}

TEST(OwnLaw, IsProvenByItsCertificate) {
  const CertifiedMechanism flat = made(flat_table());
  EXPECT_NEAR(flat.certificate.value().realised_epsilon, 1, 1e-8);
  EXPECT_EQ(flat.mechanism.claim.status, Status::proven);
  EXPECT_EQ(flat.mechanism.claim.epsilon, flat.certificate->realised_epsilon);
  EXPECT_EQ(flat.mechanism.claim.largest_word_loss, flat.certificate->largest_loss);
  EXPECT_THAT(flat.mechanism.claim.guarantee, HasSubstr("certified over all pairs of the model's 4 words"));
  const Mechanism claimed = made(flat_table(), 1.5).mechanism;
  EXPECT_EQ(claimed.claim.status, Status::proven);
  EXPECT_EQ(claimed.claim.epsilon, 1.5);
}

TEST(OwnLaw, IsRefutedByACertificateAboveTheClaim) {
  const Mechanism claimed = made(flat_table(), .9).mechanism;
  EXPECT_EQ(claimed.claim.status, Status::refuted);
  EXPECT_THAT(claimed.claim.guarantee, HasSubstr("The claim of 0.9 * d is false"));
}

TEST(OwnLaw, IsNotPrivateIfAnOutputIsImpossibleForSomeWords) {
  std::vector<double> table(16, 0.25);
  table[1] = 0;
  table[0] = 0.5;
  const Mechanism open = made(table).mechanism;
  EXPECT_EQ(open.claim.status, Status::not_private);
  EXPECT_THAT(open.claim.guarantee, HasSubstr("possible for one of"));
  EXPECT_TRUE(std::isinf(open.claim.epsilon));
  EXPECT_EQ(made(table, 5).mechanism.claim.status, Status::refuted);
}

TEST(OwnLaw, WordsWithOneVectorMustHaveOneRow) {
  std::vector<double> table(16, 0.25);
  const auto model = line_model({0, 1, 1, 2});
  EXPECT_EQ(mechanism_from_law(model, {.probabilities = table}).mechanism.claim.status, Status::proven);
  table[4] = 0.24;
  table[5] = 0.26;
  EXPECT_EQ(mechanism_from_law(model, {.probabilities = table}).mechanism.claim.status, Status::not_private);
}

// False-alarm rate 1e-9 for each word.
TEST(OwnLaw, DrawsFollowTheTable) {
  const std::vector<double> table = flat_table();
  const CertifiedMechanism flat = made(table);
  for (std::size_t w = 0; w < 4; ++w) {
    Rng rng = Rng::seeded_not_private(1, w);
    const auto counts = test::sample_counts(*flat.mechanism.words, word_id(w), 4, 100'000, rng);
    EXPECT_GT(test::fit(counts, std::span(table).subspan(4 * w, 4)), test::kFalseAlarm) << w;
  }
}

// Summed in another order, 1e-30 would vanish, and the certificate would be about another law than the draws.
TEST(OwnLaw, NoPositiveProbabilityVanishesInASum) {
  std::vector<double> table;
  for (std::size_t w = 0; w < 4; ++w) {
    for (std::size_t y = 0; y < 4; ++y) table.push_back(y == w ? 1 : 1e-30);
  }
  const CertifiedMechanism sharp = made(table);
  const std::vector<double> row = sharp.mechanism.words->log_law(word_id(2)).value();
  for (const std::size_t y : {0U, 1U, 3U}) EXPECT_NEAR(row[y], std::log(1e-30), 1e-12);
  EXPECT_EQ(row[2], 0);
  EXPECT_NEAR(sharp.certificate.value().realised_epsilon, -std::log(1e-30), 1e-6);  // words at distance 1
}

// The law that is drawn: what the sums in doubles give, not the numbers of the table.
TEST(OwnLaw, TheLawIsThatOfTheRoundedSums) {
  const auto model = test::gaussian_model({.words = 60, .dim = 3});
  std::vector<double> table;
  for (std::size_t w = 0; w < 60; ++w) {
    double sum = 0;
    for (std::size_t y = 0; y < 60; ++y)
      sum += table.emplace_back(1.0 / static_cast<double>(1 + w + 7 * y % 60));
    for (std::size_t y = 0; y < 60; ++y) table[60 * w + y] /= sum;
  }
  const CertifiedMechanism own = mechanism_from_law(model, {.probabilities = table});
  for (std::size_t w = 0; w < 60; ++w) {
    const std::vector<double> row = own.mechanism.words->log_law(word_id(w)).value();
    for (std::size_t y = 0; y < 60; ++y) EXPECT_NEAR(row[y], std::log(table[60 * w + y]), 1e-11);
  }
  EXPECT_EQ(own.mechanism.claim.status, Status::proven);
}

TEST(OwnLaw, NothingIsProvenWhereNoCertificateIsComputed) {
  const auto model = test::gaussian_model({.words = kGeneralLimit + 1, .dim = 2});
  const std::vector<double> table(model->size() * model->size(), 1 / static_cast<double>(model->size()));
  const CertifiedMechanism large = mechanism_from_law(model, {.probabilities = table, .epsilon = 1});
  EXPECT_FALSE(large.certificate.has_value());
  EXPECT_EQ(large.mechanism.claim.status, Status::not_private);
  EXPECT_THAT(large.mechanism.claim.guarantee, HasSubstr("at most 1000 words"));
}

TEST(OwnLaw, RefusesWhatAreNoProbabilities) {
  const auto message = [](const std::vector<double>& table) -> std::string {
    try {
      (void)made(table);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(std::vector<double>(12, 0.25)), HasSubstr("needs 4 rows of 4"));
  EXPECT_THAT(message(std::vector<double>(16, 1)), HasSubstr("row 0 (counted from 0) has the sum 4, not 1"));
  std::vector<double> table(16, 0.25);
  table[6] = -0.25;
  table[7] = 0.75;
  EXPECT_THAT(message(table), HasSubstr("row 1 (counted from 0) has a number that is no probability"));
  table[6] = std::nan("");
  EXPECT_THAT(message(table), HasSubstr("no probability"));
}

}  // namespace
}  // namespace sotto

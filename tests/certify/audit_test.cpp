// The statistics of the auditor. Tests are seeded; each states what it would cost in false alarms if it were
// not.
#include "certify/audit.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "certify/audit_support.h"
#include "core/binomial.h"
#include "mechanisms/build.h"
#include "sotto/error.h"

namespace sotto {
namespace {

using test::audit_of;
using test::AuditSetting;
using test::OfRows;
using test::Row;

// Two words at distance 1 whose loss is exactly `loss`: randomised response.
OfRows response(double loss) {
  const double stay = std::exp(loss) / (1 + std::exp(loss));
  return OfRows({{stay, 1 - stay}, {1 - stay, stay}});
}
const auto kTwoWords = test::line_model({0, 1});

// A claim that is exactly tight, at a level that can be counted: at most one audit in five may be wrong, of
// 300. The bound fails with probability 1e-9 if the level is kept.
TEST(Audit, TheLevelIsKeptWhereTheClaimIsTight) {
  constexpr int kAudits = 300;
  const OfRows tight = response(1);
  int violated = 0;
  int wrong_bounds = 0;
  for (int i = 0; i < kAudits; ++i) {
    const AuditResult result = audit_of(
        tight, kTwoWords, {.epsilon = 1, .draws = 300, .level = 0.2, .seed = static_cast<std::uint64_t>(i)});
    violated += result.verdict == AuditVerdict::violated ? 1 : 0;
    wrong_bounds += result.realised_epsilon_bound > 1 ? 1 : 0;
  }
  const auto plausible = [](int count) {
    return binomial_at_least({.hits = static_cast<double>(count), .draws = kAudits}, 0.2);
  };
  EXPECT_GT(plausible(violated), 1e-9) << violated;
  EXPECT_GT(plausible(wrong_bounds), 1e-9) << wrong_bounds;
}

// 300 outputs, the same law for all words, claim 0: whoever tests an event on the draws that suggested it
// finds a violation every time.
TEST(Audit, TheLevelIsKeptWhereThereIsMuchToChooseFrom) {
  constexpr std::size_t kWords = 300;
  const auto model = test::gaussian_model({.words = kWords, .dim = 2});
  const OfRows uniform(std::vector<Row>(kWords, Row(kWords, 1.0 / kWords)));
  AuditClaim claim = audit_claim(Space::make(model, Metric::euclidean), 0);
  int violated = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const AuditResult result =
        audit_of(uniform, claim, {.draws = 1000, .pairs = 5, .level = 0.05, .seed = seed});
    violated += result.verdict == AuditVerdict::violated ? 1 : 0;
  }
  EXPECT_GT(binomial_at_least({.hits = static_cast<double>(violated), .draws = 60}, 0.05), 1e-9) << violated;
}

TEST(Audit, AnExcessIsFoundWithItsWitness) {
  const AuditResult result = audit_of(response(1.3), kTwoWords, {.epsilon = 1, .draws = 30'000});
  ASSERT_EQ(result.verdict, AuditVerdict::violated);
  ASSERT_TRUE(result.witness.has_value());
  EXPECT_GT(result.witness->loss_bound, 1);
  EXPECT_LT(result.witness->loss_bound, 1.3);
  EXPECT_NEAR(result.witness->loss_estimate, 1.3, 0.1);
  EXPECT_EQ(result.witness->event.kind, AuditEvent::Kind::output);
  EXPECT_EQ(result.witness->event.outputs.front(), result.witness->event.likelier);
  EXPECT_EQ(result.realised_epsilon_bound, result.witness->loss_bound);  // the distance is 1
}

TEST(Audit, TheBoundApproachesTheLoss) {
  double before = 0;
  for (const std::uint32_t draws : {1000U, 10'000U, 100'000U, 1'000'000U}) {
    const AuditResult result = audit_of(response(2), kTwoWords, {.epsilon = 2.5, .draws = draws});
    EXPECT_EQ(result.verdict, AuditVerdict::pass);
    EXPECT_GT(result.realised_epsilon_bound, before);
    before = result.realised_epsilon_bound;
  }
  EXPECT_NEAR(before, 2, 0.03);
  EXPECT_LT(before, 2);
}

// Undecided gives the number of draws that decides; with about as many, it does.
TEST(Audit, UndecidedSaysHowManyDrawsDecide) {
  const OfRows slightly = response(1.1);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    AuditSetting setting{.epsilon = 1, .draws = 1500, .level = 1e-3, .seed = seed};
    const AuditResult result = audit_of(slightly, kTwoWords, setting);
    if (result.verdict != AuditVerdict::undecided) continue;
    ASSERT_TRUE(result.witness && result.witness->draws_needed);
    EXPECT_GT(result.witness->loss_estimate, 1);
    EXPECT_LE(result.witness->loss_bound, 1);
    EXPECT_GT(*result.witness->draws_needed, setting.draws);
    EXPECT_LT(*result.witness->draws_needed, 1e6);
    setting.draws =
        static_cast<std::uint32_t>(4 * *result.witness->draws_needed);  // the estimate may be high
    EXPECT_EQ(audit_of(slightly, kTwoWords, setting).verdict, AuditVerdict::violated);
    return;
  }
  FAIL() << "no seed left it undecided";
}

TEST(Audit, AnImpossibleOutputGivesALargeFiniteBound) {
  const OfRows clear({{1, 0}, {0, 1}});
  const AuditResult result = audit_of(clear, kTwoWords, {.epsilon = 2, .draws = 30'000});
  ASSERT_EQ(result.verdict, AuditVerdict::violated);
  EXPECT_TRUE(std::isinf(result.witness->loss_estimate));
  EXPECT_GT(result.witness->loss_bound, 6);
  EXPECT_LE(result.witness->loss_bound, result.reach.largest_loss);
}

// Nothing can be refuted beyond the reach, and the result says so.
TEST(Audit, WhatIsOutOfReachIsSaid) {
  const OfRows clear({{1, 0}, {0, 1}});
  const AuditResult result = audit_of(clear, kTwoWords, {.epsilon = 20, .draws = 3000});
  EXPECT_EQ(result.verdict, AuditVerdict::pass);
  EXPECT_LT(result.reach.largest_loss, 20);
  EXPECT_EQ(result.reach.pairs_within, 0U);
  EXPECT_TRUE(std::isinf(result.reach.smallest_excess));
  EXPECT_EQ(audit_of(response(1), kTwoWords, {.epsilon = 1, .draws = 3000}).reach.pairs_within, 1U);
}

TEST(Audit, WhatIsSaidToShowDoesShow) {
  const AuditSetting setting{.epsilon = 1, .draws = 30'000, .level = 1e-3};
  const AuditReach reach = audit_of(response(1), kTwoWords, setting).reach;
  // A third output, of probability 1/10 under the first word, that loses twice the excess.
  const double rare = 0.1 * std::exp(-1 - 2 * reach.smallest_excess);
  Row first = {0.45, 0.45, 0.1};
  Row second = {0.5 - rare / 2, 0.5 - rare / 2, rare};
  const OfRows broken({first, second, second});
  const AuditClaim claim = audit_claim(Space::make(test::line_model({0, 1, 9}), Metric::euclidean), 1);
  Rng rng = Rng::seeded_not_private(5);
  auto pairs = choose_audit_pairs(claim, {.pairs = 3}, rng);
  std::erase_if(pairs, [](const AuditPair& pair) { return pair.second == 2; });
  EXPECT_EQ(audit_of(broken, claim, pairs, setting).verdict, AuditVerdict::violated);
}

TEST(Audit, NothingClaimedIsNotPassed) {
  const Mechanism identity = build_uncertified("identity", kTwoWords, {});
  const AuditResult result = audit_of(*identity.words, audit_claim(identity), {});
  EXPECT_EQ(result.verdict, AuditVerdict::nothing_claimed);
  EXPECT_GT(result.realised_epsilon_bound, 6);
}

// Words at distance 0 claim loss 0.
TEST(Audit, WordsOfOneRowMustNotDiffer) {
  const auto model = Model::from_words({"a", "b", "c"}, {0, 0, 1}, 1);
  const OfRows broken({{0.5, 0.3, 0.2}, {0.3, 0.5, 0.2}, {0.4, 0.4, 0.2}});
  const AuditResult result = audit_of(broken, model, {.epsilon = 3});
  ASSERT_EQ(result.verdict, AuditVerdict::violated);
  EXPECT_EQ(result.witness->pair.claimed_loss, 0);
  EXPECT_TRUE(std::isinf(result.realised_epsilon_bound));
}

TEST(Audit, ThreadsDoNotChangeTheResult) {
  const Mechanism tem =
      build_uncertified("tem", test::gaussian_model({.words = 30, .dim = 3}), {{"epsilon", "2"}});
  std::vector<double> bounds;
  for (const unsigned threads : {1U, 3U}) {
    const AuditResult result =
        audit_of(*tem.words, audit_claim(tem), {.draws = 3000, .pairs = 10, .threads = threads});
    for (const AuditFinding& finding : result.pairs) bounds.push_back(finding.loss_bound);
  }
  ASSERT_EQ(bounds.size(), 20U);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(bounds[i], bounds[10 + i]);
}

TEST(Audit, BadOptionsAreRefused) {
  EXPECT_THROW(audit_of(response(1), kTwoWords, {.draws = 10}), Error);
  EXPECT_THROW(audit_of(response(1), kTwoWords, {.level = 0}), Error);
}

TEST(AuditPairs, AllKindsAreThereAndNoneTwice) {
  const AuditClaim claim =
      audit_claim(Space::make(test::gaussian_model({.words = 200, .dim = 3}), Metric::euclidean), 1.5);
  Rng rng = Rng::seeded_not_private(1);
  const WordPair given{word_id(3), word_id(4)};
  const auto pairs = choose_audit_pairs(
      claim, {.pairs = 40, .given = {given}, .worst = WordPair{word_id(5), word_id(9)}}, rng);
  ASSERT_EQ(pairs.size(), 42U);
  std::set<std::pair<AuditWord, AuditWord>> seen;
  std::map<AuditPair::Kind, int> kinds;
  double nearest = 1e9;
  for (const AuditPair& pair : pairs) {
    EXPECT_LT(pair.first, pair.second);
    EXPECT_TRUE(seen.insert({pair.first, pair.second}).second);
    EXPECT_EQ(pair.claimed_loss, 1.5 * pair.distance);
    EXPECT_TRUE(pair.kind != AuditPair::Kind::rare || pair.second >= 180);
    if (pair.kind == AuditPair::Kind::nearest) nearest = std::min(nearest, pair.distance);
    ++kinds[pair.kind];
  }
  EXPECT_EQ(kinds[AuditPair::Kind::worst], 1);
  EXPECT_EQ(kinds[AuditPair::Kind::given], 1);
  EXPECT_EQ(kinds[AuditPair::Kind::nearest], 20);
  EXPECT_EQ(kinds[AuditPair::Kind::rare], 10);
  EXPECT_EQ(kinds[AuditPair::Kind::random], 10);
  EXPECT_EQ(nearest, find_extremes(*claim.space, 1).smallest);
}

}  // namespace
}  // namespace sotto

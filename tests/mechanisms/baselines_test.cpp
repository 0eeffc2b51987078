// The ends of every comparison: identity, uniform, redact; and hyperbolic, which is tem in another metric.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/build.h"
#include "mechanisms/tem/tem.h"
#include "sotto/error.h"
#include "sotto/mechanism.h"
#include "support/models.h"
#include "support/sampling.h"

namespace sotto {
namespace {

TEST(Identity, KeepsEveryWordAndClaimsNothing) {
  const Mechanism identity = build_uncertified("identity", test::line_model({0, 1, 3}), {});
  EXPECT_EQ(identity.claim.status, Status::not_private);
  EXPECT_TRUE(std::isinf(identity.claim.epsilon));
  EXPECT_FALSE(identity.claim.largest_word_loss.has_value());
  const auto law = identity.words->log_law(word_id(1)).value();
  EXPECT_EQ(law[1], 0);
  EXPECT_TRUE(std::isinf(law[0]));
}

TEST(Uniform, IsWhatTemBecomesWithoutEpsilon) {
  const auto model = test::gaussian_model({.words = 40, .dim = 3, .scale = 1, .seed = 3});
  const Mechanism uniform = build_uncertified("uniform", model, {});
  const Mechanism tem = build_uncertified("tem", model, {{"epsilon", "1e-9"}});
  const auto law = uniform.words->log_law(word_id(4)).value();
  const auto limit = tem.words->log_law(word_id(4)).value();
  for (std::size_t y = 0; y < law.size(); ++y) EXPECT_NEAR(law[y], limit[y], 1e-7);
  EXPECT_EQ(uniform.claim.largest_word_loss, 0.0);
}

TEST(Redact, WritesItsTokenForEveryWord) {
  const auto model = test::line_model({0, 1, 3});
  const Mechanism redact = build_uncertified("redact", model, {});
  EXPECT_EQ(redact.text_of(word_id(0)), "[word]");
  EXPECT_EQ(redact.text_of(word_id(2)), "[word]");
  EXPECT_EQ(build_uncertified("redact", model, {{"token", "***"}}).text_of(word_id(1)), "***");
  EXPECT_THROW(build_uncertified("redact", model, {{"token", ""}}), Error);
  EXPECT_THROW(build_uncertified("redact", model, {{"token", "a\nb"}}), Error);
  EXPECT_THROW(build_uncertified("redact", model, {{"epsilon", "1"}}), Error);
  // One law for all: nothing to learn.
  EXPECT_EQ(redact.words->log_law(word_id(0)), redact.words->log_law(word_id(2)));
}

TEST(Hyperbolic, IsTemInThePoincareBall) {
  const auto model = test::line_model({0, 0.5F, -0.9F});
  const Mechanism hyperbolic = build_uncertified("hyperbolic", model, {{"epsilon", "2"}, {"gamma", "inf"}});
  EXPECT_THAT(hyperbolic.claim.guarantee, ::testing::HasSubstr("poincare"));
  // From the centre the distance is 2 artanh |x|.
  const double d1 = 2 * std::atanh(0.5);
  const double d2 = 2 * std::atanh(double{0.9F});
  const double z = 1 + std::exp(-d1) + std::exp(-d2);
  const auto law = hyperbolic.words->log_law(word_id(0)).value();
  EXPECT_NEAR(std::exp(law[0]), 1 / z, 1e-12);
  EXPECT_NEAR(std::exp(law[1]), std::exp(-d1) / z, 1e-12);
  EXPECT_NEAR(std::exp(law[2]), std::exp(-d2) / z, 1e-12);
}

TEST(Hyperbolic, RefusesVectorsOutsideTheBall) {
  EXPECT_THROW(build_uncertified("hyperbolic", test::line_model({0, 1.5F}), {{"epsilon", "2"}}), Error);
}

}  // namespace
}  // namespace sotto

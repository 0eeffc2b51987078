#include "measure/attribute.h"

#include <gtest/gtest.h>

#include <array>

#include "brute_force.h"
#include "mechanisms/build.h"
#include "sotto/error.h"

namespace sotto {
namespace {

Labels by_thirds(std::size_t words) {
  Labels labels{.names = {"a", "b"}, .of = std::vector<std::int32_t>(words, Labels::kNone)};
  for (std::size_t w = 0; w < words; ++w) {
    if (w % 3 < 2) labels.of[w] = static_cast<std::int32_t>(w % 3);
  }
  return labels;
}

TEST(Attribute, EqualsBruteForce) {
  const Mechanism mechanism = test::small_tem(90, "4");
  const Prior prior = frequency_rank_prior(mechanism.space->model());
  const Labels labels = by_thirds(90);
  LabelAdversary adversary(prior, labels);
  const std::array<LawVisitor*, 1> visitors = {&adversary};
  stream_laws(mechanism, prior.support, visitors, {});
  const auto law = test::law_table(mechanism);
  double right = 0;
  double mass = 0;
  for (std::size_t o = 0; o < 90; ++o) {
    std::array<double, 2> sums = {};
    for (std::size_t w = 0; w < 90; ++w) {
      if (labels.of[w] != Labels::kNone)
        sums.at(static_cast<std::size_t>(labels.of[w])) += prior.weights[w] * law[w][o];
    }
    right += std::max(sums[0], sums[1]);
    mass += sums[0] + sums[1];
  }
  EXPECT_NEAR(adversary.error(), 1 - right / mass, 1e-12);
  EXPECT_LT(adversary.error(), constant_label_guess(prior, labels));
}

TEST(Attribute, ConstantGuessIsTheCeiling) {
  const auto model = test::gaussian_model({.words = 30, .dim = 3});
  const Prior prior = uniform_prior(*model);
  const Labels labels = by_thirds(30);
  LabelAdversary adversary(prior, labels);
  const std::array<LawVisitor*, 1> visitors = {&adversary};
  stream_laws(build_uncertified("uniform", model, {}), prior.support, visitors, {});
  EXPECT_NEAR(adversary.error(), 0.5, 1e-12);
  EXPECT_NEAR(constant_label_guess(prior, labels), 0.5, 1e-12);
}

TEST(Attribute, RefusesLabelsThatThePriorRulesOut) {
  const auto model = test::line_model({0, 1, 2});
  const Prior prior = restricted(uniform_prior(*model), {.words = {word_id(2)}});
  try {
    LabelAdversary adversary(prior, by_thirds(3));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
  }
}

}  // namespace
}  // namespace sotto
